/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The report as data: everything a summary knows, in exact ns. Idle waits are listed with the
 * others and marked; nothing is cut but by `top`.
 */
#ifndef DWELL_RENDER_REPORT_JSON_H
#define DWELL_RENDER_REPORT_JSON_H

#include <stdio.h>

#include "profile/summary.h"

/* top: so many waits and processes; 0: all. Errors are the stream's. */
void report_json(const struct summary *summary, const char *file, size_t top, FILE *out);

#endif
