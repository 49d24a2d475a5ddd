// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Switches and wakes. Each thread is at any time running, runnable or blocked; a switch closes the
 * open interval of both threads that take part and credits it. The interval still open at the
 * window's end is read out by an iterator (iterate.bpf.c) and closed by user space.
 */
#include "awaited.bpf.h"
#include "books.bpf.h"
#include "credit.bpf.h"
#include "parts.bpf.h"
#include "kernel_stack.bpf.h"
#include "missed.bpf.h"
#include "queue.bpf.h"
#include "target.bpf.h"
#include "thin.bpf.h"
#include "waker.bpf.h"

/* Credits the wait [since, wake) of a thread that comes onto a CPU at `at`, and explains it. */
static __always_inline void end_wait(struct cpu *cpu, struct task_struct *task,
	struct thread *thread, u64 since, u64 wake, u64 at)
{
	struct chain *chain = is_thinned(thread) ? NULL : chain_get(task, 0);
	struct wait_scratch *wait = chain ? wait_scratch_of_cpu() : NULL;
	u64 start, from;

	if (cfg_awaited) {
		/* Paths are as this thread sees them. */
		volatile struct cpu *noted = cpu;
		noted->calls[AWAITED_IN_SWITCH].task = (u64)task;
		settle_await(cpu, thread, wake - since);
	}
	thread->was_short = wake - since < THIN_LONG_NS;
	thread->has_stale_chain = !wait;
	if (!wait) {
		past_forget(thread);
		credit_wait(cpu, thread, since, wake);
		return;
	}
	explain_begin(wait, chain, thread);
	wait->waited = waited_in(cpu, wait, thread);
	/* Read not before here: with more to keep in mind, 6.1 forgets how many hops there are. */
	start = window_start;
	from = since < start ? start : since;
	explain(cpu, wait, from, wake);
	if (wake <= start || is_skipped(wake - from))
		credit_wait(cpu, thread, since, wake);
	else if (thread->is_target)
		credit_parts(cpu, thread);
	past_open(wait, thread, chain);
	remember(wait, thread);
	chain_commit(chain, thread, wait->waited, since, wake, at);
}

/* Lets the thread carry that it had no CPU in [since, at). */
static __always_inline void note_queued(struct task_struct *task, u64 since, u64 at)
{
	struct chain *chain = chain_get(task, 0);
	u64 start;

	if (!chain)
		return;
	/* For how long a thread was runnable before the window began is not known. */
	start = window_start;
	if (since < start)
		since = start < at ? start : at;
	chain_queued(chain, since, at);
}

/*
 * Is what was not seen of it a loss? Before the window no time counts, and a thread that the start
 * iterator met on its way off a CPU, its switch already told, may have come back before it is
 * looked at again.
 */
static __always_inline bool is_counted(const struct thread *thread, u64 at)
{
	return thread->is_target && at >= window_start;
}

/*
 * The same value, of which the verifier knows nothing any more: what follows is one way for it,
 * however many led here.
 */
static __always_inline u64 forgotten(struct cpu *cpu, u64 value)
{
	volatile __u64 *place = &cpu->place;

	*place = value;
	return *place;
}

/* Closes what a thread did before it came onto a CPU at `at`, and lets it run. */
static __noinline void switch_in(
	struct cpu *cpu, struct task_struct *task, struct thread *thread, u64 at)
{
	u64 wake, since;
	u8 state;

	if (!cpu || !thread)
		return;
	since = thread->since;
	state = thread->state;
	wake = thread->wake;
	if (state == THREAD_NEW)
		state = state_at_start(thread);
	/*
	 * Its switch-out was not seen (6.1 can miss a look-up). When it left is unknown; that it
	 * ran all the time is the least likely.
	 */
	if (state == TIME_RUNNING) {
		if (is_counted(thread, at))
			count(cpu, COUNTER_MISSED_SWITCHES, 1);
		state = wake ? TIME_BLOCKED : TIME_PREEMPTED;
		thread->awaited = 0;
	}
	if (at < since)
		at = since;
	if (state == TIME_BLOCKED) {
		if (!wake) {
			if (is_counted(thread, at))
				count(cpu, COUNTER_NO_WAKER, 1);
			wake = at;
		}
		/* A wake may come before the switch-out that it ends: then nothing was blocked. */
		if (wake < since)
			wake = since;
		if (wake > at)
			wake = at;
		since = forgotten(cpu, since);
		wake = forgotten(cpu, wake);
		at = forgotten(cpu, at);
		end_wait(cpu, task, thread, since, wake, at);
		credit(cpu, thread, TIME_WOKEN, wake, at);
		tell_queue(cpu, thread, wake, at);
	} else if (state == TIME_WOKEN || state == TIME_PREEMPTED) {
		note_queued(task, since, at);
		credit(cpu, thread, state, since, at);
		tell_queue(cpu, thread, since, at);
	}
	thread->is_held_back = false;
	thread->moved_at = 0;
	end_ready(thread);
	thread->wake = 0;
	thread->state = TIME_RUNNING;
	thread->since = at;
}

