/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A call tree as a flame graph: one SVG file that needs nothing else. It can be read without a
 * script (as an <img>), and zooms, searches and takes keys where scripts run. The same tree and
 * options give the same bytes.
 */
#ifndef DWELL_RENDER_FLAME_SVG_H
#define DWELL_RENDER_FLAME_SVG_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "profile/reason_parts.h"
#include "profile/tree.h"
#include "render/flame/flame_attributes.h"
#include "render/flame/flame_color.h"
#include "util/why.h"

/* Texts are borrowed; NULL is the default. Names of options are those of flamegraph.pl. */
struct flame_options {
	const char *title;      /* "Flame Graph" */
	const char *subtitle;   /* none */
	const char *notes;      /* none; goes into the description */
	const char *count_name; /* "samples" */
	const char *name_type;  /* "Function:" */
	const char *font_type;  /* a monospaced one */
	const char *background; /* yellow, blue, green, grey or #rrggbb; follows light and dark */
	double font_size;       /* px */
	double width;           /* px; 0: 1200, and all of the window where scripts run */
	double frame_height;    /* px */
	double min_width;       /* px, narrower frames are merged into "..." */
	double min_share;       /* the same as a share of the total, 0 to 1; 0: min_width counts */
	double factor;          /* values are multiplied by this where they are printed */
	uint64_t total;         /* of the whole width; 0 or less than the tree's: the tree's */
	enum flame_palette palette;
	bool is_inverted;         /* the root on top */
	bool is_reversed;         /* stacks leaf first */
	bool is_chart;            /* siblings in the order of the tree's nodes, not by name */
	bool is_alike;            /* names that begin alike have like colours */
	bool is_negated;          /* blue for more */
	bool cuts_start;          /* of names that do not fit; else their end */
	bool weighs_counts;       /* boxes are as wide as counts; else as times */
	bool is_time;             /* values are nanoseconds and printed as durations */
	const char *const *bases; /* stacks start at the first frame with one of these names */
	size_t base_count;
	struct flame_colors *colors;               /* colours to keep, or NULL; grows */
	const struct flame_attributes *attributes; /* or NULL */
	/* Of a comparison: weights of the stacks that end in each node, or NULL for both. Widths
	 * are the tree's; colours and signed percentages are from these. */
	const uint64_t *before;
	const uint64_t *after;
	/* Why the time of the tree's stacks went, for PALETTE_REASON; NULL: not known. */
	const struct reason_parts *parts;
};

void flame_options_init(struct flame_options *options);

/* "0.5" (px) or "0.1%". 0, or -EINVAL. */
int flame_options_set_min_width(struct flame_options *options, const char *text);
/* Is it a background that can be drawn? */
bool flame_background_is_known(const char *text);
/* The backgrounds that have a name, one after the other; NULL behind the last. */
const char *flame_background_name(size_t index);

/*
 * 0; -ENODATA if the tree weighs nothing, -EOVERFLOW if its weights reach 2^63. Errors of
 * writing are the stream's.
 */
int flame_svg_write(
	const struct tree *tree, const struct flame_options *options, FILE *out, struct why *why);

#endif
