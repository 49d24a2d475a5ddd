// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Goes through a log: looks at all of it first for what it has, puts it in order, and takes one
 * event after the other; without switches, each as a piece of time on its own.
 */
#include "replay/replay_private.h"

#include <stdlib.h>

static int compare_events(const void *left, const void *right)
{
	const struct replay_event *a = left, *b = right;

	return a->time_ns < b->time_ns ? -1 : a->time_ns > b->time_ns;
}

/* A log is in order but for a few events, if any: only those are sorted, then merged. */
static void sort_events(struct replay_event *events, size_t count)
{
	VEC(struct replay_event) late = {0};
	uint64_t latest = 0;
	size_t kept = 0, total = count;

	for (size_t i = 0; i < count; i++) {
		if (events[i].time_ns < latest) {
			vec_push(&late, events[i]);
		} else {
			latest = events[i].time_ns;
			events[kept++] = events[i];
		}
	}
	vec_sort(&late, compare_events);
	/* Merged from the end; of equals those that came in order go first. */
	for (size_t left = late.count; left;) {
		if (kept && events[kept - 1].time_ns > late.at[left - 1].time_ns)
			events[--total] = events[--kept];
		else
			events[--total] = late.at[--left];
	}
	vec_clear(&late);
}

static void look_ahead(struct replay *replay, const struct replay_event *events, size_t count)
{
	struct replay_result *result = replay->result;
	uint64_t latest_ns = 0;

	result->start_ns = REPLAY_NO_TIME;
	result->is_partial = true;
	for (size_t i = 0; i < count; i++) {
		const struct replay_event *event = &events[i];
		bool is_waking = event->kind == REPLAY_WAKING;
		if (event->cpu >= result->cpus)
			result->cpus = event->cpu + 1u;
		result->is_partial &= event->kind != REPLAY_SWITCH;
		replay->has_waking |= is_waking;
		replay->has_blocked |=
			event->kind == REPLAY_WAITED && event->letter == 'D' && !event->is_iowait;
		replay->has_wakes |= is_waking || event->kind == REPLAY_WAKEUP;
		if (event->time_ns == REPLAY_NO_TIME)
			continue;
		if (event->time_ns < result->start_ns)
			result->start_ns = event->time_ns;
		if (event->time_ns > latest_ns)
			latest_ns = event->time_ns;
	}
	if (result->start_ns != REPLAY_NO_TIME)
		result->window_ns = latest_ns - result->start_ns;
}

/* A log without switches: each event is a piece of time on its own. */
static void on_piece(struct replay *replay, const struct replay_event *event, uint64_t at_ns)
{
	bool is_sample = event->kind == REPLAY_SAMPLE || event->kind == REPLAY_EVENT;
	enum time_state state = is_sample ? TIME_RUNNING : event->state;
	struct replay_interval interval = {.state = state,
		.letter = state == TIME_BLOCKED ? event->letter : 0,
		.stack = state == TIME_RUNNING ? 0 : event->stack};
	uint64_t ns = event->kind == REPLAY_EVENT ? 0 : event->ns;

	if (is_sample && !event->tid)
		replay_send_idle(replay, event, 0);
	if ((!is_sample && event->kind != REPLAY_WAITED) || !event->tid || state >= TIME_STATES ||
		(event->is_iowait && replay->has_blocked))
		return;
	uint32_t index = replay_thread_of(replay, event->tid, 0);
	struct replay_thread *thread = &replay->result->threads.at[index];
	replay_learn(replay, index, event->pid, event->comm);
	/* What passed before the log began is not part of it. */
	if (event->kind == REPLAY_WAITED && !event->is_whole && ns > at_ns)
		ns = at_ns;
	if (is_sample)
		replay_send_sample(replay, index, event, 0);
	if (!ns || thread->end_ns > INT64_MAX - ns)
		return;
	interval.thread = index;
	interval.from_ns = thread->end_ns;
	interval.to_ns = thread->end_ns += ns;
	thread->total_ns[state] += ns;
	replay->each(&interval, replay->context);
}

/* Threads that live on at the log's end. */
static void close_all(struct replay *replay)
{
	uint64_t end_ns = replay->result->window_ns;

	for (uint32_t i = 0; i < replay->nows.count; i++)
		replay_close_thread(replay, i, end_ns, true);
}

static void tell_chains(
	const struct replay_chains *chains, uint32_t depth, struct replay_result *result)
{
	result->chain_depth = depth;
	result->chain_mismatches = replay_chains_count(chains, COUNTER_CHAIN_MISMATCH);
	result->chain_truncated = replay_chains_count(chains, COUNTER_CHAIN_TRUNCATED);
	result->chain_truncated_ns = replay_chains_count(chains, COUNTER_CHAIN_TRUNCATED_NS);
}

void replay_run(struct replay_event *events, size_t count, uint32_t chain_depth,
	replay_interval_fn each, void *context, struct replay_result *ret)
{
	struct replay replay = {.result = ret, .each = each, .context = context};

	*ret = (struct replay_result){0};
	look_ahead(&replay, events, count);
	if (chain_depth > CONTRACT_MAX_HOPS)
		chain_depth = CONTRACT_MAX_HOPS;
	if (chain_depth && replay.has_waking)
		replay.chains = replay_chains_new(&ret->chains, chain_depth);
	sort_events(events, count);
	for (size_t i = 0; i < count; i++) {
		uint64_t at_ns = events[i].time_ns == REPLAY_NO_TIME
					 ? ret->window_ns
					 : events[i].time_ns - ret->start_ns;
		if (ret->is_partial)
			on_piece(&replay, &events[i], at_ns);
		else if (events[i].time_ns != REPLAY_NO_TIME)
			replay_on_event(&replay, &events[i], at_ns);
	}
	if (!ret->is_partial)
		close_all(&replay);
	if (replay.chains)
		tell_chains(replay.chains, chain_depth, ret);
	replay_chains_free(replay.chains);
	vec_clear(&replay.nows);
	vec_clear(&replay.cpus);
	map64_clear(&replay.by_tid);
}

void replay_clear(struct replay_result *result)
{
	vec_clear(&result->threads);
	chain_table_clear(&result->chains);
}
