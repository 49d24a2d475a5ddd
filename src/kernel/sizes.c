// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Shares of the memory: 1/4 for the tables of sums, 1/16 for the coarse ones, 1/16 for the ring and
 * 1/32 for the seen stacks. With chains, waits have tables of their own: 1/4, and 1/8 for the other
 * sums; 1/16 is for what threads remember. For user stacks 1/8 for rows, 1/64 each for page words
 * and mappings and at most 1/32 for processes. 1/64 is for what threads wait for. Events, if any
 * are asked for, have 1/16 for their rows, 1/32 for their ring and 1/64 for their seen stacks;
 * blocks of memory that are followed 1/8, which is taken as they come. Calls have 1/32 for their
 * rows, 1/16 for those of what slow ones waited for, and up to 1/16 for what threads keep of them.
 * Lessons of kernel stacks have 1/64 for their ring, 1 MiB at most. The tables of sums are
 * preallocated, which costs CPU time (0.5 s for 160 MiB), and at half full they are flipped within
 * 50 ms: a quarter is ample. The rest is for what threads take in task storage.
 *
 * Rows are made by switches, so how many there can be until the next flip follows from the CPUs
 * that the target's threads can be on at once: 160,000 new rows a second on each fill the tables of
 * the beginning. Such rates were never seen; and tables that were half full when they were flipped
 * are made four times as large. What finds no room before is a counted loss of detail (--memory).
 */
#include "kernel/sizes.h"

#include <stddef.h>

#include "contract/contract.h"
#include "contract/frames.h"
#include "contract/unwind.h"

/*
 * A preallocated hash entry: the kernel's head (48 bytes), key and value; a bucket of 16 bytes for
 * each entry rounded up to a power of two, so up to 32.
 */
#define ROW_BYTES (48 + sizeof(struct sum_key) + sizeof(struct sum) + 32)
#define WAIT_BYTES(value_bytes) (48 + sizeof(struct sum_key) + (value_bytes) + 32)
#define EVENT_BYTES (48 + sizeof(struct event_key) + sizeof(struct event_sum) + 32)
/* An entry of a hash that allocates them one by one, with its bucket. */
#define PROCESS_BYTES (64 + 32)
#define ALLOCATION_BYTES (64 + sizeof(struct allocation_key) + sizeof(struct allocation) + 32)
#define CALL_BYTES (48 + sizeof(struct call_key) + sizeof(struct call_sum) + 32)
#define SLOW_BYTES(value_bytes) (48 + sizeof(struct slow_key) + (value_bytes) + 32)
#define MIN_PROCESSES 1024
#define MAX_PROCESSES 65536
#define MAX_PASTS 65536
#define MIN_RING_BYTES (256 << 10)
#define MAX_RING_BYTES (1u << 28)
/* A lesson has up to 18 KiB. */
#define MIN_LESSON_BYTES (128u << 10)
#define MAX_LESSON_BYTES (1u << 20)
/* To begin with, for each CPU that is in use; of a few processes, of anybody. */
#define FEW_ROWS 8192
#define FEW_WAITS 4096
#define FEW_RING_BYTES (2u << 20)
#define MANY_ROWS 16384
#define MANY_RING_BYTES (4u << 20)
/* And whatever is in use. */
#define FEW_SEEN (128u << 10)
#define MANY_SEEN (512u << 10)
#define FEW_PROCESSES 8192
/* Wakers of a few threads remember their waits, too, and places are found by chance. */
#define PASTS_PER_THREAD 16
#define FEW_PASTS 1024
/* A CPU gathers up to 256 rows, and all CPUs may put theirs into a table at once. */
#define ROWS_PER_CPU 512
#define FEW_ROW_CHUNKS 4
#define MANY_ROW_CHUNKS 32
#define FEW_OTHER_CHUNKS 1
#define MANY_OTHER_CHUNKS 4

static uint32_t power_of_two_below(uint64_t limit)
{
	uint64_t power = 1;

	while (power * 2 <= limit && power < 1ULL << 31)
		power *= 2;
	return (uint32_t)power;
}

static uint32_t chunks_in(uint64_t bytes, uint64_t most)
{
	uint64_t chunks = bytes / UNWIND_CHUNK_BYTES;

	return chunks < 1 ? 1 : chunks > most ? (uint32_t)most : (uint32_t)chunks;
}

