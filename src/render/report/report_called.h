/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What is said below the figures of one function's calls. */
#ifndef DWELL_RENDER_REPORT_CALLED_H
#define DWELL_RENDER_REPORT_CALLED_H

#include "render/report/report_parts.h"

/* "slow: 124 from 12 ms up (p99), 3.1 s: blocked 81 %, ...; the others, 2.2 s: ...". Caller frees.
 */
char *report_slow_text(const struct called *called);
/* "81 % waiting for a mutex (ask), held by refresher 98 %: ..." of a line of called->waits. Caller
 * frees. */
char *report_slow_wait(const struct summary *waits, size_t line);
void report_called(const struct report *report, const struct called *called);

#endif
