// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Each site has its growth in at most PIECES pieces of the time so far; when the window outgrows
 * them, two become one. So memory does not grow with time, and halves of any window are known to a
 * sixteenth.
 */
#include "capture/heap.h"

#include <stdlib.h>
#include <string.h>

#include "contract/contract.h"
#include "util/map64.h"
#include "util/mem.h"
#include "util/vec.h"

#define PIECES 32
/* Further ones are no leaks. */
#define MOST_SITES (1u << 16)
/* A process that ended this part of the window before its end was not growing any more. */
#define GONE_PART 10
/* Growth has to be so many standard deviations. */
#define SIGMAS 2

struct piece {
	int64_t bytes;
	uint32_t allocated; /* samples */
	uint32_t freed;
};

struct site {
	uint64_t stack;
	struct piece pieces[PIECES];
};

/* An image that a thread has ended of, with the process as long as it is known. */
struct ended {
	uint32_t image;
	uint32_t pid; /* 0: another program has taken over */
};

struct heap {
	uint64_t slice_ns;
	uint32_t slices_each; /* in a piece */
	struct map64 known;   /* user stack -> index */
	VEC(struct site) sites;
	struct map64 threads;    /* that allocated */
	struct map64 ends;       /* image -> when it was gone */
	VEC(struct ended) ended; /* that may hold blocks */
	uint64_t allocated;      /* samples */
	uint64_t freed;
};

struct heap *heap_new(uint64_t slice_ns)
{
	struct heap *heap = xcalloc(1, sizeof(*heap));

	heap->slice_ns = slice_ns;
	heap->slices_each = 1;
	return heap;
}

void heap_free(struct heap *heap)
{
	if (!heap)
		return;
	map64_clear(&heap->known);
	map64_clear(&heap->ends);
	map64_clear(&heap->threads);
	vec_clear(&heap->sites);
	vec_clear(&heap->ended);
	free(heap);
}

static void add_piece(struct piece *to, const struct piece *from)
{
	to->bytes += from->bytes;
	to->allocated += from->allocated;
	to->freed += from->freed;
}

static void halve(struct heap *heap)
{
	vec_each (site, &heap->sites) {
		struct piece pieces[PIECES] = {{0}};
		for (size_t i = 0; i < PIECES; i++)
			add_piece(&pieces[i / 2], &site->pieces[i]);
		memcpy(site->pieces, pieces, sizeof(pieces));
	}
	heap->slices_each *= 2;
}

static struct site *site_of(struct heap *heap, uint64_t user_stack)
{
	uint64_t *index = map64_find(&heap->known, user_stack);

	if (index)
		return &heap->sites.at[*index];
	if (heap->sites.count == MOST_SITES)
		return NULL;
	*map64_put(&heap->known, user_stack, NULL) = heap->sites.count;
	vec_push(&heap->sites, ((struct site){0}));
	return &heap->sites.at[heap->sites.count - 1];
}

void heap_note(struct heap *heap, const struct event_key *key, const struct event_sum *sum,
	uint64_t stack, bool is_freed)
{
	map64_put(&heap->threads, key->thread, NULL);
	*(is_freed ? &heap->freed : &heap->allocated) += sum->count;
	while (key->slice / heap->slices_each >= PIECES)
		halve(heap);
	struct site *site = site_of(heap, key->user_stack);
	if (!site)
		return;
	if (!is_freed)
		site->stack = stack;
	struct piece piece = {.bytes = is_freed ? -(int64_t)sum->value : (int64_t)sum->value,
		.allocated = is_freed ? 0 : (uint32_t)sum->count,
		.freed = is_freed ? (uint32_t)sum->count : 0};
	add_piece(&site->pieces[key->slice / heap->slices_each], &piece);
}

void heap_end_image(struct heap *heap, uint32_t image, uint32_t pid, uint64_t at_ns)
{
	bool is_new;
	uint64_t *end = map64_put(&heap->ends, image, &is_new);

	if (is_new)
		vec_push(&heap->ended, ((struct ended){image, pid}));

	if (at_ns > *end)
		*end = at_ns;
}

/*
 * Chance: of what lives a while, as many come and go as there are, give or take the root of that;
 * and of what is sampled, give or take the root of the samples. The smaller of the two holds.
 */
static bool has_grown(const struct site *site, uint32_t middle, uint32_t pieces)
{
	struct piece before = {0}, after = {0};

	for (uint32_t i = 0; i < pieces; i++)
		add_piece(i < middle ? &before : &after, &site->pieces[i]);
	int64_t held = (int64_t)before.allocated - before.freed;
	int64_t growth = (int64_t)after.allocated - after.freed;
	if (growth <= 0 || after.bytes <= 0)
		return false;
	int64_t moved = (int64_t)after.allocated + after.freed;
	int64_t stays = (held > 0 ? 2 * held : 0) + growth;
	int64_t variance = moved < stays ? moved : stays;
	return growth * growth > SIGMAS * SIGMAS * variance;
}

/* A row with what it is known by. */
struct heap_entry {
	struct heap_row row;
	uint64_t user_stack;
	uint32_t next; /* of the same hash, + 1 */
};

