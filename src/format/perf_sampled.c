// SPDX-License-Identifier: GPL-2.0-or-later
/* The events of a log that were sampled: which there are, and what is known of each. */
#include <string.h>

#include "format/perf_script.h"
#include "format/sched_fields.h"
#include "recording/recording.h"

/* More kinds of events than that are no sense but an attack: each is looked for in turn. */
#define MAX_SAMPLED REC_MOST_MEASURES

static bool contains(struct span span, const char *text)
{
	return span.length && memmem(span.at, span.length, text, strlen(text));
}

bool perf_event_is_tracepoint(struct span event)
{
	const char *colon = event.length ? memchr(event.at, ':', event.length) : NULL;

	if (!colon || memchr(event.at, '/', event.length))
		return false;
	for (const char *at = colon + 1; at < event.at + event.length; at++)
		if (!strchr("ukhGHpPSDIWeb", *at))
			return true;
	return false;
}

/* "cycles/P" of "cpu_core/cycles/P" and of "cpu_atom/cycles/P": no CPU has both. */
static struct span without_pmu(struct span event)
{
	const char *slash = event.length ? memchr(event.at, '/', event.length) : NULL;
	size_t used = slash ? (size_t)(slash - event.at) + 1 : 0;

	/* "cycles/period=9/" has no PMU in front. */
	if (!slash || !memmem(slash, event.length - used + 1, "cycles", 6))
		return event;
	return (struct span){event.at + used, event.length - used};
}

static struct perf_sampled sampled_of(struct perf_log *log, struct span event, uint32_t name)
{
	struct span kind = without_pmu(event);
	bool is_clock = contains(event, "cpu-clock") || contains(event, "task-clock");
	bool is_cycles = contains(event, "cycles") && !contains(event, "stalled");

	return (struct perf_sampled){.name = name,
		.kind = name ? intern_bytes(&log->table.texts, kind.at, kind.length) : 0,
		.is_clock = is_clock,
		.is_running =
			!name || (!perf_event_is_tracepoint(event) && (is_clock || is_cycles)),
		.is_scheduler = sched_event_of(event) == SCHED_OTHER};
}

uint32_t perf_log_sampled(struct perf_log *log, struct span event)
{
	uint32_t name = event.length ? intern_bytes(&log->table.texts, event.at, event.length) : 0;

	/* Most samples are of the event before, or there are few. */
	for (size_t i = 0; i < log->sampled.count; i++)
		if (log->sampled.at[i].name == name)
			return (uint32_t)i + 1;
	if (log->sampled.count == MAX_SAMPLED)
		return 0;
	vec_push(&log->sampled, sampled_of(log, event, name));
	return (uint32_t)log->sampled.count;
}

bool perf_log_has_names(const struct perf_log *log)
{
	vec_each (sampled, &log->sampled)
		if (sampled->name)
			return true;
	return false;
}

bool perf_sampled_has_periods(const struct perf_sampled *sampled)
{
	return sampled->samples && sampled->with_period == sampled->samples;
}

bool perf_log_shows(const struct perf_log *log, uint32_t measure)
{
	const struct perf_sampled *sampled = &log->sampled.at[measure - 1];

	return sampled->samples && !(sampled->is_scheduler && log->switches);
}

uint32_t perf_log_running(const struct perf_log *log)
{
	for (uint32_t i = 1; i <= log->sampled.count; i++)
		if (perf_log_shows(log, i) && log->sampled.at[i - 1].is_running)
			return i;
	return 0;
}

bool perf_log_is_running(const struct perf_log *log, uint32_t running, uint32_t measure)
{
	const struct perf_sampled *sampled = &log->sampled.at[measure - 1];

	return running && sampled->is_running && perf_log_shows(log, measure) &&
	       sampled->kind == log->sampled.at[running - 1].kind;
}
