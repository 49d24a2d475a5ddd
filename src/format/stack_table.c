// SPDX-License-Identifier: GPL-2.0-or-later
/* Stacks are runs in one vector of frame numbers, found by the hash of the run. */
#include "format/stack_table.h"

#include <string.h>

#include "util/hash.h"

uint32_t stack_table_frame(
	struct stack_table *table, const char *source, size_t length, bool *is_new)
{
	uint32_t number = intern_bytes(&table->sources, source, length);

	*is_new = number >= table->frames.count || !table->frames.count;
	while (number >= table->frames.count)
		vec_push(&table->frames, ((struct table_frame){0}));
	return number;
}

static bool is_same(
	const struct stack_table *table, uint64_t number, const uint32_t *frames, size_t depth)
{
	const struct table_stack *stack = &table->stacks.at[number];

	return stack->depth == depth &&
	       !memcmp(table->frame_numbers.at + stack->start, frames, depth * sizeof(*frames));
}

uint32_t stack_table_stack(struct stack_table *table, const uint32_t *frames, size_t depth)
{
	if (!table->stacks.count)
		vec_push(&table->stacks, ((struct table_stack){0}));
	if (!depth)
		return 0;
	for (uint64_t hash = hash_bytes(0, frames, depth * sizeof(*frames));; hash++) {
		uint64_t *number = map64_put(&table->by_hash, hash, NULL);
		if (!*number) {
			struct table_stack stack = {table->frame_numbers.count, (uint32_t)depth};
			vec_append(&table->frame_numbers, frames, depth);
			*number = table->stacks.count;
			vec_push(&table->stacks, stack);
			return (uint32_t)*number;
		}
		if (is_same(table, *number, frames, depth))
			return (uint32_t)*number;
	}
}

const uint32_t *stack_table_frames(
	const struct stack_table *table, uint32_t stack, size_t *ret_depth)
{
	if (stack >= table->stacks.count) {
		*ret_depth = 0;
		return NULL;
	}
	*ret_depth = table->stacks.at[stack].depth;
	return table->frame_numbers.at + table->stacks.at[stack].start;
}

void stack_table_clear(struct stack_table *table)
{
	intern_clear(&table->texts);
	intern_clear(&table->sources);
	vec_clear(&table->frames);
	vec_clear(&table->frame_numbers);
	vec_clear(&table->stacks);
	map64_clear(&table->by_hash);
}