/* The last word about a thread that leaves its CPU for ever. */
static __noinline void send_end(struct cpu *cpu, struct thread *thread)
{
	struct thread_now *now;

	if (!cpu || !thread)
		return;
	now = bpf_ringbuf_reserve(&records, sizeof(*now), 0);
	if (now) {
		fill_now(now, thread);
		bpf_ringbuf_submit(now, BPF_RB_NO_WAKEUP);
		return;
	}
	count(cpu, COUNTER_LOST_ENDS, 1);
	for (u32 i = 0; i < TIME_STATES; i++)
		count(cpu, COUNTER_LOST_ENDS_NS, thread->total_ns[i]);
}

/* A thread that was no target may have been renamed or moved into the cgroup. Runs in its context.
 */
static __always_inline bool has_joined(struct task_struct *task, struct thread *thread)
{
	if (!may_change())
		return false;
	if (cfg_target_kind == TARGET_COMM && thread->is_announced)
		return false;
	if (cfg_target_kind == TARGET_CGROUP &&
		thread->css_set == (u64)BPF_CORE_READ(task, cgroups))
		return false;
	/* Looked at, until the next rename. */
	thread->is_announced = true;
	if (!is_wanted(task, thread))
		return false;
	u64 now = bpf_ktime_get_ns();
	if (now >= window_end)
		return false;
	thread->is_announced = false;
	begin_life(thread, now);
	struct chain *chain = thread->is_near ? NULL : chain_get(task, 0);
	if (chain)
		chain_forget(chain);
	return true;
}

static __always_inline void switch_out(void *ctx, struct cpu *cpu, struct task_struct *task,
	struct thread *thread, bool preempt, u32 prev_state, u64 now)
{
	if (now < thread->since)
		now = thread->since;
	if (thread->state == THREAD_NEW && was_running_since_start(cpu, thread))
		thread->state = TIME_RUNNING;
	if (thread->state != TIME_RUNNING) {
		u64 at = cpu->last_switch;
		/* Its switch-in was not seen. */
		if ((at == SOME_TIME ? now : at) > window_start && thread->is_target)
			count(cpu, COUNTER_MISSED_SWITCHES, 1);
		at = missed_switch_in(cpu, thread, now);
		/* Who it took the CPU from was not seen. */
		cpu->queue.is_known = false;
		switch_in(cpu, task, thread, at);
	}
	credit(cpu, thread, TIME_RUNNING, thread->since, now);
	thread->since = now;
	if (thread->is_target && !thread->is_announced &&
		!is_in_exec(thread, (u64)BPF_CORE_READ(task, mm)))
		announce(cpu, task, thread);
	if (prev_state & TASK_DEAD) {
		thread->state = THREAD_DEAD;
		end_ready(thread);
		if (is_in_call(thread))
			calls_die(thread);
		if (thread->is_target)
			send_end(cpu, thread);
		return;
	}
	if (is_in_call(thread))
		note_call_switch(task, thread);
	/* 6.1 passes the state of a task that a pending signal keeps queued: only __state tells. */
	if (!preempt && prev_state && task->__state) {
		thread->state = TIME_BLOCKED;
		thread->task_letter = letter_of_state(prev_state);
		thread->awaited = 0;
		/* A wake while it still ran ended nothing, unless it is being made just now. */
		if (!(task->__state & TASK_WAKING))
			end_ready(thread);
	} else {
		thread->state = TIME_PREEMPTED;
		thread->is_held_back = is_held_back(task);
		begin_ready(thread);
	}
	if (!cfg_time_stacks) {
		thread->kernel_stack = STACK_SKIPPED;
		thread->user_stack = STACK_SKIPPED;
		return;
	}
	if (thin_out(cpu, thread, now))
		return;
	if (cfg_awaited && thread->state == TIME_BLOCKED &&
		(thread->is_target || thread->is_introduced || thread->is_kernel_thread))
		await_note(cpu, task, thread, AWAITED_IN_SWITCH);
	struct walk *walk = walk_in(WALK_SWITCH);
	/* A thread that may wake targets is asked for one thing only: in what it waited. */
	if (!walk || (!thread->is_target && thread->state != TIME_BLOCKED))
		return;
	thread->kernel_stack = kernel_stack_at_switch(ctx, cpu, walk);
	/* User space must know its image: it does once it has woken somebody who matters. */
	if (!thread->is_target && !thread->is_introduced) {
		/* Not that of the program before an exec. */
		thread->user_stack = STACK_NONE;
		return;
	}
	walk->memo_kind = MEMO_OF_SWITCH;
	thread->user_stack = user_stack_now(ctx, cpu, walk, thread);
	thread->lacks_tables = thread->is_target && cfg_user_stacks == USER_STACKS_TABLE &&
			       lacks_tables(walk, thread->user_stack);
	if (thread->lacks_tables)
		stacks_lacking++;
}