static uint32_t rows_in(uint64_t bytes, uint64_t row_bytes)
{
	uint64_t rows = bytes / row_bytes;

	return rows < 1024 ? 1024 : rows > 1u << 26 ? 1u << 26 : (uint32_t)rows;
}

struct table_sizes sizes_of_memory(uint64_t bytes, uint32_t depth, bool has_events)
{
	struct table_sizes sizes = {
		.rows = rows_in(bytes / (depth ? 8 : 4) / 2, ROW_BYTES),
		.coarse_rows = rows_in(bytes / 16 / 2, ROW_BYTES),
		.ring_bytes = power_of_two_below(bytes / 16),
		.seen = power_of_two_below(bytes / 32 / sizeof(uint64_t)),
		.lesson_ring_bytes = power_of_two_below(bytes / 64),
		.awaited_bytes = CONTRACT_AWAITED_PAIRS_BYTES,
	};

	if (depth) {
		sizes.wait_bytes = (uint32_t)(offsetof(struct wait_sum, shares) +
					      (depth + 1) * sizeof(struct share));
		sizes.wait_rows = rows_in(bytes / 4 / 2, WAIT_BYTES(sizes.wait_bytes));
		sizes.pasts = power_of_two_below(bytes / 16 / CONTRACT_PAST_BYTES);
		if (sizes.pasts > MAX_PASTS)
			sizes.pasts = MAX_PASTS;
	}
	if (has_events) {
		sizes.event_rows = rows_in(bytes / 16 / 2, EVENT_BYTES);
		sizes.event_ring_bytes = power_of_two_below(bytes / 32);
		sizes.event_seen = power_of_two_below(bytes / 64 / sizeof(uint64_t));
	}
	if (sizes.lesson_ring_bytes < MIN_LESSON_BYTES)
		sizes.lesson_ring_bytes = MIN_LESSON_BYTES;
	if (sizes.lesson_ring_bytes > MAX_LESSON_BYTES)
		sizes.lesson_ring_bytes = MAX_LESSON_BYTES;
	if (sizes.event_ring_bytes > MAX_RING_BYTES)
		sizes.event_ring_bytes = MAX_RING_BYTES;
	if (sizes.ring_bytes < MIN_RING_BYTES)
		sizes.ring_bytes = MIN_RING_BYTES;
	if (sizes.ring_bytes > MAX_RING_BYTES)
		sizes.ring_bytes = MAX_RING_BYTES;
	/* Numbers of rows and mappings are 32 bits wide. */
	sizes.unwind_row_chunks = chunks_in(bytes / 8, UINT32_MAX / UNWIND_CHUNK_WORDS);
	sizes.unwind_page_chunks = chunks_in(bytes / 64, UINT32_MAX / UNWIND_CHUNK_WORDS);
	sizes.unwind_vma_chunks = chunks_in(bytes / 64, UINT32_MAX / UNWIND_CHUNK_VMAS);
	uint64_t processes = bytes / 32 / PROCESS_BYTES;
	sizes.unwind_processes = processes < MIN_PROCESSES   ? MIN_PROCESSES
				 : processes > MAX_PROCESSES ? MAX_PROCESSES
							     : (uint32_t)processes;
	return sizes;
}

static uint32_t least_of(uint64_t a, uint64_t b)
{
	return (uint32_t)(a < b ? a : b);
}

static uint64_t largest_of(uint64_t a, uint64_t b)
{
	return a > b ? a : b;
}

struct table_sizes sizes_to_begin(const struct table_sizes *most, const struct sizes_target *target)
{
	bool is_few = target->threads;
	/* A thread may start others before it is looked at again. */
	uint64_t busy = largest_of(
		2, is_few ? least_of(target->cpus, 2ULL * target->threads) : target->cpus);
	uint64_t rows = largest_of(
		busy * (is_few ? FEW_ROWS : MANY_ROWS), (uint64_t)target->cpus * ROWS_PER_CPU);
	uint64_t waits = busy * (is_few ? FEW_WAITS : MANY_ROWS);
	struct table_sizes sizes = *most;

