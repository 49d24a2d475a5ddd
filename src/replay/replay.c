// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The state of each thread between two events: since when it is in which state, and whether a wake
 * is pending. Every event closes the open interval of the threads it names before it opens another,
 * so a thread's intervals cover its life without gap or overlap, whatever the log says.
 */
#include "replay/replay.h"

#include <stdlib.h>
#include <string.h>

#include "util/map64.h"

#define NOBODY UINT32_MAX
#define UNKNOWN (UINT32_MAX - 1) /* before its first switch, or its thread turned up elsewhere */

enum progress {
	SEEN,    /* named, but nothing is known of its state */
	RUNNING, /* */
	WOKEN,
	PREEMPTED,
	BLOCKED,
	DEAD,
};

/* Beside the thread of the same index in the result. */
struct now {
	uint64_t since_ns;
	uint64_t wake_ns;
	uint32_t stack;
	uint16_t cpu; /* running */
	uint8_t progress;
	char letter;
	bool has_wake;
	bool is_earlier;
	bool is_exiting;
	bool has_run;
};

struct cpu {
	uint64_t last_switch_ns;
	uint32_t current; /* index of the thread that was switched to; NOBODY: idle */
	bool has_switched;
};

struct replay {
	struct replay_result *result;
	replay_interval_fn each;
	void *context;
	VEC(struct now) nows;
	VEC(struct cpu) cpus;
	struct map64 by_tid; /* the living one: tid -> index */
	struct chains chains;
	const struct replay_chain *chain; /* of the wait that is being closed */
	bool has_waking;
	bool has_wakes;   /* any */
	bool has_blocked; /* sched_stat_blocked, which holds sched_stat_iowait */
};

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

static uint32_t add_thread(struct replay *replay, uint32_t tid, uint64_t start_ns)
{
	struct replay_thread thread = {.tid = tid, .start_ns = start_ns, .end_ns = start_ns};
	struct now now = {.since_ns = start_ns, .progress = SEEN, .is_earlier = !start_ns};
	uint32_t index = (uint32_t)replay->result->threads.count;

	vec_push(&replay->result->threads, thread);
	vec_push(&replay->nows, now);
	*map64_put(&replay->by_tid, tid, NULL) = index;
	return index;
}

/* The living thread of that tid; one that was never seen lives since the log's first event. */
static uint32_t thread_of(struct replay *replay, uint32_t tid, uint64_t at_ns)
{
	const uint64_t *known = map64_find(&replay->by_tid, tid);

	if (!known)
		return add_thread(replay, tid, 0);
	/* The tid is in use again, and its second birth was not logged. */
	if (replay->nows.at[*known].progress == DEAD)
		return add_thread(replay, tid, at_ns);
	return (uint32_t)*known;
}

static struct cpu *cpu_of(struct replay *replay, uint16_t number)
{
	while (replay->cpus.count <= number)
		vec_push(&replay->cpus, ((struct cpu){.current = UNKNOWN}));
	return &replay->cpus.at[number];
}

static void credit(
	struct replay *replay, uint32_t index, enum time_state state, uint64_t to_ns, bool is_open)
{
	struct replay_thread *thread = &replay->result->threads.at[index];
	struct now *now = &replay->nows.at[index];
	struct replay_interval interval = {.thread = index,
		.state = state,
		.letter = state == TIME_BLOCKED ? now->letter : 0,
		.is_open = is_open,
		.is_earlier = state != TIME_RUNNING && now->is_earlier,
		.stack = state == TIME_RUNNING ? 0 : now->stack,
		.from_ns = now->since_ns,
		.to_ns = to_ns,
		.chain = state == TIME_BLOCKED ? replay->chain : NULL};

	if (to_ns <= now->since_ns)
		return;
	thread->total_ns[state] += to_ns - now->since_ns;
	now->since_ns = to_ns;
	replay->each(&interval, replay->context);
}

static bool has_chains(const struct replay *replay)
{
	return replay->chains.depth && replay->has_waking;
}

