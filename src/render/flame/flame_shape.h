/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Other trees of the same stacks: cut at a base, turned round. */
#ifndef DWELL_RENDER_FLAME_SHAPE_H
#define DWELL_RENDER_FLAME_SHAPE_H

#include "profile/tree.h"

/* A tree that borrows labels and frames of the one it is made from, and has no weights. */
struct flame_shape {
	struct tree *tree;
	uint32_t *places; /* by node of the old tree: where stacks that end there end now */
	/* By node: how many frames it stands for, those below it left out. Empty: each for itself.
	 */
	VEC(uint32_t) frames;
};

/* Stacks that hold one of the names start there (at the first from the root), the others stay. The
 * caller clears it. */
void flame_shape_rebase(const struct tree *tree, const char *const *bases, size_t base_count,
	struct flame_shape *ret);

/*
 * Stacks leaf first; only nodes that weigh something have a place. What weighs less than
 * `thin_below` is one node, in which stacks end that would go on: nobody would draw it. The caller
 * clears it.
 */
void flame_shape_reverse(const struct tree *tree, const uint64_t *weights, double thin_below,
	struct flame_shape *ret);

/* With a root and no places yet; for those who make shapes. */
void flame_shape_init(struct flame_shape *shape, const struct tree *tree);
void flame_shape_clear(struct flame_shape *shape);
/* Of a shape whose other parts were taken over. NULL is allowed. */
void flame_shape_free_tree(struct tree *tree);

#endif
