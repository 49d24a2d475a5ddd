/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What is left of what was allocated, when the window ends: it lives, and some of it looks like a
 * leak. A site (the stack that allocates) leaks if what it holds grew in the second half of the
 * window, by more than chance makes it grow; of what it holds then, that is leaked which is older
 * than a quarter of the window. A cache that was filled early has not grown, a queue that is long
 * just now holds nothing old.
 */
#ifndef DWELL_CAPTURE_HEAP_H
#define DWELL_CAPTURE_HEAP_H

#include <stdbool.h>
#include <stdint.h>

#include "contract/event.h"
#include "kernel/memory.h"

struct heap;

struct heap *heap_new(uint64_t slice_ns);
void heap_free(struct heap *heap);

/*
 * A row of what was allocated, or was freed. `stack` is the recording's number of its user stack,
 * which is known now; when the process is gone it may not be.
 */
void heap_note(struct heap *heap, const struct event_key *key, const struct event_sum *sum,
	uint64_t stack, bool is_freed);
/* A process is gone, or what it ran (pid 0): what it held then is no leak of the window's. */
void heap_end_image(struct heap *heap, uint32_t image, uint32_t pid, uint64_t at_ns);

/* Blocks of one site, thread and slice that live, together. */
struct heap_row {
	uint32_t image;
	uint32_t thread;
	uint32_t slice;
	uint64_t stack; /* the recording's number */
	uint64_t count; /* blocks that were looked at */
	uint64_t bytes;
	uint64_t most_bytes; /* of one block */
	uint64_t events;     /* that all stand for */
	bool is_leaked;
};

typedef void (*heap_row_fn)(const struct heap_row *row, void *context);
/* Calls for each; end_ns as in heap_end_image(), start_ns that of the window. */
void heap_each(struct heap *heap, const kernel_allocations *blocks, uint64_t start_ns,
	uint64_t end_ns, heap_row_fn each, void *context);

/* How many blocks that were looked at live, by what was noted. */
uint64_t heap_living(const struct heap *heap);
/* Calls for each image that a thread has ended of; true: it lives on, and is asked for again. */
typedef bool (*heap_ended_fn)(uint32_t image, uint32_t pid, void *context);
void heap_each_ended(struct heap *heap, heap_ended_fn each, void *context);
/*
 * As heap_each(), for blocks of processes that are gone long before the window is over: they are no
 * leaks, and live no more.
 */
void heap_each_gone(
	struct heap *heap, const kernel_allocations *blocks, heap_row_fn each, void *context);

#endif
