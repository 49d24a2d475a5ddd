/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The inside of an import, for its two halves: reading (import.c) and writing (import_write.c). */
#ifndef DWELL_FORMAT_IMPORT_PRIVATE_H
#define DWELL_FORMAT_IMPORT_PRIVATE_H

#include "format/import.h"
#include "format/import_counts.h"
#include "format/perf_script.h"
#include "profile/tree_feed.h"
#include "recording/writer.h"
#include "replay/sums.h"

/* A weighted stack without events. */
struct piece {
	uint32_t thread; /* index */
	uint32_t node;   /* of the tree */
	uint64_t weight;
	uint64_t ns;
};

/* What was longer than a recording keeps. */
struct stack_cuts {
	uint64_t names;
	uint64_t stacks;
};

/* What the next stack may go on from. */
struct last_piece {
	size_t shared; /* so many frames, the thread's name being one, are those of the last read */
	size_t depth;  /* in the tree */
	uint32_t thread;
};

struct import {
	struct import_options options;
	struct skipped skipped;
	struct perf_log log; /* its table is also that of stacks without events */
	struct replay_result result;
	struct sums sums;
	struct import_counts counts;
	/* Stacks without events, and in the end all: their frames are those of the log's table. */
	struct tree tree;
	struct tree_feed feed;
	VEC(struct piece) pieces;
	VEC(struct tree_step) steps; /* of the stack that was read last */
	struct last_piece last;      /* that was added */
	struct map64 thread_by_comm;
	uint64_t total_ns; /* of all threads */
	uint64_t sample_ns;
	struct stack_cuts cuts;
	bool has_files;
	bool is_perf;
};

/* The stacks of the table as rows of a recording, each made when first asked for. */
struct stack_writer;

/*
 * From now on the table only gives, so what finds stacks in it again is dropped. Its stacks are
 * added to the tree; nodes that are there already have frames of the table too. Borrows all.
 */
struct stack_writer *stack_writer_new(
	struct recording_writer *writer, struct stack_table *table, struct tree *tree);
/* Writes what was made; to be called before the end. */
void stack_writer_flush(struct stack_writer *stacks);
struct stack_cuts stack_writer_cuts(const struct stack_writer *stacks);
void stack_writer_free(struct stack_writer *stacks);

/* The measures of the log, and their rows. is_kernel: by thread, as for sums. */
void import_write_counts(struct import *import, struct recording_writer *writer,
	struct stack_writer *stacks, bool *is_kernel);

struct written_stack {
	uint64_t kernel; /* node id, or enum stack_none */
	uint64_t user;
	bool is_kernel_thread; /* its root is where kernel threads begin */
};

/* A stack of the table, or the one that ends in a node of the tree. */
struct written_stack stack_writer_put(struct stack_writer *stacks, uint32_t stack);
struct written_stack stack_writer_put_node(struct stack_writer *stacks, uint32_t number);

#endif
