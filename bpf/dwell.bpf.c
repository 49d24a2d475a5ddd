// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The programs: every switch, wake, birth, exec and sample. Each thread is at any time running,
 * runnable or blocked; a switch closes the open interval of both threads that take part and credits
 * it. The interval still open at the window's end is read out by an iterator (iterate.bpf.h) and
 * closed by user space.
 */
#include "books.bpf.h"
#include "credit.bpf.h"
#include "iterate.bpf.h"
#include "parts.bpf.h"
#include "stack.bpf.h"
#include "target.bpf.h"
#include "waker.bpf.h"

char LICENSE[] SEC("license") = "GPL";

/* Credits the wait [since, wake) of a thread that comes onto a CPU at `at`, and explains it. */
static __always_inline void end_wait(struct cpu *cpu, struct task_struct *task,
	struct thread *thread, u64 since, u64 wake, u64 at)
{
	struct chain *chain = chain_get(task, 0);
	u64 start = window_start, ns = wake - (since < start ? start : since);

	if (!cfg_depth || !explanation_begin(chain, thread)) {
		past_forget(thread);
		credit_wait(cpu, thread, since, wake);
		return;
	}
	explain(cpu, since, wake);
	if (wake <= start || is_skipped(ns))
		credit_wait(cpu, thread, since, wake);
	else if (thread->is_target)
		credit_parts(cpu, thread);
	past_open(thread, chain);
	remember(thread);
	chain_commit(chain, thread, since, wake, at);
}

/* Closes what a thread did before it came onto a CPU at `at`, and lets it run. */
static __noinline void switch_in(
	struct cpu *cpu, struct task_struct *task, struct thread *thread, u64 at)
{
	struct chain *chain;
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
		if (thread->is_target)
			count(cpu, COUNTER_MISSED_SWITCHES, 1);
		state = wake ? TIME_BLOCKED : TIME_PREEMPTED;
	}
	if (at < since)
		at = since;
	if (state == TIME_BLOCKED) {
		if (!wake) {
			if (thread->is_target)
				count(cpu, COUNTER_NO_WAKER, 1);
			wake = at;
		}
		/* A wake may come before the switch-out that it ends: then nothing was blocked. */
		if (wake < since)
			wake = since;
		if (wake > at)
			wake = at;
		end_wait(cpu, task, thread, since, wake, at);
		credit(cpu, thread, TIME_WOKEN, wake, at);
	} else if (state == TIME_WOKEN || state == TIME_PREEMPTED) {
		chain = chain_get(task, 0);
		if (chain)
			chain_queued(chain, since, at);
		credit(cpu, thread, state, since, at);
	}
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

/* A running thread becomes a target. */
static __always_inline void begin_life(struct thread *thread, u64 now)
{
	thread->is_target = true;
	thread->birth = now;
	thread->state = TIME_RUNNING;
	thread->since = now;
	thread->wake = 0;
}

/* A thread that was no target may have been renamed or moved into the cgroup. Runs in its context.
 */
static __always_inline bool has_joined(struct task_struct *task, struct thread *thread, u64 now)
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
	thread->is_announced = false;
	begin_life(thread, now);
	return true;
}

static __always_inline void switch_out(void *ctx, struct cpu *cpu, struct task_struct *task,
	struct thread *thread, bool preempt, u32 prev_state, u64 now)
{
	if (now < thread->since)
		now = thread->since;
	/* On this CPU since before the window, and nothing has happened here since. */
	if (thread->state == THREAD_NEW && thread->was_on_cpu && cpu->last_switch <= window_start)
		thread->state = TIME_RUNNING;
	if (thread->state != TIME_RUNNING) {
		/* Its switch-in was not seen: it took this CPU at the last switch that was. */
		if (cpu->last_switch > window_start && thread->is_target)
			count(cpu, COUNTER_MISSED_SWITCHES, 1);
		switch_in(cpu, task, thread, cpu->last_switch);
	}
	credit(cpu, thread, TIME_RUNNING, thread->since, now);
	thread->since = now;
	if (thread->is_target && !thread->is_announced && !is_in_exec(task, thread))
		announce(cpu, task, thread);
	if (prev_state & TASK_DEAD) {
		thread->state = THREAD_DEAD;
		if (thread->is_target)
			send_end(cpu, thread);
		return;
	}
	/* 6.1 passes the state of a task that a pending signal keeps queued: only __state tells. */
	if (!preempt && prev_state && task->__state) {
		thread->state = TIME_BLOCKED;
		thread->task_letter = letter_of_state(prev_state);
	} else {
		thread->state = TIME_PREEMPTED;
	}
	struct walk *walk = &cpu->walks[WALK_SWITCH];
	/* Of one that may wake others only this can be asked: in what it waited. */
	if (!thread->is_target && thread->state != TIME_BLOCKED)
		return;
	thread->kernel_stack = kernel_stack_now(ctx, cpu, walk);
	if (!thread->is_target)
		return;
	thread->user_stack = user_stack_now(ctx, cpu, walk, task, thread);
	thread->lacks_tables =
		cfg_user_stacks == USER_STACKS_TABLE && lacks_tables(walk, thread->user_stack);
	if (thread->lacks_tables)
		stacks_lacking++;
}

