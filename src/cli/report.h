/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The report as other commands call it: `dwell report` and the one-shot command. */
#ifndef DWELL_CLI_REPORT_H
#define DWELL_CLI_REPORT_H

#include "cli/summed.h"
#include "cli/view_options.h"
#include "profile/functions.h"
#include "render/report/report_text.h"

struct report_options {
	struct view_options view;
	size_t top;                /* lines listed; 0: what fits a screen */
	size_t width;              /* columns; 0: the terminal's */
	size_t wait;               /* only this line of it; 0: all */
	bool is_functions;         /* the table of functions instead of the report */
	bool is_things;            /* the table of what waits were for instead */
	const char *kind;          /* view of the functions */
	enum function_order order; /* of the functions */
	bool has_view;             /* --view or --sort was given */
	bool is_full;
	bool is_json;
	bool is_colorless;
};

void report_options_init(struct report_options *options);
void report_options_clear(struct report_options *options);

/*
 * Prints the report of the recording to stdout. STATUS_DONE, STATUS_NOTHING with a sentence if
 * nothing was found, STATUS_USAGE after a complaint.
 */
int report_print(const char *path, const struct report_options *options);
/* The same with default options, of figures that are there already. */
int report_print_summed(const char *path, const struct summed *summed);
/* The table of functions, likewise. */
int functions_print(const char *path, struct report_options *options);
/* The table of what waits were for, likewise. */
int things_print(const char *path, const struct report_options *options);

/* A value that is a number. 0, or EINVAL after a complaint. */
error_t report_parse_number(const char *command, const char *option, const char *text,
	unsigned long least, size_t *ret);
/* How it is printed, by the options and the terminal. */
struct report_style report_style_of(const char *path, const struct report_options *report);
/* Columns to print, and whether in colour. */
size_t report_width(const struct report_options *options);
bool report_wants_color(const struct report_options *options);

#endif