/* The chain of the wait that ends at wake_ns, for the credit that follows. */
static void explain(
	struct replay *replay, uint32_t index, uint64_t wake_ns, bool is_awake, bool is_open)
{
	uint64_t since_ns = replay->nows.at[index].since_ns;
	struct chains *chains = &replay->chains;

	replay->chain = NULL;
	if (!has_chains(replay) || wake_ns <= since_ns)
		return;
	if (is_open && !is_awake)
		replay->chain = chains_not_woken(chains, wake_ns - since_ns);
	else
		replay->chain = chains_explain(chains, index, since_ns, wake_ns, is_awake);
}

/* Closes what a thread did while off its CPU, up to `at_ns`. */
static void close_off_cpu(struct replay *replay, uint32_t index, uint64_t at_ns, bool is_open)
{
	struct now *now = &replay->nows.at[index];
	uint8_t progress = now->progress;

	if (progress == SEEN)
		progress = now->has_wake || !replay->has_wakes || is_open ? BLOCKED : WOKEN;
	if (progress == BLOCKED) {
		/* A wake from before it fell asleep, and it still sleeps: that one ended nothing.
		 */
		bool is_awake = now->has_wake && !(is_open && now->wake_ns < now->since_ns);
		uint64_t wake_ns = is_awake && now->wake_ns < at_ns ? now->wake_ns : at_ns;
		if (!is_awake && !is_open && replay->has_wakes)
			replay->result->no_waker++;
		explain(replay, index, wake_ns, is_awake, is_open);
		if (has_chains(replay) && !is_open)
			chains_run_woken(&replay->chains, index,
				now->is_earlier ? CHAIN_STACK_EARLIER : now->stack, now->since_ns,
				wake_ns > now->since_ns ? wake_ns : now->since_ns, at_ns);
		credit(replay, index, TIME_BLOCKED, wake_ns, is_open && !is_awake);
		credit(replay, index, TIME_WOKEN, at_ns, is_open);
	} else if (progress == WOKEN || progress == PREEMPTED) {
		if (has_chains(replay) && !is_open)
			chains_run_queued(&replay->chains, index, now->since_ns, at_ns);
		credit(replay, index, progress == WOKEN ? TIME_WOKEN : TIME_PREEMPTED, at_ns,
			is_open);
	}
}

static void start_running(struct replay *replay, uint32_t index, uint64_t at_ns)
{
	struct now *now = &replay->nows.at[index];

	if (now->progress == RUNNING)
		credit(replay, index, TIME_RUNNING, at_ns, false);
	else
		close_off_cpu(replay, index, at_ns, false);
	now->progress = RUNNING;
	now->has_wake = false;
	now->is_earlier = false;
	now->has_run = true;
	now->letter = 0;
	if (now->since_ns < at_ns)
		now->since_ns = at_ns;
}

static void end_thread(struct replay *replay, uint32_t index)
{
	struct now *now = &replay->nows.at[index];

	now->progress = DEAD;
	replay->result->threads.at[index].end_ns = now->since_ns;
}

/*
 * Its switch away from this CPU is missing in the log. Whoever leaves the CPU now ran since the
 * CPU's last switch, so this one did not: it was away from then on, and its next event tells how.
 */
static void heal_current(struct replay *replay, uint32_t index)
{
	struct now *now = &replay->nows.at[index];

	if (now->progress != RUNNING)
		return;
	now->progress = SEEN;
	now->stack = 0;
	if (now->is_exiting)
		end_thread(replay, index);
}

