// SPDX-License-Identifier: GPL-2.0-or-later
/* What samples weigh, and how much time one stands for where it does not say so itself. */
#include <stdlib.h>

#include "format/perf_script.h"
#include "util/units.h"

#define ENOUGH_GAPS 100000
/* A period of a clock beyond that is no sample of a thread that runs. */
#define LONGEST_NS (3600 * NS_PER_S)

typedef VEC(uint64_t) times;

static int compare(const void *left, const void *right)
{
	const uint64_t *a = left, *b = right;

	return *a < *b ? -1 : *a > *b;
}

/* Between one sample and the next of the same CPU; an idle CPU has none, so the median is that of
 * busy times. */
static void collect_gaps(const struct perf_log *log, times *gaps)
{
	times last = {0};

	vec_each (event, &log->events) {
		if (event->kind != REPLAY_SAMPLE || event->time_ns == REPLAY_NO_TIME)
			continue;
		while (last.count <= event->cpu)
			vec_push(&last, REPLAY_NO_TIME);
		uint64_t before = last.at[event->cpu];
		if (before != REPLAY_NO_TIME && event->time_ns > before)
			vec_push(gaps, event->time_ns - before);
		last.at[event->cpu] = event->time_ns;
		if (gaps->count >= ENOUGH_GAPS)
			break;
	}
	vec_clear(&last);
}

static uint64_t usual_gap(const struct perf_log *log)
{
	times gaps = {0};
	uint64_t gap = NS_PER_MS;

	collect_gaps(log, &gaps);
	vec_sort(&gaps, compare);
	if (gaps.count >= 10)
		gap = gaps.at[gaps.count / 2];
	vec_clear(&gaps);
	return gap > NS_PER_S ? NS_PER_S : gap;
}

static void weigh_event(
	struct perf_log *log, uint32_t running, bool is_forced, struct replay_event *event)
{
	const struct perf_sampled *sampled = &log->sampled.at[event->measure - 1];
	bool has_period = perf_sampled_has_periods(sampled);

	if (!has_period)
		event->value = 1;
	if (!perf_log_is_running(log, running, event->measure)) {
		event->kind = REPLAY_EVENT;
		log->other_samples += sampled->is_running && event->tid;
	} else if (has_period && sampled->is_clock && !is_forced && event->value <= LONGEST_NS) {
		event->ns = event->value;
	}
	if (!perf_log_shows(log, event->measure))
		event->measure = 0;
}

uint64_t perf_log_weigh(struct perf_log *log, uint32_t hz)
{
	bool is_forced = hz > 0;
	uint64_t each_ns = is_forced ? NS_PER_S / hz : 0;
	uint32_t running = perf_log_running(log);

	vec_each (event, &log->events)
		if (event->kind == REPLAY_SAMPLE)
			weigh_event(log, running, is_forced, event);
	vec_each (event, &log->events) {
		if (event->kind != REPLAY_SAMPLE || (event->ns && !is_forced))
			continue;
		if (!each_ns)
			each_ns = log->sample_hz ? NS_PER_S / log->sample_hz : usual_gap(log);
		event->ns = each_ns;
	}
	return each_ns;
}
