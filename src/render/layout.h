/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Small things that text for people needs: cutting, wrapping, amounts that add up. */
#ifndef DWELL_RENDER_LAYOUT_H
#define DWELL_RENDER_LAYOUT_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "model/measure.h"
#include "util/units.h"

/* The text, cut to so many columns; a cut one ends in '~'. Caller frees. */
char *layout_cut(const char *text, size_t columns);

/*
 * Writes words in lines of at most `width` columns; lines after the first begin with `indent`
 * spaces. The first begins at column `used`. A word that is longer than a line is not broken, nor
 * is a number parted from its unit. Ends with a newline.
 */
void layout_wrap(FILE *out, const char *text, size_t width, size_t used, size_t indent);

/* The text, cut to its last columns, as of paths: a cut one begins with '~'. Caller frees. */
char *layout_cut_front(const char *text, size_t columns);

/* Sentences are not wider than that, however wide the screen is. */
#define LAYOUT_PROSE 120

/*
 * Writes text whose lines are laid out already; those that are wider than so many columns are
 * broken where columns part or else between words, and go on further in than they began. A word
 * that is longer than a line is not broken. Colours take no columns.
 */
void layout_fit(FILE *out, const char *text, size_t width);

/* How amounts of one table are printed: as so many quanta, so that sums can be made to fit. */
struct scale {
	uint64_t quantum; /* in what amounts are counted in: ns, bytes, ones */
	uint64_t quanta_per_unit;
	int decimals;
	const char *unit; /* "": what was counted has no unit */
};

/* 0.1 s from 10 s up, 1 ms from 0.1 s up, else 1 us. */
struct scale scale_for(uint64_t largest_ns);
/* The same with thousandths of a second up to 10,000 s: for tables of small shares. */
struct scale scale_fine(uint64_t largest_ns);
/*
 * Of any unit; of time the fine one. Quanta of others are ones, KiB or MiB, without decimals. The
 * word is that of UNIT_OTHER, and is borrowed.
 */
struct scale scale_of_unit(enum unit unit, const char *word, uint64_t largest);
/* "110.6", without the unit. */
const char *scale_text(const struct scale *scale, uint64_t quanta, char room[static UNITS_ROOM]);
/* "110.6 s" of a duration, whose scale is one of time. */
const char *scale_ns(const struct scale *scale, uint64_t ns, char room[static UNITS_ROOM]);

/* "1.000 s to 2.000 s" and the filters, as far as there are any; "" if not. Caller frees. */
char *layout_only(bool has_range, uint64_t from_ns, uint64_t to_ns, const char *filters);

/* What is said of a recording that is not finished, with its full stop. */
const char *layout_unfinished(bool is_live);

/* "99.998 %": never rounded up to 100 unless it is. "0 %" of nothing. */
const char *percent_text(uint64_t part, uint64_t whole, char room[static UNITS_ROOM]);
/* Whole percent, to the nearest, but 0 and 100 only if it is exactly that: "< 1 %", "> 99 %". */
const char *share_text(uint64_t part, uint64_t whole, char room[static UNITS_ROOM]);

#endif
