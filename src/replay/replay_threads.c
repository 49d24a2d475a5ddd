// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The state of each thread between two events: since when it is in which state, and whether a wake
 * is pending. What is open is closed before another interval is opened, so a thread's intervals
 * cover its life without gap or overlap, whatever the log says.
 */
#include "replay/replay_private.h"

uint32_t replay_add_thread(struct replay *replay, uint32_t tid, uint64_t start_ns)
{
	struct replay_thread thread = {.tid = tid, .start_ns = start_ns, .end_ns = start_ns};
	struct replay_now now = {
		.since_ns = start_ns, .progress = PROGRESS_SEEN, .is_earlier = !start_ns};
	uint32_t index = (uint32_t)replay->result->threads.count;

	vec_push(&replay->result->threads, thread);
	vec_push(&replay->nows, now);
	*map64_put(&replay->by_tid, tid, NULL) = index;
	if (replay->chains)
		replay_chains_meet(replay->chains, start_ns);
	return index;
}

uint32_t replay_thread_of(struct replay *replay, uint32_t tid, uint64_t at_ns)
{
	const uint64_t *known = map64_find(&replay->by_tid, tid);

	if (!known)
		return replay_add_thread(replay, tid, 0);
	/* The tid is in use again, and its second birth was not logged. */
	if (replay->nows.at[*known].progress == PROGRESS_DEAD)
		return replay_add_thread(replay, tid, at_ns);
	return (uint32_t)*known;
}

struct replay_cpu *replay_cpu_of(struct replay *replay, uint16_t number)
{
	while (replay->cpus.count <= number)
		vec_push(&replay->cpus, ((struct replay_cpu){.current = CPU_UNKNOWN}));
	return &replay->cpus.at[number];
}

void replay_learn(struct replay *replay, uint32_t index, uint32_t pid, uint32_t comm)
{
	struct replay_thread *thread = &replay->result->threads.at[index];

	if (pid)
		thread->pid = pid;
	if (comm)
		thread->comm = comm;
}

void replay_credit(
	struct replay *replay, uint32_t index, enum time_state state, uint64_t to_ns, bool is_open)
{
	struct replay_thread *thread = &replay->result->threads.at[index];
	struct replay_now *now = &replay->nows.at[index];
	struct replay_interval interval = {.thread = index,
		.state = state,
		.letter = state == TIME_BLOCKED ? now->letter : 0,
		.is_open = is_open,
		.is_earlier = state != TIME_RUNNING && now->is_earlier,
		.stack = state == TIME_RUNNING ? 0 : now->stack,
		.from_ns = now->since_ns,
		.to_ns = to_ns};

	if (to_ns <= now->since_ns)
		return;
	if (state == TIME_BLOCKED && replay->part) {
		interval.is_part = !replay->part->is_last;
		interval.chain = replay->part->chain;
		interval.wait_ns = replay->wait_ns;
		interval.shares = replay->part->shares;
		interval.share_count = replay->part->share_count;
	}
	thread->total_ns[state] += to_ns - now->since_ns;
	now->since_ns = to_ns;
	replay->each(&interval, replay->context);
}

/* Explains the wait that ends at wake_ns, for the credit that follows. */
static void explain(
	struct replay *replay, uint32_t index, uint64_t wake_ns, bool is_awake, bool is_open)
{
	uint64_t since_ns = replay->nows.at[index].since_ns;

	if (!replay->chains || wake_ns <= since_ns)
		return;
	if (is_open && !is_awake)
		replay_chains_not_woken(replay->chains, since_ns, wake_ns);
	else
		replay_chains_explain(replay->chains, index, since_ns, wake_ns, is_awake);
}

/* Credits the wait that ends at wake_ns, part by part if it was explained. */
static void credit_wait(struct replay *replay, uint32_t index, uint64_t wake_ns, bool is_open)
{
	uint64_t since_ns = replay->nows.at[index].since_ns;
	struct chain_part part;
	uint32_t at = 0;

	if (wake_ns <= since_ns)
		return;
	if (replay->chains) {
		replay->wait_ns = wake_ns - since_ns;
		replay->part = &part;
		while (replay_chains_next_part(replay->chains, &at, &part))
			replay_credit(replay, index, TIME_BLOCKED, part.to_ns, is_open);
		replay->part = NULL;
	} else {
		replay_credit(replay, index, TIME_BLOCKED, wake_ns, is_open);
	}
}

