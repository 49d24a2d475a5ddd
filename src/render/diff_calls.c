// SPDX-License-Identifier: GPL-2.0-or-later
/* Calls of two recordings: a line for each function of which they changed markedly, and as JSON. */
#include <string.h>

#include "render/diff.h"
#include "render/layout.h"
#include "util/mem.h"

/* Where ranges differ by more than this part, numbers of calls are told by the second. */
#define SAME_PART 10

/* "p99 12 ms -> 40 ms", "p99 as before (12 ms)". Caller frees. */
static char *length_words(const char *name, uint64_t before_ns, uint64_t after_ns)
{
	char before[UNITS_ROOM], after[UNITS_ROOM];

	units_duration(before_ns, before);
	units_duration(after_ns, after);
	if (!strcmp(before, after))
		return xasprintf("%s %s as before", name, after);
	return xasprintf("%s %s -> %s", name, before, after);
}

static char *blocked_words(const struct diff_call *call)
{
	char before[UNITS_ROOM], after[UNITS_ROOM];

	share_text(call->before.blocked_ns, call->before.wall_ns, before);
	share_text(call->after.blocked_ns, call->after.wall_ns, after);
	if (!strcmp(before, after))
		return xasprintf("blocked %s of their time as before", after);
	return xasprintf("blocked %s -> %s of their time", before, after);
}

/* Of ranges of different lengths the numbers say nothing. */
static char *count_words(const struct diff_call *call)
{
	uint64_t before_ns = call->before.range_ns, after_ns = call->after.range_ns;
	uint64_t longer_ns = before_ns > after_ns ? before_ns : after_ns;
	uint64_t shorter_ns = before_ns > after_ns ? after_ns : before_ns;
	char before[UNITS_ROOM], after[UNITS_ROOM];

	if (longer_ns - shorter_ns > longer_ns / SAME_PART)
		return xasprintf("%.1f -> %.1f calls/s",
			(double)call->before.count * 1e9 / (double)(before_ns ? before_ns : 1),
			(double)call->after.count * 1e9 / (double)(after_ns ? after_ns : 1));
	return xasprintf("%s -> %s calls", units_count(call->before.count, before),
		units_count(call->after.count, after));
}

/* Of calls that one side alone has there is no length to compare. */
static char *change_words(const struct diff_call *call)
{
	_cleanup_free_ char *count = count_words(call);

	if (!call->before.count || !call->after.count)
		return xasprintf("%s: %s", call->name, count);
	_cleanup_free_ char *p50 = length_words("p50", call->before.p50_ns, call->after.p50_ns);
	_cleanup_free_ char *p99 = length_words("p99", call->before.p99_ns, call->after.p99_ns);
	_cleanup_free_ char *blocked = blocked_words(call);
	return xasprintf("%s: %s, %s, %s; %s", call->name, p99, p50, blocked, count);
}

void diff_calls_print(FILE *out, const diff_calls *calls, size_t width)
{
	bool has_any = false;

	vec_each (call, calls) {
		if (!diff_calls_changed(call))
			continue;
		_cleanup_free_ char *line = change_words(call);
		fputs(has_any ? "  " : "\nCalls of functions (p50 and p99 are estimates):\n  ",
			out);
		layout_wrap(out, line, width, 2, 4);
		has_any = true;
	}
}

static void side_json(struct json *json, const char *name, const struct diff_calls_side *side)
{
	json_name(json, name);
	json_open_object(json);
	json_field_uint(json, "count", side->count);
	json_field_uint(json, "p50_ns", side->p50_ns);
	json_field_uint(json, "p99_ns", side->p99_ns);
	json_field_uint(json, "wall_ns", side->wall_ns);
	json_field_uint(json, "blocked_ns", side->blocked_ns);
	json_close_object(json);
}

void diff_calls_json(struct json *json, const diff_calls *calls)
{
	if (!calls->count)
		return;
	json_name(json, "calls");
	json_open_array(json);
	vec_each (call, calls) {
		json_open_object(json);
		json_field_text(json, "name", call->name);
		side_json(json, "before", &call->before);
		side_json(json, "after", &call->after);
		json_field_bool(json, "is_changed", diff_calls_changed(call));
		json_close_object(json);
	}
	json_close_array(json);
}
