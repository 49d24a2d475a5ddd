/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Rows of a recording in memory, as the first whole walk over them read and checked them: a report
 * or a page walks over them three to six times, and reading one from the file takes ten times as
 * long. What would take too much memory is not kept, and read again each time. Private to
 * src/recording/.
 */
#ifndef DWELL_RECORDING_KEPT_ROWS_H
#define DWELL_RECORDING_KEPT_ROWS_H

#include "recording/reader.h"
#include "util/vec.h"

struct kept_row {
	struct rec_row row;
	size_t first_share;
};

struct kept_rows {
	bool is_wanted;
	bool is_whole;      /* all of them are here */
	size_t rooms_bytes; /* what those that were added take */
	VEC(struct kept_row) rows;
	VEC(struct rec_share) shares;
};

/* A walk begins: what one before it kept on its way is forgotten. */
void kept_rows_begin(struct kept_rows *kept);
/* The row is copied; behind the last that there is room for nothing is wanted any more. */
void kept_rows_add(struct kept_rows *kept, const struct rec_row *row);
/* The walk is over; is_whole: it saw all rows, and all were good. */
void kept_rows_end(struct kept_rows *kept, bool is_whole);
/* As recording_each_row(), over what is here. */
int kept_rows_each(const struct kept_rows *kept, recording_row_fn each, void *context);
void kept_rows_clear(struct kept_rows *kept);

#endif