SEC("tp_btf/sched_switch")
int BPF_PROG(on_switch, bool preempt, struct task_struct *prev, struct task_struct *next,
	unsigned int prev_state)
{
	struct cpu *cpu = this_cpu();
	struct thread *thread;
	u64 now = bpf_ktime_get_ns();

	if (!cpu)
		return 0;
	if (now >= window_end) {
		/* The books are closed; a thread that dies before they are read leaves its page
		 * here. */
		if (prev_state & TASK_DEAD) {
			thread = bpf_task_storage_get(&threads, prev, NULL, 0);
			if (thread && thread->is_target && thread->state != THREAD_DEAD)
				send_end(cpu, thread);
		}
		return 0;
	}
	if (now >= window_start)
		count(cpu, COUNTER_SWITCHES, 1);
	if (prev->pid) {
		thread = bpf_task_storage_get(&threads, prev, NULL, 0);
		if (thread && (thread->is_target || has_joined(prev, thread, now) || cfg_depth))
			switch_out(ctx, cpu, prev, thread, preempt, prev_state, now);
	}
	if (next->pid) {
		thread = bpf_task_storage_get(&threads, next, NULL, 0);
		if (thread && (thread->is_target || cfg_depth))
			switch_in(cpu, next, thread, now);
	}
	cpu->last_switch = now;
	cpu->metal.depth = 0;
	cost_note(cpu, now, COUNTER_SWITCH_TIMED);
	return 0;
}

/* Names the waker's moment: sched_waking always runs in the waker's context, sched_wakeup does not.
 */
SEC("tp_btf/sched_waking")
int BPF_PROG(on_waking, struct task_struct *task)
{
	struct cpu *cpu = this_cpu();
	u64 now = bpf_ktime_get_ns();
	struct thread *thread;

	if (!cpu || now >= window_end)
		return 0;
	thread = bpf_task_storage_get(&threads, task, NULL, 0);
	if (thread) {
		thread->wake = now;
		if (cfg_depth)
			chain_wake(ctx, cpu, task, thread, now);
	}
	if (now >= window_start)
		count(cpu, COUNTER_WAKES, 1);
	cost_note(cpu, now, COUNTER_WAKE_TIMED);
	return 0;
}

/* Not sched_process_fork: that misses threads the kernel makes for itself (io_uring workers). */
SEC("tp_btf/task_newtask")
int BPF_PROG(on_new_thread, struct task_struct *task)
{
	struct cpu *cpu = this_cpu();
	struct task_struct *parent_task = bpf_get_current_task_btf();
	struct thread *thread, *parent;
	bool may_be_target = true;
	u64 now = bpf_ktime_get_ns();

	if (!cpu || now >= window_end)
		return 0;
	parent = bpf_task_storage_get(&threads, parent_task, NULL, 0);
	if (cfg_target_kind == TARGET_TIDS)
		may_be_target = false;
	if (cfg_target_kind == TARGET_COMMAND && !(parent && parent->is_followed))
		may_be_target = false;
	/*
	 * Threads of a target, not of a later process that was given its number. Who has no books
	 * before the window has not been met yet.
	 */
	if (cfg_target_kind == TARGET_PIDS &&
		!(task->tgid == parent_task->tgid &&
			(parent ? parent->is_target : now < window_start)))
		may_be_target = false;
	/* What can never be a target needs no storage, unless it may wake one. */
	if (!may_be_target && !cfg_depth)
		return 0;
	thread = create_thread(cpu, task);
	if (!thread)
		return 0;
	thread->birth = now;
	thread->since = now;
	thread->state = TIME_WOKEN;
	if (parent && task->tgid == parent_task->tgid)
		thread->image = parent->image;
	else if (!thread->image)
		thread->image = next_serial(&last_image);
	if (parent)
		thread->is_followed = parent->is_followed;
	thread->is_target = may_be_target && is_wanted(task, thread);
	if (thread->is_target)
		announce(cpu, task, thread);
	/* Of others nobody would take them away again; who wakes somebody asks for its own. */
	if (thread->is_target && parent && parent->image != thread->image &&
		cfg_user_stacks == USER_STACKS_TABLE)
		inherit_tables(parent->image, thread->image);
	return 0;
}

