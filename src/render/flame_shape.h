/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Other trees of the same stacks: cut at a base, turned round. */
#ifndef DWELL_RENDER_FLAME_SHAPE_H
#define DWELL_RENDER_FLAME_SHAPE_H

#include "profile/tree.h"

/*
 * Stacks that hold one of the names start there (at the first from the root), the others stay. The
 * new tree borrows labels and frames of the old one and has no weights; ret_places has, for each
 * node of the old one, where stacks that end there end now. The caller frees both.
 */
struct tree *flame_shape_rebase(const struct tree *tree, const char *const *bases,
	size_t base_count, uint32_t **ret_places);

/* Stacks leaf first. Only nodes that weigh something have a place. */
struct tree *flame_shape_reverse(
	const struct tree *tree, const uint64_t *weights, uint32_t **ret_places);

void flame_shape_free(struct tree *tree);

#endif
