// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A node's hash follows from the frames above it alone, so the hashes of a stack are known before
 * any of its nodes is: they tell what to fetch when the stack is added, and the look-ups follow
 * when there are enough stacks to have waited for all at once.
 */
#include "profile/tree_feed.h"

#include "profile/tree_private.h"

void tree_feed_init(struct tree_feed *feed, struct tree *tree,
	void (*land)(uint32_t node, const struct tree_load *load, void *context), void *context)
{
	*feed = (struct tree_feed){.tree = tree, .land = land, .context = context};
}

static void land_one(struct tree_feed *feed, const struct tree_waiting *waiting, size_t first_step)
{
	uint32_t node = waiting->shared ? feed->path.at[waiting->shared - 1] : TREE_ROOT;

	feed->path.count = waiting->shared;
	vec_reserve(&feed->path, waiting->shared + waiting->steps);
	for (size_t i = first_step; i < first_step + waiting->steps; i++) {
		node = tree_child_hashed(feed->tree, node, feed->hashes.at[i], &feed->steps.at[i]);
		feed->path.at[feed->path.count++] = node;
	}
	feed->land(node, &waiting->load, feed->context);
}

/* The slots are there by now: they tell which nodes will be looked at. */
static void fetch_nodes(const struct tree_feed *feed)
{
	const struct tree_children *children = &feed->tree->children;

	vec_each (hash, &feed->hashes) {
		uint32_t node = children->slots[*hash & (children->room - 1)].node;
		__builtin_prefetch(&feed->tree->nodes.at[node]);
	}
}

void tree_feed_finish(struct tree_feed *feed)
{
	size_t first_step = 0;

	tree_children_reserve(&feed->tree->children, feed->steps.count);
	fetch_nodes(feed);
	for (size_t i = 0; i < feed->waiting_count; i++) {
		land_one(feed, &feed->waiting[i], first_step);
		first_step += feed->waiting[i].steps;
	}
	feed->waiting_count = feed->steps.count = feed->hashes.count = 0;
}

void tree_feed_add(struct tree_feed *feed, size_t shared, const struct tree_step *steps,
	size_t count, const struct tree_load *load)
{
	const struct tree_children *children = &feed->tree->children;
	uint32_t hash =
		shared ? feed->path_hashes.at[shared - 1] : feed->tree->nodes.at[TREE_ROOT].hash;

	feed->path_hashes.count = shared;
	vec_append(&feed->steps, steps, count);
	for (size_t i = 0; i < count; i++) {
		hash = tree_hash_below(hash, steps[i].frame);
		vec_push(&feed->path_hashes, hash);
		if (children->room)
			__builtin_prefetch(&children->slots[hash & (children->room - 1)], 1);
	}
	vec_append(&feed->hashes, feed->path_hashes.at + shared, count);
	feed->waiting[feed->waiting_count++] = (struct tree_waiting){shared, count, *load};
	if (feed->waiting_count == TREE_FEED_STACKS)
		tree_feed_finish(feed);
}

void tree_feed_clear(struct tree_feed *feed)
{
	vec_clear(&feed->path);
	vec_clear(&feed->path_hashes);
	vec_clear(&feed->steps);
	vec_clear(&feed->hashes);
}