static void leave(struct replay *replay, const struct replay_event *event, uint64_t at_ns)
{
	struct cpu *cpu = cpu_of(replay, event->cpu);
	uint32_t index = thread_of(replay, event->tid, cpu->last_switch_ns);
	struct now *now = &replay->nows.at[index];

	if (now->progress != RUNNING) {
		uint64_t came_ns = cpu->last_switch_ns;
		bool was_there = !cpu->has_switched && now->progress == SEEN;
		/* On a CPU's first switch it had been running all along, and a wake met it on its
		 * way to sleep; or, if it left another CPU before, it came since its wake: the log
		 * of this one began later. */
		bool keeps_wake = was_there && now->has_wake;
		if (!cpu->has_switched && !was_there) {
			replay->result->missed_switches++;
			if (now->has_wake)
				came_ns = now->wake_ns;
		}
		start_running(replay, index, came_ns);
		now->has_wake = keeps_wake;
	}
	credit(replay, index, TIME_RUNNING, at_ns, false);
	now = &replay->nows.at[index];
	now->stack = event->stack;
	now->is_earlier = false;
	if (event->is_dead) {
		end_thread(replay, index);
		return;
	}
	bool is_blocked = !event->is_preempted && event->letter != 'R';
	now->progress = is_blocked ? BLOCKED : PREEMPTED;
	now->letter = is_blocked ? event->letter : 0;
}

static void learn(struct replay *replay, uint32_t index, uint32_t pid, uint32_t comm)
{
	struct replay_thread *thread = &replay->result->threads.at[index];

	if (pid)
		thread->pid = pid;
	if (comm)
		thread->comm = comm;
}

/* Puts the thread onto its CPU; of where it still seems to run, its leaving was not seen. */
static void arrive(struct replay *replay, const struct replay_event *event, uint64_t at_ns)
{
	uint32_t index = thread_of(replay, event->other_tid, at_ns);
	struct now *now = &replay->nows.at[index];

	if (now->progress == RUNNING) {
		struct cpu *left = cpu_of(replay, now->cpu);
		replay->result->missed_switches++;
		if (left->current == index)
			left->current = UNKNOWN;
	}
	start_running(replay, index, at_ns);
	now->cpu = event->cpu;
	learn(replay, index, 0, event->other_comm);
	cpu_of(replay, event->cpu)->current = index;
}

static void on_switch(struct replay *replay, const struct replay_event *event, uint64_t at_ns)
{
	struct cpu *cpu = cpu_of(replay, event->cpu);
	const uint64_t *prev = event->tid ? map64_find(&replay->by_tid, event->tid) : NULL;

	replay->result->switches++;
	/* Each gap between one switch of a CPU and its next counts once. */
	if (cpu->current != UNKNOWN && cpu->current != (prev ? *prev : NOBODY)) {
		replay->result->missed_switches++;
		if (cpu->current != NOBODY)
			heal_current(replay, cpu->current);
	}
	if (event->tid) {
		leave(replay, event, at_ns);
		learn(replay, (uint32_t)*map64_find(&replay->by_tid, event->tid), event->pid,
			event->comm);
	}
	cpu->current = NOBODY;
	if (event->other_tid)
		arrive(replay, event, at_ns);
	cpu = cpu_of(replay, event->cpu);
	cpu->last_switch_ns = at_ns;
	cpu->has_switched = true;
}

/* A waker that was never seen otherwise is no thread of the log: it was awake all the time. */
static uint32_t waker_of(const struct replay *replay, uint32_t tid)
{
	const uint64_t *known = tid ? map64_find(&replay->by_tid, tid) : NULL;

	return known ? (uint32_t)*known : CHAIN_NOBODY;
}

static struct replay_waker how_of(const struct replay_event *event)
{
	enum hop_kind kind = event->hop_kind;

	return (struct replay_waker){
		kind, hop_kind_is_metal(kind) ? event->hop_name : event->other_comm, event->stack};
}

static void on_wake(struct replay *replay, const struct replay_event *event, uint64_t at_ns)
{
	if (!event->tid || (event->kind == REPLAY_WAKEUP && replay->has_waking))
		return;
	uint32_t index = thread_of(replay, event->tid, at_ns);
	struct now *now = &replay->nows.at[index];

	replay->result->wakes++;
	learn(replay, index, 0, event->comm);
	if (has_chains(replay))
		chains_wake(
			&replay->chains, index, waker_of(replay, event->other_tid), how_of(event));
	/* Also of one that runs: it may be falling asleep, and the waker waits for its switch. The
	 * last wake before it runs again counts. */
	now->has_wake = true;
	now->wake_ns = at_ns;
}