	sizes.rows = least_of(rows, most->rows);
	sizes.coarse_rows = least_of(rows / 2, most->coarse_rows);
	sizes.wait_rows = least_of(waits, most->wait_rows);
	sizes.ring_bytes = power_of_two_below(
		least_of(busy * (is_few ? FEW_RING_BYTES : MANY_RING_BYTES), most->ring_bytes));
	sizes.seen = least_of(is_few ? FEW_SEEN : MANY_SEEN, most->seen);
	if (is_few) {
		uint64_t pasts =
			largest_of(FEW_PASTS, (uint64_t)PASTS_PER_THREAD * target->threads);
		sizes.pasts = most->pasts ? power_of_two_below(least_of(pasts, most->pasts)) : 0;
		sizes.unwind_processes = least_of(FEW_PROCESSES, most->unwind_processes);
	}
	sizes.unwind_row_chunks =
		least_of(is_few ? FEW_ROW_CHUNKS : MANY_ROW_CHUNKS, most->unwind_row_chunks);
	uint32_t others = is_few ? FEW_OTHER_CHUNKS : MANY_OTHER_CHUNKS;
	sizes.unwind_page_chunks = least_of(others, most->unwind_page_chunks);
	sizes.unwind_vma_chunks = least_of(others, most->unwind_vma_chunks);
	return sizes;
}

void sizes_add_allocations(struct table_sizes *sizes, uint64_t bytes)
{
	sizes->allocations = rows_in(bytes / 8, ALLOCATION_BYTES);
}

/* A few threads may soon be more. */
#define CALL_BOOKS_PER_THREAD 8
#define FEW_CALL_BOOKS 128

void sizes_add_calls(struct table_sizes *sizes, uint64_t bytes, uint32_t depth, uint32_t threads)
{
	uint64_t books = bytes / 16 / CONTRACT_CALL_BOOKS_BYTES;
	uint64_t needed = largest_of(FEW_CALL_BOOKS, (uint64_t)CALL_BOOKS_PER_THREAD * threads);

	sizes->call_rows = rows_in(bytes / 32 / 2, CALL_BYTES);
	sizes->slow_bytes =
		(uint32_t)(offsetof(struct slow_sum, shares) + (depth + 1) * sizeof(struct share));
	sizes->slow_rows = rows_in(bytes / 16 / 2, SLOW_BYTES(sizes->slow_bytes));
	sizes->call_books = power_of_two_below(threads ? least_of(needed, books) : books);
	if (!sizes->call_books)
		sizes->call_books = 1;
}

void sizes_drop_awaited(struct table_sizes *sizes)
{
	sizes->awaited_bytes = 0;
}

void sizes_drop_unwinding(struct table_sizes *sizes)
{
	sizes->unwind_row_chunks = sizes->unwind_page_chunks = sizes->unwind_vma_chunks = 0;
	sizes->unwind_processes = 0;
}

uint64_t sizes_bytes(const struct table_sizes *sizes)
{
	return 2ULL * (sizes->rows + sizes->coarse_rows) * ROW_BYTES +
	       2ULL * sizes->wait_rows * WAIT_BYTES(sizes->wait_bytes) +
	       2ULL * sizes->event_rows * EVENT_BYTES + sizes->event_ring_bytes +
	       (uint64_t)sizes->event_seen * sizeof(uint64_t) +
	       2ULL * sizes->call_rows * CALL_BYTES +
	       2ULL * sizes->slow_rows * SLOW_BYTES(sizes->slow_bytes) +
	       (uint64_t)sizes->call_books * CONTRACT_CALL_BOOKS_BYTES +
	       (uint64_t)sizes->allocations * ALLOCATION_BYTES + sizes->lesson_ring_bytes +
	       (sizes->lesson_ring_bytes ? sizeof(struct frame_table) : 0) + sizes->awaited_bytes +
	       (uint64_t)sizes->pasts * CONTRACT_PAST_BYTES + sizes->ring_bytes +
	       (uint64_t)sizes->seen * sizeof(uint64_t) +
	       ((uint64_t)sizes->unwind_row_chunks + sizes->unwind_page_chunks +
		       sizes->unwind_vma_chunks) *
		       UNWIND_CHUNK_BYTES +
	       (uint64_t)sizes->unwind_processes * PROCESS_BYTES +
	       (sizes->unwind_processes ? UNWIND_MAX_RULES * sizeof(struct unwind_rule) +
						  sizeof(struct step_table)
					: 0);
}