/* A switch of threads that are not tracked. */
static __always_inline void pass_by(
	struct cpu *cpu, struct task_struct *prev, struct task_struct *next)
{
	if (!somebody_is_ready()) {
		cpu->last_switch = SOME_TIME;
		note_comer(cpu, next);
		return;
	}
	cpu->last_switch = bpf_ktime_get_ns();
	note_leaver(cpu, prev);
	note_stay(cpu, next, cpu->last_switch);
}

SEC("tp_btf/sched_switch")
int BPF_PROG(on_switch, bool preempt, struct task_struct *prev, struct task_struct *next,
	unsigned int prev_state)
{
	struct cpu *cpu = this_cpu();
	struct thread *out = NULL, *in = NULL;
	u64 now;

	if (!cpu)
		return 0;
	now = cost_begin(cpu);
	cpu->metal.depth = 0;
	if (prev->pid)
		out = bpf_task_storage_get(&threads, prev, NULL, 0);
	if (next->pid)
		in = bpf_task_storage_get(&threads, next, NULL, 0);
	if (out && !out->is_target && !has_joined(prev, out) && !is_tracked(out))
		out = NULL;
	if (in && !is_tracked(in))
		in = NULL;
	if (!out && !in) {
		if (is_in_window(now))
			count(cpu, COUNTER_SWITCHES, 1);
		/*
		 * Before the window nobody asks, and who is on a CPU then was met there. Where all
		 * are recorded few are others, and each time can be had.
		 */
		if (window_start != ~0ULL)
			pass_by(cpu, prev, next);
		else
			cpu->stays.task = 0;
		cost_note(cpu, now, COUNTER_SWITCH_TIMED);
		return 0;
	}
	if (!now)
		now = bpf_ktime_get_ns();
	if (now >= window_end) {
		cpu->stays.task = 0;
		/* The books are closed; a thread that dies before they are read leaves its page
		 * here. */
		if (out && prev_state & TASK_DEAD && out->is_target && out->state != THREAD_DEAD)
			send_end(cpu, out);
		return 0;
	}
	if (now >= window_start)
		count(cpu, COUNTER_SWITCHES, 1);
	if (out)
		switch_out(ctx, cpu, prev, out, preempt, prev_state, now);
	note_leaver(cpu, prev);
	if (in)
		switch_in(cpu, next, in, now);
	cpu->last_switch = now;
	if (somebody_is_ready())
		note_stay(cpu, next, now);
	else
		note_comer(cpu, next);
	cost_note(cpu, now, COUNTER_SWITCH_TIMED);
	return 0;
}

#define TASK_ON_RQ_MIGRATING 2

/* A thread goes to the queue of another CPU. One that is woken is given its CPU before. */
SEC("tp_btf/sched_migrate_task")
int BPF_PROG(on_migrate, struct task_struct *task)
{
	struct thread *thread;

	if (task->on_rq != TASK_ON_RQ_MIGRATING)
		return 0;
	thread = bpf_task_storage_get(&threads, task, NULL, 0);
	if (!thread || !thread->is_target)
		return 0;
	thread->moved_from = thread->moved_at ? MOVED_OFTEN : cpu_of(task);
	thread->moved_at = bpf_ktime_get_ns();
	return 0;
}

/*
 * Names the waker's moment: sched_waking always runs in the waker's context, sched_wakeup does not.
 * Also goes on for on_first_wake.
 */
SEC("tp_btf/sched_waking")
int BPF_PROG(on_waking, struct task_struct *task)
{
	struct cpu *cpu = this_cpu();
	struct thread *thread;
	bool is_birth;
	u64 now;

	if (!cpu)
		return 0;
	is_birth = cpu->is_birth;
	cpu->is_birth = false;
	now = cost_begin(cpu);
	thread = bpf_task_storage_get(&threads, task, NULL, 0);
	if (thread && is_tracked(thread)) {
		if (!now)
			now = bpf_ktime_get_ns();
		if (now >= window_end)
			return 0;
		/* A thread that is born has no wait that this could end. */
		if (!is_birth)
			thread->wake = now;
		begin_ready(thread);
		if ((is_birth || thin_wake(cpu, task, thread, now)) && cfg_depth)
			chain_wake(ctx, cpu, task, thread, now, is_birth);
	}
	if (is_in_window(now))
		count(cpu, is_birth ? COUNTER_QUEUES : COUNTER_WAKES, 1);
	cost_note(cpu, now, is_birth ? COUNTER_QUEUE_TIMED : COUNTER_WAKE_TIMED);
	return 0;
}
