/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The flat table of functions, as people know it from other profilers: as text and as JSON. */
#ifndef DWELL_RENDER_REPORT_FUNCTIONS_H
#define DWELL_RENDER_REPORT_FUNCTIONS_H

#include <stdio.h>

#include "profile/functions.h"

#define FUNCTIONS_TOP 30
/* Sorted by object: so many objects, with so many functions each. */
#define FUNCTIONS_TOP_OBJECTS 5

struct functions_style {
	const char *file;
	const char *target;            /* in words: "all threads" */
	const struct profile *profile; /* its range */
	const char *filter_text;       /* "": none */
	const struct view_type *view;
	enum function_order order;
	size_t width;
	size_t top;   /* 0: as above */
	bool is_full; /* names are not cut */
	bool hides_idle;
	bool is_colored;
};

/*
 * What is not listed is summed up in lines of its own, so that the self column adds up to the total
 * and its percentages to 100. Errors are the stream's.
 */
void functions_text(
	const struct function_table *table, const struct functions_style *style, FILE *out);
/* In exact ns; nothing is cut unless top says so. */
void functions_json(
	const struct function_table *table, const struct functions_style *style, FILE *out);

#endif
