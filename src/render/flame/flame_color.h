/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Colours of frames. A colour follows from the palette and the frame's name alone, so it is the
 * same in every run and on every machine. All of them are light enough for black text.
 */
#ifndef DWELL_RENDER_FLAME_COLOR_H
#define DWELL_RENDER_FLAME_COLOR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "render/flame/flame_kind.h"
#include "render/flame/flame_shares.h"
#include "util/why.h"

enum flame_palette {
	PALETTE_HOT,
	PALETTE_MEM,
	PALETTE_IO,
	PALETTE_WAKEUP,
	PALETTE_CHAIN,  /* wakers aqua, the rest blue */
	PALETTE_REASON, /* by why the time went (flame_reasons.h), wakers green */
	PALETTE_JAVA,   /* these three: by what the frame is, and by the shape of its name */
	PALETTE_JS,
	PALETTE_PERL,
	PALETTE_RED,
	PALETTE_GREEN,
	PALETTE_BLUE,
	PALETTE_AQUA,
	PALETTE_YELLOW,
	PALETTE_PURPLE,
	PALETTE_ORANGE,
	PALETTES,
};

struct flame_color {
	uint8_t red;
	uint8_t green;
	uint8_t blue;
};

const char *flame_palette_name(enum flame_palette palette);
/* false if there is none of that name */
bool flame_palette_from_name(const char *name, enum flame_palette *ret);

/*
 * The colour of a frame. With is_alike names that begin alike have like colours (--hash);
 * otherwise any two names differ by chance.
 */
struct flame_color flame_color_of(
	enum flame_palette palette, const struct flame_kind *kind, bool is_alike);

/* The colour of a frame by what most of its time was: hot, yellow or blue. */
struct flame_color flame_color_of_share(enum flame_share share, const struct flame_kind *kind);

/*
 * The colour of a change: white where there is none, red for more, blue for less (the other way
 * round if is_negated), stronger towards the largest change of the picture. Red and blue differ in
 * lightness too.
 */
struct flame_color flame_color_of_change(double change, double largest, bool is_negated);

/* Colours kept from picture to picture (--cp): "name->rgb(r,g,b)" lines. */
struct flame_colors;

struct flame_colors *flame_colors_new(void);
void flame_colors_free(struct flame_colors *colors);
/* Lines that are not such lines are an error: -EINVAL with why. */
int flame_colors_read(struct flame_colors *colors, FILE *in, struct why *why);
/* In the order of the names. */
void flame_colors_write(const struct flame_colors *colors, FILE *out);
/* The kept colour of the name, or `color`, which is kept from now on. */
struct flame_color flame_colors_keep(
	struct flame_colors *colors, const char *name, size_t length, struct flame_color color);

#endif
