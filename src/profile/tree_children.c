// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Children by parent and frame: one table for the whole tree, open addressing with linear probing,
 * at most 3/4 full. A node's hash is made from all frames above it, not from its parent's number,
 * so that a whole stack's places are known before the first of them is looked up (tree_feed.c).
 */
#include "profile/tree_private.h"

#define SMALLEST_ROOM 64

/* To the first free slot from its home on. */
static void settle(struct tree_children *children, struct tree_slot *slot)
{
	struct tree_slot kept = *slot;
	size_t mask = children->room - 1, at = kept.hash & mask;

	slot->node = 0;
	while (children->slots[at].node)
		at = (at + 1) & mask;
	children->slots[at] = kept;
}

/*
 * Doubles the table where it is. A child stays where it is or near it, or moves by as much as the
 * table grew. Slots are gone through from a free one on, round to it, so whoever is settled finds
 * all before it settled, and lands before the slot it left or in the new half.
 */
static void grow(struct tree_children *children)
{
	size_t old = children->room, start = 0;
	size_t bytes = old * sizeof(*children->slots);

	children->room = old ? old * 2 : SMALLEST_ROOM;
	children->slots =
		xtable_grow(children->slots, bytes, children->room * sizeof(*children->slots));
	while (start < old && children->slots[start].node)
		start++;
	for (size_t i = 0; i < old; i++) {
		struct tree_slot *slot = &children->slots[(start + i) & (old - 1)];
		if (slot->node)
			settle(children, slot);
	}
}

void tree_children_reserve(struct tree_children *children, size_t more)
{
	while ((children->count + more) * 4 > children->room * 3)
		grow(children);
}

static uint32_t push_node(
	struct tree *tree, uint32_t parent, uint32_t hash, const struct tree_step *step)
{
	struct tree_node made = {
		.parent = parent, .frame = step->frame, .kind = step->kind, .hash = hash};

	vec_push(&tree->nodes, made);
	return (uint32_t)tree->nodes.count - 1;
}

uint32_t tree_child_hashed(
	struct tree *tree, uint32_t parent, uint32_t hash, const struct tree_step *step)
{
	struct tree_children *children = &tree->children;
	size_t mask = children->room - 1, at = hash & mask;
	struct tree_slot *slot;

	for (; (slot = &children->slots[at])->node; at = (at + 1) & mask) {
		const struct tree_node *node = &tree->nodes.at[slot->node];
		if (slot->hash == hash && node->frame == step->frame && node->parent == parent)
			return slot->node;
	}
	*slot = (struct tree_slot){hash, push_node(tree, parent, hash, step)};
	children->count++;
	return slot->node;
}

uint32_t tree_add_child(struct tree *tree, uint32_t parent, const struct tree_step *step)
{
	return push_node(
		tree, parent, tree_hash_below(tree->nodes.at[parent].hash, step->frame), step);
}

uint32_t tree_child_frame(struct tree *tree, uint32_t parent, uint32_t frame, enum frame_kind kind)
{
	struct tree_step step = {frame, kind};

	tree_children_reserve(&tree->children, 1);
	return tree_child_hashed(
		tree, parent, tree_hash_below(tree->nodes.at[parent].hash, frame), &step);
}

void tree_children_clear(struct tree_children *children)
{
	xtable_free(children->slots, children->room * sizeof(*children->slots));
	*children = (struct tree_children){0};
}
