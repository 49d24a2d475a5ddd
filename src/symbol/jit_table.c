// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Two sorted arrays of pieces that do not overlap: a large settled one and a small one of recent
 * additions, which is looked into first. A file that grows all the time then costs a sort of what
 * is new; only when that is a quarter of the whole, everything is sorted together. Overlaps are
 * removed by a sweep over the starts, with the functions around the sweep's address in a heap that
 * has the latest on top.
 */
#include "symbol/jit_table.h"

#include <string.h>

#define FEW_RECENT 1024

typedef VEC(struct jit_piece) pieces;

static int compare_pieces(const void *left, const void *right)
{
	const struct jit_piece *a = left, *b = right;

	if (a->start != b->start)
		return a->start < b->start ? -1 : 1;
	return (a->order > b->order) - (a->order < b->order);
}

static void heap_push(pieces *heap, struct jit_piece piece)
{
	size_t at = heap->count;

	vec_push(heap, piece);
	for (; at && heap->at[(at - 1) / 2].order < piece.order; at = (at - 1) / 2)
		heap->at[at] = heap->at[(at - 1) / 2];
	heap->at[at] = piece;
}

static void heap_pop(pieces *heap)
{
	struct jit_piece last = heap->at[--heap->count];
	size_t at = 0;

	for (;;) {
		size_t child = 2 * at + 1;
		if (child + 1 < heap->count && heap->at[child].order < heap->at[child + 1].order)
			child++;
		if (child >= heap->count || heap->at[child].order <= last.order)
			break;
		heap->at[at] = heap->at[child];
		at = child;
	}
	if (heap->count)
		heap->at[at] = last;
}

static void emit(pieces *flat, const struct jit_piece *top, uint64_t start, uint64_t end)
{
	struct jit_piece *last = flat->count ? &flat->at[flat->count - 1] : NULL;

	if (last && last->order == top->order && last->end == start) {
		last->end = end;
		return;
	}
	struct jit_piece piece = *top;
	piece.start = start;
	piece.end = end;
	vec_push(flat, piece);
}

/* The pieces of sorted functions that are left when later ones cover earlier ones. */
static void sweep(const struct jit_piece *from, size_t count, pieces *flat)
{
	pieces heap = {0};
	uint64_t at = 0;

	for (size_t next = 0; next < count || heap.count;) {
		if (!heap.count && from[next].start > at)
			at = from[next].start;
		while (next < count && from[next].start <= at)
			heap_push(&heap, from[next++]);
		while (heap.count && heap.at[0].end <= at)
			heap_pop(&heap);
		if (!heap.count)
			continue;
		uint64_t end = heap.at[0].end;
		if (next < count && from[next].start < end)
			end = from[next].start;
		emit(flat, &heap.at[0], at, end);
		at = end;
	}
	vec_clear(&heap);
}

static void tidy(struct jit_table *table)
{
	bool is_much = table->recent.count > table->settled.count / 4 + FEW_RECENT;
	pieces flat = {0};

	table->is_dirty = false;
	if (is_much) {
		vec_append(&table->settled, table->recent.at, table->recent.count);
		table->recent.count = 0;
		vec_sort(&table->settled, compare_pieces);
		sweep(table->settled.at, table->settled.count, &flat);
		vec_clear(&table->settled);
		table->settled.at = flat.at;
		table->settled.count = flat.count;
		table->settled.room = flat.room;
		return;
	}
	vec_sort(&table->recent, compare_pieces);
	sweep(table->recent.at, table->recent.count, &flat);
	table->recent.count = 0;
	vec_append(&table->recent, flat.at, flat.count);
	vec_clear(&flat);
}

void jit_table_add(
	struct jit_table *table, uint64_t start, uint64_t end, const char *name, size_t name_bytes)
{
	struct jit_piece piece = {start, end, start, (uint32_t)table->names.count, table->added++};

	vec_append(&table->names, name, name_bytes);
	vec_push(&table->names, '\0');
	vec_push(&table->recent, piece);
	table->is_dirty = true;
}

static const struct jit_piece *find_in(const struct jit_piece *from, size_t count, uint64_t address)
{
	size_t low = 0, high = count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;
		if (from[middle].start <= address)
			low = middle + 1;
		else
			high = middle;
	}
	return low && address < from[low - 1].end ? &from[low - 1] : NULL;
}

const char *jit_table_find(struct jit_table *table, uint64_t address, uint64_t *ret_offset)
{
	const struct jit_piece *piece;

	if (table->is_dirty)
		tidy(table);
	piece = find_in(table->recent.at, table->recent.count, address);
	if (!piece)
		piece = find_in(table->settled.at, table->settled.count, address);
	if (!piece)
		return NULL;
	*ret_offset = address - piece->origin;
	return table->names.at + piece->name;
}

void jit_table_clear(struct jit_table *table)
{
	vec_clear(&table->settled);
	vec_clear(&table->recent);
	vec_clear(&table->names);
	*table = (struct jit_table){0};
}
