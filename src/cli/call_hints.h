/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What is said around the figures of calls: why there may be none, and how to see more. */
#ifndef DWELL_CLI_CALL_HINTS_H
#define DWELL_CLI_CALL_HINTS_H

#include <stdio.h>

#include "profile/summary/summary.h"

/* Was any watched function called at all, be it before the window or without an end? */
bool call_hints_has_any(const struct summary *summary);
/* If none was: which they were, and what may be the reason, on stderr. */
void call_hints_none(const struct summary *summary);
/* Commands to go on with, as a line. `file` is the recording, as the user named it. */
void call_hints_next(const struct summary *summary, const char *file, size_t columns, FILE *out);

#endif
