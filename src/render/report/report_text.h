/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The report on a terminal: window, bar, verdict, processes, waits, accounting, cost, next
 * commands, in that order. At most 40 lines of 80 columns unless more is asked for; a wider
 * terminal lengthens bars and stacks only. What is printed as parts adds up to what is printed as
 * their total.
 */
#ifndef DWELL_RENDER_REPORT_TEXT_H
#define DWELL_RENDER_REPORT_TEXT_H

#include <stdbool.h>
#include <stdio.h>

#include "profile/summary/summary.h"

#define REPORT_WIDTH 80
#define REPORT_LINES 40
#define REPORT_TOP 5

struct report_style {
	const char *file;   /* as the user named it */
	size_t width;       /* at least REPORT_WIDTH */
	size_t top;         /* processes and waits listed; 0: REPORT_TOP, fewer if lines run out */
	bool is_full;       /* whole stacks, all losses */
	bool is_by_process; /* groups are processes */
	bool is_colored;
};

/* Errors are the stream's. */
void report_text(const struct summary *summary, const struct report_style *style, FILE *out);

#endif
