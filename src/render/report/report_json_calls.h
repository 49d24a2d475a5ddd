/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Calls in the report's JSON. */
#ifndef DWELL_RENDER_REPORT_JSON_CALLS_H
#define DWELL_RENDER_REPORT_JSON_CALLS_H

#include "profile/summary/summary.h"
#include "util/json.h"

/* How the report writes the lines of waits, as "lines", and a stack, as "stack". */
struct report_json_forms {
	void (*put_lines)(struct json *json, const struct summary *summary, size_t top);
	void (*put_stack)(struct json *json, const struct tree *tree, uint32_t node);
};

/* "calls": an array, of each function that was watched; nothing where none were. */
void report_json_calls(struct json *json, const struct summary *summary, size_t top,
	const struct report_json_forms *forms);

#endif
