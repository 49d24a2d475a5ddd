/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Where each frame of a flame graph lies: boxes in the order of the tree, a parent before its
 * children, children by name. Frames too thin to draw are one box for each parent (in a chart: for
 * each run of them), so that no weight vanishes: a box's children never weigh more than it does.
 */
#ifndef DWELL_RENDER_FLAME_LAYOUT_H
#define DWELL_RENDER_FLAME_LAYOUT_H

#include "render/flame/flame_reasons.h"
#include "render/flame/flame_svg.h"
#include "util/vec.h"

struct flame_box {
	uint32_t node;  /* in the layout's tree; of merged frames, their parent */
	uint32_t depth; /* 0: the root */
	uint64_t start; /* in the unit of weights */
	uint64_t weight;
	uint64_t merged;         /* how many frames too thin to draw it stands for; 0: a frame */
	bool is_after_separator; /* it belongs to a waker */
	bool is_striped;         /* by the two shares that follow */
	uint64_t running;        /* of the weight */
	uint64_t runnable;       /* so much behind that; the rest is blocked */
	int64_t change;          /* after - before; 0 if nothing is compared */
	bool is_new;             /* nothing before */
	bool is_gone;            /* nothing after */
};

struct flame_layout {
	VEC(struct flame_box) boxes;
	uint64_t total; /* of the root's box */
	uint32_t depth; /* of the deepest box */
	uint64_t merged;
	bool has_shares;           /* boxes are striped: flame_shares.h */
	flame_reason_rows reasons; /* by box, or NULL; those of merged ones are empty */
	uint64_t before_total;
	uint64_t after_total;
	int64_t largest_change;
	struct tree *shaped; /* the tree after base and reverse, or NULL: it is as given */
};

/* `width` px are for the total. As flame_svg_write. The caller clears it. */
int flame_layout_make(const struct tree *tree, const struct flame_options *options, double width,
	struct flame_layout *ret, struct why *why);
void flame_layout_clear(struct flame_layout *layout);

#endif
