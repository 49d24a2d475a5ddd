/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The table of what waits were for, as text and as JSON. */
#ifndef DWELL_RENDER_REPORT_THINGS_H
#define DWELL_RENDER_REPORT_THINGS_H

#include <stdio.h>

#include "profile/summary/thing_table.h"

#define THINGS_TOP 15

struct things_style {
	const char *file;
	const char *target;      /* in words: "all threads" */
	const char *filter_text; /* "": none */
	const struct recording *recording;
	size_t width;
	size_t top;   /* 0: as above */
	bool is_full; /* names are not cut */
	bool hides_idle;
	bool is_colored;
};

/*
 * What is not listed is summed up in a line of its own, and so is what is not told; the column of
 * totals adds up to the blocked time in the head. Errors are the stream's.
 */
void thing_table_text(const struct thing_table *table, const struct things_style *style, FILE *out);
/* In exact ns; nothing is cut unless top says so. */
void thing_table_json(const struct thing_table *table, const struct things_style *style, FILE *out);

#endif
