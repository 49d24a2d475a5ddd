/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The table of children, for those in src/profile/ who go through many stacks. */
#ifndef DWELL_PROFILE_TREE_PRIVATE_H
#define DWELL_PROFILE_TREE_PRIVATE_H

#include "profile/tree.h"

/* The hash of the node with that frame below one with that hash. */
static inline uint32_t tree_hash_below(uint32_t hash, uint32_t frame)
{
	uint64_t word = ((uint64_t)hash << 32 | frame) * 0x9fb21c651e98df25ULL;

	word = (word ^ word >> 32) * 0xd6e8feb86659fd93ULL;
	return (uint32_t)(word >> 32);
}

/* Makes room for so many children more. */
void tree_children_reserve(struct tree_children *children, size_t more);
/* The child with that hash, made if need be. There is room for one more. */
uint32_t tree_child_hashed(
	struct tree *tree, uint32_t parent, uint32_t hash, const struct tree_step *step);

#endif
