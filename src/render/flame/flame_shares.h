/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Shares of running, runnable and blocked time. Where every stack ends in one of dwell's words for
 * them ([running], [runnable], [blocked REASON]), as those of the view hotcold do, a box is striped
 * by its three shares, from left to right in this order.
 */
#ifndef DWELL_RENDER_FLAME_SHARES_H
#define DWELL_RENDER_FLAME_SHARES_H

#include "profile/tree.h"

enum flame_share {
	SHARE_RUNNING,
	SHARE_RUNNABLE,
	SHARE_BLOCKED,
	FLAME_SHARES, /* none of them */
};

/* "running", "runnable", "blocked" */
const char *flame_share_word(enum flame_share share);
/* The first letter of the class of its stripes. */
char flame_share_letter(enum flame_share share);
/* Which one a stack is that ends in this label. */
enum flame_share flame_share_of(const char *label);

/* Does every node that weighs something end in such a word, and is there one? */
bool flame_shares_apply(const struct tree *tree, const uint64_t *weights);

#endif