struct heap_sum {
	struct heap *heap;
	struct map64 grown; /* user stack -> 1 or 0 */
	struct map64 known; /* hash of a row's key -> index + 1 of the last one that has it */
	VEC(struct heap_entry) entries;
	uint64_t start_ns;
	uint64_t end_ns;
};

static bool is_leaky(struct heap_sum *sum, uint64_t user_stack)
{
	bool is_new;
	uint64_t *answer = map64_put(&sum->grown, user_stack, &is_new);

	if (is_new) {
		const uint64_t *index = map64_find(&sum->heap->known, user_stack);
		uint64_t slices = (sum->end_ns - sum->start_ns) / sum->heap->slice_ns + 1;
		uint32_t pieces =
			(uint32_t)((slices + sum->heap->slices_each - 1) / sum->heap->slices_each);
		if (pieces > PIECES)
			pieces = PIECES;
		*answer = index && pieces > 1 &&
			  has_grown(&sum->heap->sites.at[*index], pieces / 2, pieces);
	}
	return *answer;
}

static bool was_gone(const struct heap_sum *sum, uint32_t image)
{
	const uint64_t *end = map64_find(&sum->heap->ends, image);

	return end && *end + (sum->end_ns - sum->start_ns) / GONE_PART < sum->end_ns;
}

static bool is_old(const struct heap_sum *sum, uint32_t slice)
{
	uint64_t from_ns = (slice + 1) * sum->heap->slice_ns;

	return from_ns <= (sum->end_ns - sum->start_ns) / 4 * 3;
}

static bool is_same(const struct heap_entry *entry, const struct kernel_allocation *block)
{
	return entry->row.image == block->key.image && entry->row.thread == block->block.thread &&
	       entry->row.slice == block->block.slice &&
	       entry->user_stack == block->block.user_stack;
}

static struct heap_row *row_of(struct heap_sum *sum, const struct kernel_allocation *block)
{
	uint64_t user_stack = block->block.user_stack;
	uint64_t hash = user_stack ^ (uint64_t)block->block.slice << 40 ^
			(uint64_t)block->block.thread << 20 ^ block->key.image;
	uint64_t *last = map64_put(&sum->known, hash, NULL);

	for (uint32_t at = (uint32_t)*last; at; at = sum->entries.at[at - 1].next)
		if (is_same(&sum->entries.at[at - 1], block))
			return &sum->entries.at[at - 1].row;
	const uint64_t *site = map64_find(&sum->heap->known, user_stack);
	struct heap_entry entry = {
		.row = {.image = block->key.image,
			.thread = block->block.thread,
			.slice = block->block.slice,
			.stack = site ? sum->heap->sites.at[*site].stack : STACK_LOST,
			.is_leaked = is_old(sum, block->block.slice) &&
				     !was_gone(sum, block->key.image) && is_leaky(sum, user_stack)},
		.user_stack = user_stack,
		.next = (uint32_t)*last};
	vec_push(&sum->entries, entry);
	*last = sum->entries.count;
	return &sum->entries.at[sum->entries.count - 1].row;
}

static void add_blocks(struct heap_sum *sum, const kernel_allocations *blocks)
{
	vec_each (block, blocks) {
		/* Its thread is in the recording only if a row of it came. */
		if (!map64_find(&sum->heap->threads, block->block.thread))
			continue;
		uint64_t one = block->block.bytes / (block->block.events ? block->block.events : 1);
		struct heap_row *row = row_of(sum, block);
		row->count++;
		row->bytes += block->block.bytes;
		row->events += block->block.events;
		if (one > row->most_bytes)
			row->most_bytes = one;
	}
}

static void hand_out(struct heap_sum *sum, heap_row_fn each, void *context)
{
	vec_each (entry, &sum->entries)
		each(&entry->row, context);
	map64_clear(&sum->grown);
	map64_clear(&sum->known);
	vec_clear(&sum->entries);
}

void heap_each(struct heap *heap, const kernel_allocations *blocks, uint64_t start_ns,
	uint64_t end_ns, heap_row_fn each, void *context)
{
	struct heap_sum sum = {.heap = heap, .start_ns = start_ns, .end_ns = end_ns};

	add_blocks(&sum, blocks);
	hand_out(&sum, each, context);
}

uint64_t heap_living(const struct heap *heap)
{
	return heap->allocated > heap->freed ? heap->allocated - heap->freed : 0;
}

void heap_each_ended(struct heap *heap, heap_ended_fn each, void *context)
{
	size_t kept = 0;

	for (size_t i = 0; i < heap->ended.count; i++)
		if (each(heap->ended.at[i].image, heap->ended.at[i].pid, context))
			heap->ended.at[kept++] = heap->ended.at[i];
	heap->ended.count = kept;
}

/* A window without length: nothing in it is old. */
void heap_each_gone(
	struct heap *heap, const kernel_allocations *blocks, heap_row_fn each, void *context)
{
	struct heap_sum sum = {.heap = heap};

	add_blocks(&sum, blocks);
	heap->freed += blocks->count;
	hand_out(&sum, each, context);
}
