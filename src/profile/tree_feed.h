/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Many stacks into one tree, fast: a few of them wait while the places where their nodes are looked
 * up come from memory. Each one lands, in the order of adding, with the next ones or at the end.
 */
#ifndef DWELL_PROFILE_TREE_FEED_H
#define DWELL_PROFILE_TREE_FEED_H

#include "profile/tree.h"

#define TREE_FEED_STACKS 24

/* What a stack carries for whoever takes it when it lands. */
struct tree_load {
	uint64_t first;
	uint64_t second;
	uint64_t third;
};

struct tree_waiting {
	size_t shared;
	size_t steps;
	struct tree_load load;
};

struct tree_feed {
	struct tree *tree;
	void (*land)(uint32_t node, const struct tree_load *load, void *context);
	void *context;
	VEC(uint32_t) path;          /* nodes of the stack that landed last */
	VEC(uint32_t) path_hashes;   /* of the stack that was added last, by depth */
	VEC(struct tree_step) steps; /* of those that wait, one behind the other */
	VEC(uint32_t) hashes;        /* of the steps */
	struct tree_waiting waiting[TREE_FEED_STACKS];
	size_t waiting_count;
};

/* `land` is called with the node in which the stack ends. Borrows the tree. */
void tree_feed_init(struct tree_feed *feed, struct tree *tree,
	void (*land)(uint32_t node, const struct tree_load *load, void *context), void *context);
/* A stack: its first `shared` frames are those of the stack added before, then come the steps, of
 * which there are none only if the stack is a part of that one. */
void tree_feed_add(struct tree_feed *feed, size_t shared, const struct tree_step *steps,
	size_t count, const struct tree_load *load);
/* Lets all land that wait. */
void tree_feed_finish(struct tree_feed *feed);
void tree_feed_clear(struct tree_feed *feed);

#endif
