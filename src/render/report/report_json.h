/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The report as data: everything a summary knows, in exact ns. Idle waits are listed with the
 * others and marked; nothing is cut but by the options.
 */
#ifndef DWELL_RENDER_REPORT_JSON_H
#define DWELL_RENDER_REPORT_JSON_H

#include <stdbool.h>
#include <stdio.h>

#include "profile/summary/summary.h"

struct report_json_options {
	const char *file;
	size_t top;      /* so many waits and processes; 0: all */
	bool hides_idle; /* leave out the waits that the summary sets aside */
};

/* Errors are the stream's. */
void report_json(
	const struct summary *summary, const struct report_json_options *options, FILE *out);

#endif