SEC("tp_btf/sched_process_exec")
int BPF_PROG(on_exec, struct task_struct *task)
{
	struct cpu *cpu = this_cpu();
	u64 now = bpf_ktime_get_ns();
	struct thread *thread;

	if (!cpu || now >= window_end)
		return 0;
	thread = bpf_task_storage_get(&threads, task, NULL, 0);
	if (!thread)
		return 0;
	/* A thread that was not the first takes over the process's id. */
	learn_ids(task, thread);
	/* A helper that the kernel starts in user space was a kernel thread until now. */
	thread->is_kernel_thread = BPF_CORE_READ(task, flags) & PF_KTHREAD;
	thread->image = next_serial(&last_image);
	thread->is_announced = false;
	thread->is_introduced = false;
	thread->mm = 0;
	/* COMMAND was waiting in dwell's own code until now: its life begins here. */
	if (thread->is_followed && !thread->is_target)
		begin_life(thread, now);
	if (thread->is_target) {
		announce(cpu, task, thread);
		if (cfg_user_stacks == USER_STACKS_TABLE)
			want_tables(thread->image, thread->pid, 0, true);
	}
	return 0;
}

/* Runs before the new name is set: the thread is announced again when it next leaves the CPU. */
SEC("tp_btf/task_rename")
int BPF_PROG(on_rename, struct task_struct *task)
{
	struct thread *thread = bpf_task_storage_get(&threads, task, NULL, 0);

	if (thread)
		thread->is_announced = false;
	return 0;
}

SEC("perf_event")
int on_sample(void *ctx)
{
	struct cpu *cpu = this_cpu();
	struct task_struct *task = bpf_get_current_task_btf();
	u64 now = bpf_ktime_get_ns();
	struct thread *thread;

	if (!cpu || now < window_start || now >= window_end || !task->pid)
		return 0;
	thread = bpf_task_storage_get(&threads, task, NULL, 0);
	if (!thread || !thread->is_target || thread->state == THREAD_DEAD)
		return 0;
	struct walk *walk = &cpu->walks[WALK_SAMPLE];
	u64 kernel_stack = kernel_stack_now(ctx, cpu, walk);
	u64 user_stack = user_stack_now(ctx, cpu, walk, task, thread);
	count(cpu, COUNTER_SAMPLES, 1);
	credit_sample(cpu, thread, kernel_stack, user_stack, now);
	cost_note(cpu, now, COUNTER_SAMPLE_TIMED);
	return 0;
}

/* Does nothing: when it has run on a CPU, no program that began before is still running there. */
SEC("raw_tp/sched_switch")
int on_barrier(void *ctx)
{
	return 0;
}

/*
 * The window's ends are set here, not by user space, which may lose its CPU between reading the
 * clock and telling the moment: then that is over already. Here nobody comes between the two.
 */
SEC("raw_tp/sched_switch")
int on_open(const u64 *ctx)
{
	u64 ahead = ctx[0], length = ctx[1];
	u64 start = bpf_ktime_get_ns() + ahead;

	window_end = length ? start + length : ~0ULL;
	window_start = start;
	return 0;
}

/* An earlier end that was set before stays. */
SEC("raw_tp/sched_switch")
int on_close(const u64 *ctx)
{
	u64 end = bpf_ktime_get_ns() + ctx[0];

	if (end < window_end)
		window_end = end;
	return 0;
}
