/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the parts of the kernel side's object share: kernel.c is its life, configure.c and
 * configure_chains.c set it up before it is loaded, pairs.c makes the tables of rows and lets them
 * grow, tables.c reads what the programs sum up there, areas.c has the tables of user stacks,
 * events.c reads what the programs count, threads.c what they say of each thread. Private to these.
 */
#ifndef DWELL_KERNEL_PRIVATE_H
#define DWELL_KERNEL_PRIVATE_H

#include "kernel/kernel.h"
#include "kernel/kernel_text.h"
#include "kernel/sizes.h"

/* Rows that one call moves out of a table. */
#define KERNEL_BATCH_ROWS 8192

enum kernel_pair { PAIR_SUMS, PAIR_COARSE, PAIR_WAITS, KERNEL_PAIRS };

/* Two tables that are filled and emptied in turn. */
struct table_pair {
	int fds[2];
	_Atomic uint32_t rows[2];
};

/* One of the arrays of user stacks. */
struct chunked_area {
	char *at;               /* address space for all of it */
	uint32_t first;         /* number of its first chunk, in the map of all */
	uint32_t most;          /* chunks */
	_Atomic uint32_t count; /* chunks that are there */
};

struct kernel {
	struct dwell *skeleton;   /* of dwell.skel.h */
	struct table_sizes sizes; /* to begin with */
	struct table_sizes most;
	struct helpers *makers; /* borrowed; NULL: tables do not grow */
	struct table_pair pairs[KERNEL_PAIRS];
	struct chunked_area chunked[UNWIND_AREAS];
	struct kernel_text text;
	struct lessons *lessons; /* NULL: kernel stacks are the unwinder's */
	const char *sample_event;
	int cpus;
	int active;
	struct unwind_areas areas; /* mapped when first asked for */
	VEC(struct bpf_link *) links;
	struct sum_key *keys; /* KERNEL_BATCH_ROWS */
	struct sum *sums;
	uint32_t depth;
	char *waits;                           /* KERNEL_BATCH_ROWS values */
	const struct capture_options *options; /* borrowed; measure n is events[n - 1] */
	int active_events;                     /* table that is filled */
	bool has_resting;                      /* the other one is not empty yet */
};

/*
 * `count` keys are in kernel->keys and their values where kernel_empty_table() was told to put
 * them, whatever types are declared there: both are of the table's own types.
 */
typedef void (*kernel_batch_fn)(const struct kernel *kernel, uint32_t count, void *context);
/* Takes all rows out of a table, batch by batch: keys into kernel->keys, values into `values`. */
int kernel_empty_table(
	struct kernel *kernel, int fd, void *values, kernel_batch_fn each, void *context);

/* Makes the tables of rows, when the programs are loaded. */
int kernel_make_pairs(struct kernel *kernel);
/* Replaces table 0 or 1 of the pairs, which is empty and at rest, where it was too small. */
void kernel_grow_pairs(struct kernel *kernel, int table);
void kernel_free_pairs(struct kernel *kernel);

/* Sizes, targets and options, before the programs are loaded. symbols may be NULL. */
int kernel_configure(struct kernel *kernel, const struct kernel_symbols *symbols, struct why *why);
/* A barrier behind which no CPU has rows that are not in the tables; those that it had are in this
 * one. */
int kernel_let_go(struct kernel *kernel, int table);
/* Where attaching to perf events failed, and why. */
struct perf_failure {
	int cpu;
	int error;
};

/* To a perf event of its own for each CPU that is online. 0, -EPERM or -ENOTSUP. */
int kernel_attach_perf(struct kernel *kernel, struct bpf_program *program,
	struct perf_event_attr *attr, uint64_t cookie, struct perf_failure *ret);
/* How full the active table of events is, 0 to 1. */
double kernel_events_fill(const struct kernel *kernel);
/* What kernel_unwind_areas() has mapped. */
void kernel_unmap_areas(struct kernel *kernel);

#endif
