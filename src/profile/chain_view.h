/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Rows of blocked time with their wakers, as stacks. Private to src/profile/. */
#ifndef DWELL_PROFILE_CHAIN_VIEW_H
#define DWELL_PROFILE_CHAIN_VIEW_H

#include "profile/selection.h"
#include "profile/view.h"

struct chain_view {
	const struct recording *recording;
	struct placer *placer;
	struct tree *tree;
	struct reason_parts *parts; /* or NULL: nobody asks why */
	enum view view;             /* one that needs chains */
	bool weighs_causes;
};

/* Adds all of the row's time, which was for the thing of that text; NULL: it is not told. */
void chain_view_add(struct chain_view *chains, const struct selection_row *row, const char *thing);

#endif