/* The creator as a waker: in a fork event it is the one that the event is about. */
static void note_creator(
	struct replay *replay, uint32_t index, const struct replay_event *event, uint64_t at_ns)
{
	bool is_fork = event->kind == REPLAY_FORK;
	struct replay_waker how = {
		HOP_FORK, is_fork ? event->comm : event->other_comm, is_fork ? 0 : event->stack};

	if (has_chains(replay))
		chains_birth(&replay->chains, index,
			waker_of(replay, is_fork ? event->tid : event->other_tid), how, at_ns);
}

static void on_birth(struct replay *replay, const struct replay_event *event, uint64_t at_ns)
{
	bool is_fork = event->kind == REPLAY_FORK;
	uint32_t tid = is_fork ? event->other_tid : event->tid;
	uint32_t comm = is_fork ? event->other_comm : event->comm;
	const uint64_t *known = map64_find(&replay->by_tid, tid);

	if (!tid)
		return;
	if (known) {
		struct now *now = &replay->nows.at[*known];
		/* sched_wakeup_new after sched_process_fork tells nothing new. */
		if (now->progress == WOKEN && !now->has_run)
			return;
		if (now->progress == RUNNING)
			credit(replay, (uint32_t)*known, TIME_RUNNING, at_ns, false);
		else if (now->progress != DEAD)
			close_off_cpu(replay, (uint32_t)*known, at_ns, false);
		if (now->progress != DEAD)
			end_thread(replay, (uint32_t)*known);
	}
	uint32_t index = add_thread(replay, tid, at_ns);
	replay->nows.at[index].progress = WOKEN;
	replay->nows.at[index].is_earlier = false;
	learn(replay, index, 0, comm);
	note_creator(replay, index, event, at_ns);
}

static void send_sample(struct replay *replay, uint32_t index, uint32_t stack, uint64_t at_ns)
{
	struct replay_interval sample = {.thread = index,
		.state = TIME_SAMPLE,
		.stack = stack,
		.from_ns = at_ns,
		.to_ns = at_ns};

	replay->result->samples++;
	replay->each(&sample, replay->context);
}

static void on_sample(struct replay *replay, const struct replay_event *event, uint64_t at_ns)
{
	if (!event->tid)
		return;
	/* perf's -1: a thread that has been reaped and still runs. */
	if (event->tid & REPLAY_NO_TID) {
		uint32_t current = cpu_of(replay, event->cpu)->current;
		if (current < UNKNOWN)
			send_sample(replay, current, event->stack, at_ns);
		else
			replay->result->unplaced++;
		return;
	}
	uint32_t index = thread_of(replay, event->tid, at_ns);
	struct now *now = &replay->nows.at[index];

	learn(replay, index, event->pid, event->comm);
	/* Nobody saw it come onto its CPU: it was there from the beginning, or came with the CPU's
	 * last switch. */
	if (now->progress == SEEN && !now->has_run) {
		const struct cpu *cpu = cpu_of(replay, event->cpu);
		start_running(replay, index, cpu->last_switch_ns);
		now->cpu = event->cpu;
	}
	send_sample(replay, index, event->stack, at_ns);
}

static void on_event(struct replay *replay, const struct replay_event *event, uint64_t at_ns)
{
	switch (event->kind) {
	case REPLAY_SWITCH:
		on_switch(replay, event, at_ns);
		break;
	case REPLAY_WAKING:
	case REPLAY_WAKEUP:
		on_wake(replay, event, at_ns);
		break;
	case REPLAY_FORK:
	case REPLAY_NEW:
		on_birth(replay, event, at_ns);
		break;
	case REPLAY_EXIT:
	case REPLAY_NAME:
		if (event->tid) {
			uint32_t index = thread_of(replay, event->tid, at_ns);
			learn(replay, index, event->pid, event->comm);
			replay->nows.at[index].is_exiting |= event->kind == REPLAY_EXIT;
		}
		break;
	case REPLAY_SAMPLE:
		on_sample(replay, event, at_ns);
		break;
	default:
		break;
	}
}

