// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The last step: numbers that readers can rely on. Nodes are numbered from the root down, each with
 * all that is below it before its next sibling, so everything below a node is a range of numbers,
 * and what is sorted by node has each subtree in one piece. Nodes that only folded keys had are
 * left out.
 */
#include <string.h>

#include "profile/cube/cube_parts.h"

#define UNUSED UINT32_MAX

/* By node: is it, or one below it, where a stack of a table or a waker's ends? */
static void mark_used(const struct cube *cube, uint32_t *sizes)
{
	const struct tree *tree = &cube->tree;

	sizes[TREE_ROOT] = 1;
	vec_each (key, &cube->time.keys)
		sizes[key->node] = 1;
	vec_each (measure, &cube->measures) {
		vec_each (key, &measure->events.keys)
			sizes[key->node] = 1;
	}
	vec_each (hop, &cube->hops)
		sizes[hop->node] = 1;
	for (size_t node = tree->nodes.count; node-- > 1;)
		if (sizes[node])
			sizes[tree->nodes.at[node].parent] = 1;
}

/* By node its new number, or UNUSED. `sizes` says which are used, and is spent. */
static void number_nodes(const struct tree *tree, uint32_t *sizes, uint32_t *numbers)
{
	size_t count = tree->nodes.count;

	for (size_t node = count; node-- > 1;)
		if (sizes[node])
			sizes[tree->nodes.at[node].parent] += sizes[node];
	/* From here on `sizes` of a node that has its number is where its next child goes. */
	numbers[TREE_ROOT] = TREE_ROOT;
	sizes[TREE_ROOT] = TREE_ROOT + 1;
	for (size_t node = 1; node < count; node++) {
		uint32_t size = sizes[node], *next = &sizes[tree->nodes.at[node].parent];
		numbers[node] = size ? *next : UNUSED;
		if (!size)
			continue;
		*next += size;
		sizes[node] = numbers[node] + 1;
	}
}

static void move_nodes(struct tree *tree, const uint32_t *numbers)
{
	__typeof__(tree->nodes) moved = {0};
	size_t used = 0;

	for (size_t node = 0; node < tree->nodes.count; node++)
		used += numbers[node] != UNUSED;
	vec_append(&moved, tree->nodes.at, used);
	for (size_t node = 0; node < tree->nodes.count; node++) {
		struct tree_node *to;
		if (numbers[node] == UNUSED)
			continue;
		to = &moved.at[numbers[node]];
		*to = tree->nodes.at[node];
		to->parent = numbers[to->parent];
	}
	/* Children are found by their old numbers: nobody may look for one any more. */
	tree_children_clear(&tree->children);
	vec_clear(&tree->nodes);
	tree->nodes = moved;
}

void cube_order(struct cube *cube)
{
	size_t count = cube->tree.nodes.count;
	_cleanup_free_ uint32_t *sizes = xcalloc(count, sizeof(*sizes));
	_cleanup_free_ uint32_t *numbers = xcalloc(count, sizeof(*numbers));

	cube_drop_empty(&cube->time);
	vec_each (measure, &cube->measures)
		cube_drop_empty(&measure->events);
	mark_used(cube, sizes);
	number_nodes(&cube->tree, sizes, numbers);
	move_nodes(&cube->tree, numbers);
	vec_each (hop, &cube->hops)
		hop->node = numbers[hop->node];
	vec_each (key, &cube->time.keys)
		key->node = numbers[key->node];
	cube_sort_keys(&cube->time);
	vec_each (measure, &cube->measures) {
		vec_each (key, &measure->events.keys)
			key->node = numbers[key->node];
		cube_sort_keys(&measure->events);
	}
	cube_order_shares(cube);
}
