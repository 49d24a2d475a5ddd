/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Calls of functions by themselves, as dwell calls shows them: a part of the report. */
#ifndef DWELL_RENDER_REPORT_CALLS_H
#define DWELL_RENDER_REPORT_CALLS_H

#include "render/report/report_text.h"

/* The table of functions: for each how often, how long, what its time went to, what its slow calls
 * waited in and which have not ended. Nothing if no calls were watched. */
void report_calls(const struct summary *summary, const struct report_style *style, FILE *out);

#endif
