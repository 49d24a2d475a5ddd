/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What --budget left out, whether it was kept to, and how right what is shown is. */
#ifndef DWELL_RENDER_REPORT_BUDGET_H
#define DWELL_RENDER_REPORT_BUDGET_H

#include <stdio.h>

#include "profile/summary/summary.h"

/*
 * By how much a stack's share of a tenth may be off, as a share: two standard deviations, if each
 * burst were one look at the load. Waits within one are not independent, so that their number would
 * promise too much.
 */
double report_budget_error(const struct rec_meta *meta);
/* One or two lines; none without a budget. */
void report_budget(const struct rec_meta *meta, FILE *out);

#endif
