/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What is said below the figures of one function's calls. */
#ifndef DWELL_RENDER_REPORT_CALLED_H
#define DWELL_RENDER_REPORT_CALLED_H

#include "render/report/report_parts.h"

void report_called(const struct report *report, const struct called *called);

#endif
