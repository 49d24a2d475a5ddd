/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Boxes by why their time went: each has the colour of the reason that took half of it or more,
 * or a neutral one if none did, and says the others. The colours are the page's
 * (web/page/colors.js; a test compares), lightened so far that black text reads well on them.
 */
#ifndef DWELL_RENDER_FLAME_REASONS_H
#define DWELL_RENDER_FLAME_REASONS_H

#include "profile/reason_parts.h"
#include "profile/tree.h"
#include "render/flame/flame_color.h"

/* The page's colour: 0xrrggbb. */
unsigned int flame_reason_rgb(unsigned int why);
/* The colour of a box; names differ a little in lightness. REASON_PARTS: several reasons. */
struct flame_color flame_color_of_reason(unsigned int why, const struct flame_kind *kind);
/* The same as the legend shows it. */
struct flame_color flame_color_of_legend(unsigned int why);

/* A row for each box, REASON_PARTS long: what of its weight went why. NULL: nobody asks. */
typedef uint64_t (*flame_reason_rows)[REASON_PARTS];

/* The one that took half of the row or more; REASON_PARTS if none did. */
unsigned int flame_main_reason(const uint64_t row[REASON_PARTS]);
/* All that took something, the largest first. Returns how many. */
size_t flame_reasons_by_size(const uint64_t row[REASON_PARTS], unsigned int ret[REASON_PARTS]);

/*
 * The sums of all stacks through the tree's nodes that went for one reason: `sums`, by node, is
 * written over.
 */
void flame_reason_sums(const struct tree *tree, const struct reason_part *parts, size_t count,
	unsigned int why, bool weighs_counts, uint64_t *sums);

#endif