/* Threads that live on at the log's end. */
static void close_all(struct replay *replay)
{
	uint64_t end_ns = replay->result->window_ns;

	for (uint32_t i = 0; i < replay->nows.count; i++) {
		struct now *now = &replay->nows.at[i];
		if (now->progress == DEAD)
			continue;
		if (now->progress == RUNNING)
			credit(replay, i, TIME_RUNNING, end_ns, true);
		else
			close_off_cpu(replay, i, end_ns, true);
		end_thread(replay, i);
	}
}

/* A log without switches: each event is a piece of time on its own. */
static void on_piece(struct replay *replay, const struct replay_event *event, uint64_t at_ns)
{
	enum time_state state = event->kind == REPLAY_SAMPLE ? TIME_RUNNING : event->state;
	struct replay_interval interval = {.state = state,
		.letter = state == TIME_BLOCKED ? event->letter : 0,
		.stack = state == TIME_RUNNING ? 0 : event->stack};
	uint64_t ns = event->ns;

	if ((event->kind != REPLAY_SAMPLE && event->kind != REPLAY_WAITED) || !event->tid ||
		state >= TIME_STATES || (event->is_iowait && replay->has_blocked))
		return;
	uint32_t index = thread_of(replay, event->tid, 0);
	struct replay_thread *thread = &replay->result->threads.at[index];
	learn(replay, index, event->pid, event->comm);
	/* What passed before the log began is not part of it. */
	if (event->kind == REPLAY_WAITED && !event->is_whole && ns > at_ns)
		ns = at_ns;
	if (event->kind == REPLAY_SAMPLE)
		send_sample(replay, index, event->stack, 0);
	if (!ns || thread->end_ns > INT64_MAX - ns)
		return;
	interval.thread = index;
	interval.from_ns = thread->end_ns;
	interval.to_ns = thread->end_ns += ns;
	thread->total_ns[state] += ns;
	replay->each(&interval, replay->context);
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

static void tell_chains(const struct replay *replay, struct replay_result *result)
{
	result->chain_depth = has_chains(replay) ? replay->chains.depth : 0;
	result->chain_mismatches = replay->chains.mismatches;
	result->chain_truncated = replay->chains.truncated;
	result->chain_truncated_ns = replay->chains.truncated_ns;
}

void replay_run(struct replay_event *events, size_t count, uint32_t chain_depth,
	replay_interval_fn each, void *context, struct replay_result *ret)
{
	struct replay replay = {.result = ret, .each = each, .context = context};

	*ret = (struct replay_result){0};
	replay.chains.depth = chain_depth < CONTRACT_MAX_HOPS ? chain_depth : CONTRACT_MAX_HOPS;
	look_ahead(&replay, events, count);
	sort_events(events, count);
	for (size_t i = 0; i < count; i++) {
		uint64_t at_ns = events[i].time_ns == REPLAY_NO_TIME
					 ? ret->window_ns
					 : events[i].time_ns - ret->start_ns;
		if (ret->is_partial)
			on_piece(&replay, &events[i], at_ns);
		else if (events[i].time_ns != REPLAY_NO_TIME)
			on_event(&replay, &events[i], at_ns);
	}
	if (!ret->is_partial)
		close_all(&replay);
	tell_chains(&replay, ret);
	chains_clear(&replay.chains);
	vec_clear(&replay.nows);
	vec_clear(&replay.cpus);
	map64_clear(&replay.by_tid);
}

void replay_clear(struct replay_result *result)
{
	vec_clear(&result->threads);
}
