/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What was counted beside thread time, as fields of the report's JSON. */
#ifndef DWELL_RENDER_REPORT_JSON_MEASURES_H
#define DWELL_RENDER_REPORT_JSON_MEASURES_H

#include "profile/summary/summary.h"
#include "util/json.h"

/* A stack below a name, as the caller writes all of them. */
typedef void (*report_json_stack_fn)(struct json *json, const struct tree *tree, uint32_t node);

/* At most so many names, stacks and things of each measure. */
void report_json_measures(struct json *json, const struct summary *summary, size_t top,
	report_json_stack_fn put_stack);

#endif
