/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * How --memory is shared out among the kernel side's tables, and how much of that a recording
 * begins with. Tables of rows and those of user stacks grow from there when they are filled; what
 * cannot grow gets what its target is expected to need.
 */
#ifndef DWELL_KERNEL_SIZES_H
#define DWELL_KERNEL_SIZES_H

#include <stdbool.h>
#include <stdint.h>

struct table_sizes {
	uint32_t rows;       /* in each of the two tables of sums */
	uint32_t wait_rows;  /* in each of the two tables of waits with chains; 0: none */
	uint32_t wait_bytes; /* of such a row's value */
	uint32_t pasts;      /* threads that remember their last waits, a power of two; 0: none */
	uint32_t awaited_bytes; /* to tell few awaited things from many; 0: none are noted */
	uint32_t coarse_rows;   /* in each of the two tables that take over when those are full */
	uint32_t event_rows;    /* in each of the two tables of events; 0: none, as the two below */
	uint32_t event_ring_bytes; /* a power of two */
	uint32_t event_seen;       /* a power of two */
	uint32_t call_rows;   /* in each of the two tables of calls; 0: none, as the three below */
	uint32_t slow_rows;   /* in each of the two of what slow ones waited for */
	uint32_t slow_bytes;  /* of such a row's value */
	uint32_t call_books;  /* threads that are in calls at once; a power of two */
	uint32_t allocations; /* blocks of memory that are followed; 0: none */
	uint32_t ring_bytes;  /* a power of two */
	uint32_t seen;        /* a power of two */
	uint32_t lesson_ring_bytes; /* a power of two; 0: kernel stacks are the unwinder's */
	/* For user stacks; chunks as in contract/unwind.h. */
	uint32_t unwind_row_chunks;
	uint32_t unwind_page_chunks;
	uint32_t unwind_vma_chunks;
	uint32_t unwind_processes;
};

struct sizes_target {
	uint32_t cpus;
	uint32_t threads; /* that some processes have; 0: anybody may be recorded */
};

/* Sizes that together take at most that much; depth: hops of a chain, 0: no chains. */
struct table_sizes sizes_of_memory(uint64_t bytes, uint32_t depth, bool has_events);
/* With a table of blocks of memory. */
void sizes_add_allocations(struct table_sizes *sizes, uint64_t bytes);
/* With tables of calls; threads: that are recorded, 0: anybody. */
void sizes_add_calls(struct table_sizes *sizes, uint64_t bytes, uint32_t depth, uint32_t threads);
/* Without those for what threads wait for. */
void sizes_drop_awaited(struct table_sizes *sizes);
/* What a recording of that target begins with, none of it larger than the most. */
struct table_sizes sizes_to_begin(
	const struct table_sizes *most, const struct sizes_target *target);
/* Without tables for user stacks. */
void sizes_drop_unwinding(struct table_sizes *sizes);
/* What they take. */
uint64_t sizes_bytes(const struct table_sizes *sizes);

#endif
