// SPDX-License-Identifier: GPL-2.0-or-later
/* Which share a stack is. */
#include "render/flame/flame_shares.h"

#include <string.h>

static const struct {
	const char *word;
	char letter;
} shares[FLAME_SHARES] = {
	[SHARE_RUNNING] = {"running", 'r'},
	[SHARE_RUNNABLE] = {"runnable", 'q'},
	[SHARE_BLOCKED] = {"blocked", 'b'},
};

const char *flame_share_word(enum flame_share share)
{
	return shares[share].word;
}

char flame_share_letter(enum flame_share share)
{
	return shares[share].letter;
}

enum flame_share flame_share_of(const char *label)
{
	if (!strcmp(label, "[running]"))
		return SHARE_RUNNING;
	if (!strcmp(label, "[runnable]"))
		return SHARE_RUNNABLE;
	return !strncmp(label, "[blocked", strlen("[blocked")) ? SHARE_BLOCKED : FLAME_SHARES;
}

bool flame_shares_apply(const struct tree *tree, const uint64_t *weights)
{
	bool is_any = false;

	for (size_t i = 0; i < tree->nodes.count; i++) {
		if (!weights[i])
			continue;
		if (flame_share_of(tree_label(tree, (uint32_t)i)) == FLAME_SHARES)
			return false;
		is_any = true;
	}
	return is_any;
}
