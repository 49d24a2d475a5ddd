// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What each event of a log with switches means for the threads it names, and what to make of it if
 * the events before it do not fit: a switch that was not logged is healed and counted.
 */
#include "replay/replay_private.h"

/*
 * Its switch away from this CPU is missing in the log. Whoever leaves the CPU now ran since the
 * CPU's last switch, so this one did not: it was away from then on, and its next event tells how.
 */
static void heal_current(struct replay *replay, uint32_t index)
{
	struct replay_now *now = &replay->nows.at[index];

	if (now->progress != PROGRESS_RUNNING)
		return;
	now->progress = PROGRESS_SEEN;
	now->stack = 0;
	if (now->is_exiting)
		replay_end_thread(replay, index);
}

static void leave(struct replay *replay, const struct replay_event *event, uint64_t at_ns)
{
	struct replay_cpu *cpu = replay_cpu_of(replay, event->cpu);
	uint32_t index = replay_thread_of(replay, event->tid, cpu->last_switch_ns);
	struct replay_now *now = &replay->nows.at[index];

	if (now->progress != PROGRESS_RUNNING) {
		uint64_t came_ns = cpu->last_switch_ns;
		bool was_there = !cpu->has_switched && now->progress == PROGRESS_SEEN;
		/* On a CPU's first switch it had been running all along, and a wake met it on its
		 * way to sleep; or, if it left another CPU before, it came since its wake: the log
		 * of this one began later. */
		bool keeps_wake = was_there && now->has_wake;
		if (!cpu->has_switched && !was_there) {
			replay->result->missed_switches++;
			if (now->has_wake)
				came_ns = now->wake_ns;
		}
		replay_start_running(replay, index, came_ns);
		now->has_wake = keeps_wake;
	}
	replay_credit(replay, index, TIME_RUNNING, at_ns, false);
	now = &replay->nows.at[index];
	now->stack = event->stack;
	now->is_earlier = false;
	if (event->is_dead) {
		replay_end_thread(replay, index);
		return;
	}
	bool is_blocked = !event->is_preempted && event->letter != 'R';
	now->progress = is_blocked ? PROGRESS_BLOCKED : PROGRESS_PREEMPTED;
	now->letter = is_blocked ? event->letter : 0;
}

/* Puts the thread onto its CPU; of where it still seems to run, its leaving was not seen. */
static void arrive(struct replay *replay, const struct replay_event *event, uint64_t at_ns)
{
	uint32_t index = replay_thread_of(replay, event->other_tid, at_ns);
	struct replay_now *now = &replay->nows.at[index];

	if (now->progress == PROGRESS_RUNNING) {
		struct replay_cpu *left = replay_cpu_of(replay, now->cpu);
		replay->result->missed_switches++;
		if (left->current == index)
			left->current = CPU_UNKNOWN;
	}
	replay_start_running(replay, index, at_ns);
	now->cpu = event->cpu;
	replay_learn(replay, index, 0, event->other_comm);
	replay_cpu_of(replay, event->cpu)->current = index;
}

static void on_switch(struct replay *replay, const struct replay_event *event, uint64_t at_ns)
{
	struct replay_cpu *cpu = replay_cpu_of(replay, event->cpu);
	const uint64_t *prev = event->tid ? map64_find(&replay->by_tid, event->tid) : NULL;

	replay->result->switches++;
	/* Each gap between one switch of a CPU and its next counts once. */
	if (cpu->current != CPU_UNKNOWN && cpu->current != (prev ? *prev : CPU_NOBODY)) {
		replay->result->missed_switches++;
		if (cpu->current != CPU_NOBODY)
			heal_current(replay, cpu->current);
	}
	if (event->tid) {
		leave(replay, event, at_ns);
		replay_learn(replay, (uint32_t)*map64_find(&replay->by_tid, event->tid), event->pid,
			event->comm);
	}
	cpu->current = CPU_NOBODY;
	if (event->other_tid)
		arrive(replay, event, at_ns);
	cpu = replay_cpu_of(replay, event->cpu);
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
	uint32_t index = replay_thread_of(replay, event->tid, at_ns);
	struct replay_now *now = &replay->nows.at[index];

	replay->result->wakes++;
	replay_learn(replay, index, 0, event->comm);
	if (replay->chains)
		replay_chains_wake(replay->chains, index, waker_of(replay, event->other_tid),
			how_of(event), at_ns);
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

	if (replay->chains)
		replay_chains_birth(replay->chains, index,
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
		struct replay_now *now = &replay->nows.at[*known];
		/* sched_wakeup_new after sched_process_fork tells nothing new. */
		if (now->progress == PROGRESS_WOKEN && !now->has_run)
			return;
		replay_close_thread(replay, (uint32_t)*known, at_ns, false);
	}
	uint32_t index = replay_add_thread(replay, tid, at_ns);
	replay->nows.at[index].progress = PROGRESS_WOKEN;
	replay->nows.at[index].is_earlier = false;
	replay_learn(replay, index, 0, comm);
	note_creator(replay, index, event, at_ns);
}

static void on_sample(struct replay *replay, const struct replay_event *event, uint64_t at_ns)
{
	if (!event->tid) {
		replay_send_idle(replay, event, at_ns);
		return;
	}
	/* perf's -1: a thread that has been reaped and still runs. */
	if (event->tid & REPLAY_NO_TID) {
		uint32_t current = replay_cpu_of(replay, event->cpu)->current;
		if (current < CPU_UNKNOWN)
			replay_send_sample(replay, current, event, at_ns);
		else
			replay->result->unplaced++;
		return;
	}
	uint32_t index = replay_thread_of(replay, event->tid, at_ns);
	struct replay_now *now = &replay->nows.at[index];

	replay_learn(replay, index, event->pid, event->comm);
	/* Nobody saw it come onto its CPU: it was there from the beginning, or came with the CPU's
	 * last switch. */
	if (now->progress == PROGRESS_SEEN && !now->has_run) {
		const struct replay_cpu *cpu = replay_cpu_of(replay, event->cpu);
		replay_start_running(replay, index, cpu->last_switch_ns);
		now->cpu = event->cpu;
	}
	replay_send_sample(replay, index, event, at_ns);
}

void replay_on_event(struct replay *replay, const struct replay_event *event, uint64_t at_ns)
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
			uint32_t index = replay_thread_of(replay, event->tid, at_ns);
			replay_learn(replay, index, event->pid, event->comm);
			replay->nows.at[index].is_exiting |= event->kind == REPLAY_EXIT;
		}
		break;
	case REPLAY_SAMPLE:
	case REPLAY_EVENT:
		on_sample(replay, event, at_ns);
		break;
	default:
		break;
	}
}
