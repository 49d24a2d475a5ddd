/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What a thread has done until now, read in its own context: its books, and the time since its last
 * switch. The books are not touched.
 *
 * Who reads can be preempted. A switch changes `since`, so what was read around one is read again.
 * And a switch-in may have gone unseen, so that the books have the thread blocked while it plainly
 * runs: then it is read as its next switch-out will mend it.
 */
#ifndef DWELL_BPF_CALL_MOMENT_H
#define DWELL_BPF_CALL_MOMENT_H

#include "books.bpf.h"
#include "missed.bpf.h"
#include "open_call.bpf.h"

/* What a thread had done at a moment. */
struct call_moment {
	u64 now;
	u64 part_ns[TIME_STATES];
	/* Of them: since then, and not credited yet, because the switch-in was not seen. */
	u64 unseen_since; /* 0: there is none */
	u64 unseen_ns[TIME_STATES];
	u32 waits;
	u32 samples;
};

/* A switch between two readings is seen; with so many of them in a row nobody reads. */
#define MOMENT_TRIES 4

static __always_inline u64 from_window(u64 at)
{
	u64 start = window_start;

	return at < start ? start : at;
}

/* Adds [since, now), as its next switch will. */
static __always_inline void add_open_parts(
	struct cpu *cpu, struct thread *thread, u32 state, u64 since, struct call_moment *moment)
{
	u64 at, wake;

	since = from_window(since);
	if (since > moment->now)
		since = moment->now;
	if (state == TIME_RUNNING) {
		moment->part_ns[TIME_RUNNING] += moment->now - since;
		return;
	}
	at = missed_switch_in(cpu, thread, moment->now);
	at = from_window(at < since ? since : at);
	if (at > moment->now)
		at = moment->now;
	moment->part_ns[TIME_RUNNING] += moment->now - at;
	moment->unseen_since = since;
	for (u32 i = 0; i < TIME_STATES; i++)
		moment->unseen_ns[i] = 0;
	wake = since;
	if (state == TIME_BLOCKED) {
		wake = thread->wake;
		if (!wake || wake > at)
			wake = at;
		if (wake < since)
			wake = since;
		moment->unseen_ns[TIME_BLOCKED] = wake - since;
		state = TIME_WOKEN;
	}
	moment->unseen_ns[state & (TIME_STATES - 1)] = at - wake;
	for (u32 i = TIME_WOKEN; i < TIME_STATES; i++)
		moment->part_ns[i] += moment->unseen_ns[i];
}

/* False: it was switched again and again meanwhile. Global: verified once. */
__noinline int take_moment(struct thread *thread, struct call_moment *moment)
{
	const volatile struct thread *of = thread;
	struct call_books *books;
	struct cpu *cpu = this_cpu();

	if (!cpu || !thread || !moment)
		return false;
	books = call_books_of(thread);
	if (!books)
		return false;
#pragma clang loop unroll(disable)
	for (u32 i = 0; i < MOMENT_TRIES; i++) {
		u64 since = of->since;
		u32 state = of->state;

		barrier();
		moment->unseen_since = 0;
		for (u32 n = 0; n < TIME_STATES; n++)
			moment->part_ns[n] = of->total_ns[n];
		moment->waits = ((const volatile struct call_books *)books)->waits;
		moment->samples = ((const volatile struct call_books *)books)->samples;
		moment->now = bpf_ktime_get_ns();
		if (state == THREAD_NEW)
			state = was_running_since_start(cpu, thread) ? TIME_RUNNING
								     : state_at_start(thread);
		if (state >= TIME_STATES)
			return false;
		add_open_parts(cpu, thread, state, since, moment);
		barrier();
		if (of->since == since)
			return true;
	}
	return false;
}

#endif