/* Closes what a thread did while off its CPU, up to `at_ns`. */
static void close_off_cpu(struct replay *replay, uint32_t index, uint64_t at_ns, bool is_open)
{
	struct replay_now *now = &replay->nows.at[index];
	uint8_t progress = now->progress;

	if (progress == PROGRESS_SEEN)
		progress = now->has_wake || !replay->has_wakes || is_open ? PROGRESS_BLOCKED
									  : PROGRESS_WOKEN;
	if (progress == PROGRESS_BLOCKED) {
		/* A wake from before it fell asleep, and it still sleeps: that one ended nothing.
		 */
		bool is_awake = now->has_wake && !(is_open && now->wake_ns < now->since_ns);
		uint64_t wake_ns = is_awake && now->wake_ns < at_ns ? now->wake_ns : at_ns;
		if (!is_awake && !is_open && replay->has_wakes)
			replay->result->no_waker++;
		explain(replay, index, wake_ns, is_awake, is_open);
		if (replay->chains && !is_open)
			replay_chains_run_woken(replay->chains, index,
				now->is_earlier ? CHAIN_STACK_EARLIER : now->stack, now->since_ns,
				wake_ns > now->since_ns ? wake_ns : now->since_ns, at_ns);
		credit_wait(replay, index, wake_ns, is_open && !is_awake);
		replay_credit(replay, index, TIME_WOKEN, at_ns, is_open);
	} else if (progress == PROGRESS_WOKEN || progress == PROGRESS_PREEMPTED) {
		if (replay->chains && !is_open)
			replay_chains_run_queued(replay->chains, index, now->since_ns, at_ns);
		replay_credit(replay, index,
			progress == PROGRESS_WOKEN ? TIME_WOKEN : TIME_PREEMPTED, at_ns, is_open);
	}
}

void replay_start_running(struct replay *replay, uint32_t index, uint64_t at_ns)
{
	struct replay_now *now = &replay->nows.at[index];

	if (now->progress == PROGRESS_RUNNING)
		replay_credit(replay, index, TIME_RUNNING, at_ns, false);
	else
		close_off_cpu(replay, index, at_ns, false);
	now->progress = PROGRESS_RUNNING;
	now->has_wake = false;
	now->is_earlier = false;
	now->has_run = true;
	now->letter = 0;
	if (now->since_ns < at_ns)
		now->since_ns = at_ns;
}

void replay_end_thread(struct replay *replay, uint32_t index)
{
	struct replay_now *now = &replay->nows.at[index];

	now->progress = PROGRESS_DEAD;
	replay->result->threads.at[index].end_ns = now->since_ns;
}

void replay_close_thread(struct replay *replay, uint32_t index, uint64_t at_ns, bool is_open)
{
	uint8_t progress = replay->nows.at[index].progress;

	if (progress == PROGRESS_DEAD)
		return;
	if (progress == PROGRESS_RUNNING)
		replay_credit(replay, index, TIME_RUNNING, at_ns, is_open);
	else
		close_off_cpu(replay, index, at_ns, is_open);
	replay_end_thread(replay, index);
}

void replay_send_sample(
	struct replay *replay, uint32_t index, const struct replay_event *event, uint64_t at_ns)
{
	struct replay_interval sample = {.thread = index,
		.state = TIME_SAMPLE,
		.is_event = event->kind == REPLAY_EVENT || !event->tid,
		.stack = event->stack,
		.measure = event->measure,
		.value = event->value,
		.from_ns = at_ns,
		.to_ns = at_ns};

	replay->result->samples += !sample.is_event;
	replay->each(&sample, replay->context);
}

void replay_send_idle(struct replay *replay, const struct replay_event *event, uint64_t at_ns)
{
	if (!event->measure)
		return;
	if (!replay->has_idle) {
		replay->has_idle = true;
		replay->idle = replay_add_thread(replay, 0, 0);
		replay->nows.at[replay->idle].progress = PROGRESS_DEAD;
	}
	replay_learn(replay, replay->idle, 0, event->comm);
	replay_send_sample(replay, replay->idle, event, at_ns);
}
