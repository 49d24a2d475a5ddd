/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The books of the recorded threads on the user side: who they are, what rows came in for them, and
 * how their life adds up when they end. A thread is forgotten two flips after its end, when no row
 * of its can come any more, so memory follows the living threads and not the length of the
 * recording.
 */
#ifndef DWELL_CAPTURE_BOOKS_H
#define DWELL_CAPTURE_BOOKS_H

#include "kernel/drain.h"
#include "util/map64.h"
#include "capture/namer.h"

struct books;

struct books_totals {
	uint64_t threads;      /* announced so far */
	uint64_t living;       /* of them not ended */
	uint64_t waits;        /* ended waits */
	uint64_t rows;         /* intervals and samples in drained rows */
	uint64_t rows_ns;      /* their time */
	uint64_t expected_ns;  /* lives of closed threads */
	uint64_t accounted_ns; /* their exact totals */
	uint64_t worst_thread_ns;
	uint64_t lost_stacks; /* intervals whose stack never arrived */
	uint64_t lost_stacks_ns;
	uint64_t unknown; /* intervals of threads never announced */
	uint64_t unknown_ns;
	uint64_t lost_chains; /* waits whose chain never arrived */
	uint64_t lost_chains_ns;
	uint64_t unnamed;     /* waits for things whose record never arrived */
	uint64_t unspread_ns; /* of intervals without stacks, for which none of their kind stands */
	uint64_t lost_mappings; /* records of mappings that found no room */
	uint64_t events;        /* in drained rows */
	uint64_t calls;         /* likewise */
	uint64_t bare_events;   /* of them, those whose stack never arrived */
	uint64_t unclosed;      /* threads never closed (after books_close_rest) */
	uint64_t unclosed_ns;
};

/* Borrows writer and namer. depth: hops of a chain; 0: waits have none. */
struct books *books_new(
	struct recording_writer *writer, struct namer *namer, uint64_t slice_ns, uint32_t depth);
void books_free(struct books *books);

/* Numbers of the measures of memory; 0: there is none. */
struct books_measures {
	uint32_t allocated;
	uint32_t freed;
	uint32_t live;
	uint32_t leaks;
};

/* Before any batch is booked. */
void books_set_heap(struct books *books, const struct books_measures *measures);
/* What was not freed, when all threads are closed. */
void books_add_heap(struct books *books, const kernel_allocations *blocks, uint64_t end_ns);
/* Are there more of them than that? */
bool books_has_more_blocks(const struct books *books, uint64_t blocks);
/* Images of processes that ended since this was last asked: keys of the map. */
void books_find_gone(struct books *books, struct map64 *ret);
/* What these held when they ended. */
void books_add_gone(struct books *books, const kernel_allocations *blocks);
typedef void (*books_process_fn)(uint32_t image, uint32_t pid, void *context);
/* Calls for each process that lives, or of which rows may come. */
void books_each_process(struct books *books, books_process_fn each, void *context);
/* With a heap: calls for each program that a recorded process ran, by its image, with its file. */
typedef void (*books_program_fn)(uint32_t image, const char *exe, void *context);
void books_each_program(const struct books *books, books_program_fn each, void *context);
/* The window's start, before any batch is booked. */
void books_set_start(struct books *books, uint64_t start_ns);
/* Books a batch: new threads, stacks, ends, rows, open intervals as of `now_ns`. */
void books_add(struct books *books, struct batch *batch);
struct errands;

/*
 * Before books_close(): asks who has the locks that threads of the batch still wait for. What was
 * noted when they began to wait may not be so any more, and of those who waited before the
 * recording nothing was. A process that gives no answer keeps its secret.
 */
void books_ask_owners(struct books *books, struct batch *batch, struct errands *errands);
/* Books the open intervals of the living as ended by the window's end; then nobody lives. */
void books_close(struct books *books, const struct batch *batch, uint64_t end_ns);
/* Closes those whose end was lost, by what their rows hold, and counts them. */
void books_close_rest(struct books *books);
void books_totals(const struct books *books, struct books_totals *ret);

#endif
