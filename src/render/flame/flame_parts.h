/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The flame graph's picture in the making: what its document and its frames share. */
#ifndef DWELL_RENDER_FLAME_PARTS_H
#define DWELL_RENDER_FLAME_PARTS_H

#include "render/flame/flame_kind.h"
#include "render/flame/flame_layout.h"
#include "render/flame/flame_shares.h"
#include "util/units.h"

#define FLAME_PAD 10.0
/* Frames narrower than this have no marks on their edges. */
#define FLAME_MARK_WIDTH 16.0
/* Narrower ones have no stripes, but the colour of their largest share. */
#define FLAME_STRIPE_WIDTH 3.0
/* Between neighbours, where there is room. */
#define FLAME_GAP 0.5

struct flame_page {
	const struct flame_options *options;
	const struct flame_layout *layout;
	const struct tree *tree; /* the layout's */
	FILE *out;
	double width;
	double top;             /* of the frames */
	double height;          /* of the picture */
	double character_width; /* of a letter in a frame */
};

/* "12,345 samples" or "22.6 s"; room for both. */
#define FLAME_VALUE_ROOM 128
const char *flame_value(const struct flame_page *page, uint64_t weight, char *room);

/* The kind of a box that is neither the root nor merged. */
struct flame_kind flame_box_kind(const struct flame_page *page, const struct flame_box *box);

void flame_put_frames(const struct flame_page *page);

#endif
