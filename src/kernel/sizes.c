// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Shares of the memory: 1/4 for the tables of sums, 1/16 for the coarse ones, 1/16 for the ring and
 * 1/32 for the seen stacks. With chains, waits have tables of their own: 1/4, and 1/8 for the other
 * sums; 1/16 is for what threads remember. For user stacks 1/8 for rows, 1/64 each for page words
 * and mappings and at most 1/32 for processes. Events, if any are asked for,
 * have 1/16 for their rows, 1/32 for their ring and 1/64 for their seen stacks. Lessons of kernel
 * stacks have 1/64 for their ring, 1 MiB at most. The tables
 * of sums are preallocated, which costs CPU time before the window opens (0.5 s for 160 MiB), and
 * at half full they are flipped within 50 ms: a quarter is ample. The rest is for what threads take
 * in task storage.
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
#define BLOCK_BYTES 4096
#define MIN_PROCESSES 1024
#define MAX_PROCESSES 65536
#define MAX_PASTS 65536
#define MIN_RING_BYTES (256 << 10)
#define MAX_RING_BYTES (1u << 28)
/* A lesson has up to 18 KiB. */
#define MIN_LESSON_BYTES (128u << 10)
#define MAX_LESSON_BYTES (1u << 20)

static uint32_t power_of_two_below(uint64_t limit)
{
	uint64_t power = 1;

	while (power * 2 <= limit && power < 1ULL << 31)
		power *= 2;
	return (uint32_t)power;
}

static uint32_t blocks_in(uint64_t bytes, uint64_t most)
{
	uint64_t blocks = bytes / BLOCK_BYTES;

	return blocks < 1 ? 1 : blocks > most ? (uint32_t)most : (uint32_t)blocks;
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
	sizes.unwind_row_blocks = blocks_in(bytes / 8, UINT32_MAX / UNWIND_BLOCK_WORDS);
	sizes.unwind_page_blocks = blocks_in(bytes / 64, UINT32_MAX / UNWIND_BLOCK_WORDS);
	sizes.unwind_vma_blocks = blocks_in(bytes / 64, UINT32_MAX / UNWIND_BLOCK_VMAS);
	uint64_t processes = bytes / 32 / PROCESS_BYTES;
	sizes.unwind_processes = processes < MIN_PROCESSES   ? MIN_PROCESSES
				 : processes > MAX_PROCESSES ? MAX_PROCESSES
							     : (uint32_t)processes;
	return sizes;
}

void sizes_drop_unwinding(struct table_sizes *sizes)
{
	sizes->unwind_row_blocks = sizes->unwind_page_blocks = sizes->unwind_vma_blocks = 0;
	sizes->unwind_processes = 0;
}

uint64_t sizes_bytes(const struct table_sizes *sizes)
{
	return 2ULL * (sizes->rows + sizes->coarse_rows) * ROW_BYTES +
	       2ULL * sizes->wait_rows * WAIT_BYTES(sizes->wait_bytes) +
	       2ULL * sizes->event_rows * EVENT_BYTES + sizes->event_ring_bytes +
	       (uint64_t)sizes->event_seen * sizeof(uint64_t) + sizes->lesson_ring_bytes +
	       (sizes->lesson_ring_bytes ? sizeof(struct frame_table) : 0) +
	       (uint64_t)sizes->pasts * CONTRACT_PAST_BYTES + sizes->ring_bytes +
	       (uint64_t)sizes->seen * sizeof(uint64_t) +
	       ((uint64_t)sizes->unwind_row_blocks + sizes->unwind_page_blocks +
		       sizes->unwind_vma_blocks) *
		       BLOCK_BYTES +
	       (uint64_t)sizes->unwind_processes * PROCESS_BYTES +
	       (sizes->unwind_processes ? UNWIND_MAX_RULES * sizeof(struct unwind_rule) +
						  sizeof(struct step_table)
					: 0);
}
