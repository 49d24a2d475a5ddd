// SPDX-License-Identifier: GPL-2.0-or-later
/* From the words of -e to an event. */
#include "kernel/event.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "util/mem.h"
#include "util/text.h"

#define CALL_PREFIX "uprobe:"

static const struct {
	const char *name;
	const char *unit;
	const char *one;
	const char *about;
	uint64_t config; /* enum perf_sw_ids */
	uint64_t period;
} software_events[] = {
#define EVENT_ROW(...) {__VA_ARGS__},
	EVENT_SOFTWARE(EVENT_ROW)
#undef EVENT_ROW
};

static bool find_software(const char *text, struct event *ret)
{
	for (size_t i = 0; i < ARRAY_SIZE(software_events); i++) {
		if (strcmp(text, software_events[i].name))
			continue;
		*ret = (struct event){.kind = EVENT_PERF,
			.name = xstrdup(software_events[i].name),
			.unit = software_events[i].unit,
			.one = xstrdup(software_events[i].one),
			.about = software_events[i].about,
			.perf_type = PERF_TYPE_SOFTWARE,
			.perf_config = software_events[i].config,
			.period = software_events[i].period};
		return true;
	}
	return false;
}

/* "PATH:FUNCTION": a path may have colons, a function's symbol has none. */
static int parse_call(const char *text, struct event *ret, struct why *why)
{
	const char *place = text + strlen(CALL_PREFIX);
	const char *colon = strrchr(place, ':');

	if (!colon || colon == place || !colon[1] || place[0] != '/')
		return why_set(why, -EINVAL,
			"-e %s: give a file by its whole path and a function in it: "
			"uprobe:/usr/bin/PROGRAM:FUNCTION",
			text);
	char *path = xstrndup(place, (size_t)(colon - place));
	*ret = (struct event){.kind = EVENT_CALL,
		.name = xasprintf("%s:%s", basename(path), colon + 1),
		.unit = "count",
		.one = xasprintf("%s() call", colon + 1),
		.about = "where the function was called from",
		.path = path,
		.function = xstrdup(colon + 1)};
	return 0;
}

int event_parse(const char *text, struct event *ret, struct why *why)
{
	if (!strncmp(text, CALL_PREFIX, strlen(CALL_PREFIX)))
		return parse_call(text, ret, why);
	if (find_software(text, ret))
		return 0;
	const char *names[ARRAY_SIZE(software_events) + 1] = {NULL};
	for (size_t i = 0; i < ARRAY_SIZE(software_events); i++)
		names[i] = software_events[i].name;
	const char *near = text_nearest(text, names);
	if (near)
		return why_set(why, -EINVAL, "-e %s: unknown event; did you mean %s?", text, near);
	return why_set(why, -EINVAL, "-e %s: unknown event; events are " EVENT_NAMES, text);
}

void event_clear(struct event *event)
{
	free(event->name);
	free(event->one);
	free(event->path);
	free(event->function);
	*event = (struct event){0};
}
