/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What is left out to keep to --budget: stacks and chains, never time. Time is cut into short
 * pieces; in one of so many, chosen by chance and the same on all CPUs, every switch-out keeps its
 * stacks, and the chains of these waits are followed to their ends whenever they come. That is a
 * *burst*: within it wakers know what they waited for themselves, which a choice wait by wait would
 * tear apart. Long waits matter most and come seldom: after one, a thread's next stack is kept in
 * any case, and a wait that turns out to be long has its kernel stack taken before it ends.
 *
 * What was left out stays exact by thread, state, length and slice; user space shares it out among
 * what was chosen of that kind (src/capture/spread.c).
 */
#ifndef DWELL_THIN_BPF_H
#define DWELL_THIN_BPF_H

#include "awaited.bpf.h"
#include "open_call.bpf.h"

const volatile bool cfg_has_budget;
/* Makes the choice another one in each recording. */
const volatile __u64 cfg_burst_seed;
/* One of so many pieces of time is a burst; written by user space. */
volatile __u32 burst_every = 1;

/* A quarter of a millisecond: some dozens of waits of a busy thread. */
#define BURST_SHIFT 18
/* Waits from the band of 10 ms on. */
#define THIN_LONG_NS 10000000ULL

static __always_inline bool is_thinned(const struct thread *thread)
{
	return cfg_has_budget && thread->is_thinned;
}

/* Of each group of `every` pieces one is a burst. */
static __always_inline bool is_burst(u64 piece, u32 every)
{
	u64 group = piece / every;

	return piece - group * every == (u32)mix(cfg_burst_seed, group) % every;
}

static __always_inline bool is_in_burst(struct cpu *cpu, u64 now)
{
	u64 piece = now >> BURST_SHIFT;
	u32 every = burst_every;

	if (cpu->burst == piece)
		return cpu->is_in_burst;
	cpu->burst = piece;
	cpu->is_in_burst = is_burst(piece, every ? every : 1);
	if (cpu->is_in_burst && now >= window_start)
		count(cpu, COUNTER_BURSTS, 1);
	return cpu->is_in_burst;
}

/* A thread leaves its CPU: true if it does so without its stacks. */
static __always_inline bool thin_out(struct cpu *cpu, struct thread *thread, u64 now)
{
	if (!cfg_has_budget)
		return false;
	thread->is_chosen = thread->was_short && is_in_burst(cpu, now);
	/* Nobody knows yet whether a call will be slow. */
	thread->is_thinned = thread->was_short && !thread->is_chosen && !is_in_call(thread);
	if (thread->was_short && thread->is_target && now >= window_start)
		count(cpu, thread->is_thinned ? COUNTER_THINNED : COUNTER_CHOSEN, 1);
	if (!thread->is_thinned)
		return false;
	thread->kernel_stack = STACK_THINNED;
	thread->user_stack = STACK_THINNED;
	thread->lacks_tables = false;
	return true;
}

/* A wake: true if the waker is asked for. */
static __always_inline bool thin_wake(
	struct cpu *cpu, struct task_struct *task, struct thread *thread, u64 now)
{
	struct walk *walk;

	if (!is_thinned(thread) || thread->state != TIME_BLOCKED)
		return true;
	if (now - thread->since < THIN_LONG_NS)
		return false;
	walk = walk_in(WALK_WAKER);
	if (!walk)
		return false;
	/* It sleeps, and cannot run before this wake is through. */
	thread->kernel_stack = kernel_stack_of(task, cpu, walk);
	thread->is_thinned = false;
	await_note(cpu, task, thread, AWAITED_IN_WAKE);
	return true;
}

/* A thread that sleeps on at the end of the window, or at a commit. */
static __always_inline void thin_open(
	struct cpu *cpu, struct task_struct *task, struct thread *thread, struct thread_now *now)
{
	struct walk *walk = walk_in(WALK_ITERATOR);
	u64 stack;

	if (!walk || now->open_state != TIME_BLOCKED || now->wake_ns ||
		bpf_ktime_get_ns() - now->since_ns < THIN_LONG_NS)
		return;
	stack = kernel_stack_of(task, cpu, walk);
	/* Unless it has run meanwhile. */
	barrier();
	if (thread->since == now->since_ns && !thread->wake)
		now->kernel_stack = stack;
}

#endif
