/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The report on a terminal: window, bar, verdict, calls, processes, waits, accounting, cost, next
 * commands, in that order. At most 40 lines of 80 columns unless more is asked for, there is more
 * room, or the recording is of a whole machine, of which a few rows say little. A narrower terminal
 * leaves columns out, a wider one lengthens names, bars and stacks. What is printed as parts adds
 * up to what is printed as their total.
 */
#ifndef DWELL_RENDER_REPORT_TEXT_H
#define DWELL_RENDER_REPORT_TEXT_H

#include <stdbool.h>
#include <stdio.h>

#include "profile/summary/summary.h"

#define REPORT_NARROWEST 50
#define REPORT_WIDTH 80
#define REPORT_LINES 40
#define REPORT_TOP 5
/* Stacks of a measure. */
#define REPORT_STACKS 3
/* Functions whose calls are told: at first, and the fewest. */
#define REPORT_CALLS 10
#define REPORT_LEAST_CALLS 3
/* Of a whole machine: lines, rows of the table of processes, waits; and the fewest of these. */
#define REPORT_MACHINE_LINES 60
#define REPORT_MACHINE_ROWS 10
#define REPORT_MACHINE_TOP 8
#define REPORT_LEAST_ROWS 6
#define REPORT_LEAST_TOP 4

struct report_style {
	const char *file;   /* as the user named it */
	size_t width;       /* at least REPORT_NARROWEST */
	size_t prose;       /* columns of sentences; 0: as many as are easily read */
	size_t lines;       /* of the terminal; 0: it is none */
	size_t top;         /* processes and waits listed; 0: what there is room for */
	bool is_full;       /* whole stacks, all losses */
	bool is_by_process; /* groups are processes */
	bool is_colored;
};

/* Errors are the stream's. */
void report_text(const struct summary *summary, const struct report_style *style, FILE *out);

#endif
