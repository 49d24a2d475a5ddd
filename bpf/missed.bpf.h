/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Switch-ins that no program saw: when they were, as far as can be told. */
#ifndef DWELL_BPF_MISSED_H
#define DWELL_BPF_MISSED_H

#include "state.bpf.h"

/* On this CPU since before the window, and nothing has happened here since. */
static __always_inline bool was_running_since_start(
	const struct cpu *cpu, const struct thread *thread)
{
	return thread->was_on_cpu && cpu->last_switch <= window_start;
}

/*
 * A thread runs here that is not known to: it took this CPU at the last switch that was seen. If
 * that was one of others, whose time is not known, it did not wait for the CPU; and if nobody is
 * known to have woken it, it did nothing but wait. What is read twice is not kept: 6.1 has no more
 * stack for the switch program.
 */
static __always_inline u64 missed_switch_in(
	const struct cpu *cpu, const struct thread *thread, u64 now)
{
	u64 at = cpu->last_switch;

	if (at == SOME_TIME && thread->state == TIME_BLOCKED && !thread->wake)
		at = now;
	if (at == SOME_TIME)
		at = thread->wake > thread->since ? thread->wake : thread->since;
	/* It cannot have run before it was woken. */
	if (thread->state == TIME_BLOCKED && thread->wake > at && thread->wake <= now)
		at = thread->wake;
	return at;
}

#endif
