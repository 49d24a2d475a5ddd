/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Options of pictures, under the names that flamegraph.pl and inferno gave them. One argp child,
 * whose input is a struct picture_options.
 */
#ifndef DWELL_CLI_PICTURE_OPTIONS_H
#define DWELL_CLI_PICTURE_OPTIONS_H

#include <argp.h>

#include "profile/view.h"
#include "render/flame/flame_svg.h"

struct picture_options {
	struct flame_options flame; /* total is in the unit of the weights that are printed */
	bool has_palette;           /* --colors was given */
	VEC(const char *) bases;
	const char *colors_path; /* of --cp, or NULL */
	struct flame_colors *colors;
	struct flame_attributes *attributes;
};

void picture_options_init(struct picture_options *options);
void picture_options_clear(struct picture_options *options);

/* Complaints carry `dwell: `. */
extern const struct argp picture_options_argp;

/* Title and palette that fit the view, where none were asked for. */
void picture_options_suit(struct picture_options *options, const struct view_type *view);

/* Writes the colours of --cp back; nothing without. 0 or -errno with why. */
int picture_options_keep_colors(
	const struct picture_options *options, const struct privacy *privacy, struct why *why);

#endif
