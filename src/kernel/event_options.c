// SPDX-License-Identifier: GPL-2.0-or-later
/* What is said behind an event: how often, what is summed, which of them, under which name. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "kernel/asked.h"
#include "kernel/event.h"
#include "util/mem.h"
#include "util/text.h"

/* Stands for all counts that it leaves out, and their sums must fit. */
#define MOST_PERIOD UINT32_MAX
/* The kernel ticks no faster, and leaves out what it is late for. */
#define LEAST_CLOCK_NS 100000

int event_set_period(struct event *event, const char *text, struct why *why)
{
	char *end;
	errno = 0;
	unsigned long long period = strtoull(text, &end, 10);

	if (end == text || *end || text[0] == '-' || errno || !period || period > MOST_PERIOD)
		return why_set(why, -EINVAL,
			"-c %s: every how many of %s is looked at? 1 is each, 100 one of a hundred",
			text, event->text);
	if (event_is_clock(event) && period < LEAST_CLOCK_NS)
		return why_set(why, -EINVAL,
			"-c %s: %s counts ns, and the clock can be looked at every %d of them, not "
			"more often",
			text, event->text, LEAST_CLOCK_NS);
	event->period = period;
	event->frequency = 0;
	return 0;
}

bool event_is_clock(const struct event *event)
{
	return event->kind == EVENT_PERF && unit_from_name(event->unit) == UNIT_NS;
}

bool event_has_frequency(const struct event *event)
{
	return event->kind == EVENT_PERF;
}

void event_set_frequency(struct event *event, uint32_t hz)
{
	event->frequency = hz;
	event->period = 0;
}

static bool has_any(const char *text, const char *const *words)
{
	for (; *words; words++)
		if (strstr(text, *words))
			return true;
	return false;
}

/* What a field most likely counts, by its name. */
static const char *guessed_unit(const char *field)
{
	static const char *const times[] = {"_ns", "delay", "runtime", "latency", "nsec", NULL};
	static const char *const counts[] = {
		"nr_", "num", "pages", "prio", "cpu", "order", "arg", NULL};

	return has_any(field, times) ? "ns" : has_any(field, counts) ? "count" : "bytes";
}

int event_set_sum(struct event *event, const char *text, struct why *why)
{
	const char *colon = strrchr(text, ':');
	size_t length = colon ? (size_t)(colon - text) : strlen(text);

	if (!length || (colon && unit_from_name(colon + 1) == UNIT_OTHER))
		return why_set(why, -EINVAL,
			"--sum %s: give a field, argument (arg1 to arg6) or ret; behind it may be "
			"its "
			"unit: FIELD:bytes, FIELD:ns or FIELD:count",
			text);
	if (event->kind == EVENT_PERF)
		return why_set(why, -EINVAL,
			"--sum %s: %s brings no number but how often it happened", text,
			event->text);
	free(event->sum);
	event->sum = xstrndup(text, length);
	event->unit = unit_name(unit_from_name(colon ? colon + 1 : guessed_unit(event->sum)));
	return 0;
}

int event_set_condition(struct event *event, const char *text, struct why *why)
{
	struct asked_condition asked;

	if (event->kind == EVENT_PERF)
		return why_set(why, -EINVAL, "--if %s: %s brings no number that could be asked for",
			text, event->text);
	if (!asked_condition_parse(text, &asked))
		return why_set(why, -EINVAL,
			"--if %s: give FIELD OP NUMBER, as 'bytes>=4096' or 'ret<0'; OP is one "
			"of " ASKED_CONDITIONS,
			text);
	free(event->tested);
	free(event->test);
	event->tested = asked.tested;
	event->condition = asked.condition;
	event->limit = asked.limit;
	event->test = xstrdup(text);
	return 0;
}

int event_set_name(struct event *event, const char *text, struct why *why)
{
	_cleanup_free_ char *clean = text_clean(text, true);

	if (!text[0] || strlen(text) > 64 || strcmp(clean, text) != 0)
		return why_set(why, -EINVAL,
			"--as %s: give a name of up to 64 characters, without ; and unprintable "
			"ones",
			clean);
	free(event->name);
	event->name = xstrdup(text);
	event->is_named = true;
	return 0;
}

/* "sum of ret if ret>0", "sum of ret", "if ret<0" */
static char *conditions_of(const struct event *event)
{
	return xasprintf("%s%s%s%s%s", event->sum ? "sum of " : "", event->sum ? event->sum : "",
		event->sum && event->test ? " " : "", event->test ? "if " : "",
		event->test ? event->test : "");
}

void event_settle_words(struct event *event)
{
	_cleanup_free_ char *which = conditions_of(event);
	char *one;

	if (!event->is_named && !which[0])
		return;
	one = xasprintf("%s%s%s%s: %s", event->is_named ? event->name : "",
		event->is_named && which[0] ? " (" : "", which,
		event->is_named && which[0] ? ")" : "", event->one);
	free(event->one);
	event->one = one;
}
