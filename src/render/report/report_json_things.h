/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What waits were for, as data; nothing is written of recordings that do not tell. */
#ifndef DWELL_RENDER_REPORT_JSON_THINGS_H
#define DWELL_RENDER_REPORT_JSON_THINGS_H

#include "profile/summary/summary.h"
#include "util/json.h"

/* "awaited" of a line: its largest things with their shares; "owner" of its longest wait. */
void things_json(struct json *json, const struct summary *summary, size_t line);
/* "deadlocks": each with its threads. */
void deadlocks_json(struct json *json, const struct summary *summary);

#endif
