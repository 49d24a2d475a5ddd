/* SPDX-License-Identifier: GPL-2.0-or-later */
/* One wait of the report, hop by hop: dwell report --wait N. */
#ifndef DWELL_RENDER_REPORT_WAIT_H
#define DWELL_RENDER_REPORT_WAIT_H

#include "render/report/report_text.h"

/* Line `number` of the report, from 1 on; the caller checks that it is there. */
void report_wait(
	const struct summary *summary, size_t number, const struct report_style *style, FILE *out);

#endif
