/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Threads that cannot go on by themselves: the first thing that a verdict says. */
#ifndef DWELL_RENDER_REPORT_STUCK_H
#define DWELL_RENDER_REPORT_STUCK_H

#include <stdio.h>

#include "profile/summary/summary.h"

/* Is it a lock that nobody gave back while it was recorded? */
bool report_is_stuck(const struct summary *summary, const struct summary_line *line);
/* Deadlocks, threads at a lock that nobody gave back, stopped ones; how many sentences that makes.
 */
size_t report_stuck(FILE *out, const struct summary *summary);

#endif
