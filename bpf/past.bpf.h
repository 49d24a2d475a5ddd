/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What threads waited for lately. Whoever waits for a thread that itself waited several times
 * meanwhile wants to know of all of these waits, not only of the last. So each thread remembers its
 * last segments: pieces of its waits, each with the hop that it was spent on. They are disjoint and
 * ascending, and between two of them the thread was awake.
 *
 * In the kernel a thread writes its own ring, at its switch-in; others read it from other CPUs
 * while it may write on, and two threads whose serials meet in one slot take the ring away from
 * each other. Nothing locks: a segment carries a check over its content and its owner, and a
 * number; what does not fit, or does not follow, is taken for unknown.
 *
 * Built for the kernel and for the host, see chain.bpf.h. Who includes this has struct past_ring
 * (`thread`, its owner's serial; `head`, the number of segments written; PAST_ENTRIES of struct
 * past as `at`; `history`), past_ring_of(), scaled() and barrier().
 */
#ifndef DWELL_PAST_BPF_H
#define DWELL_PAST_BPF_H

#include "history.bpf.h"

static __always_inline u32 past_check(const struct past *past, u32 thread)
{
	u64 sum = mix(mix(mix(thread, past->from), past->to), past->chain);

	sum = mix(mix(sum, past->waited), (u64)past->no_cpu << 32 | (u32)past->number << 24 |
						  past->position << 16 | past->what << 8 |
						  past->hop_count);
	return sum ^ sum >> 32;
}

/* Nothing of a wait can be remembered: neither is what was before it. */
static __always_inline void past_forget(struct thread *thread)
{
	thread->past_number++;
}

static __always_inline coarse_time to_coarse(u64 ns)
{
	return smaller(ns / COARSE_NS, (coarse_time)-1);
}

/*
 * The thread's ring, ready for the segments of a wait. A new one begins with an empty segment at
 * the time since when the thread is known to be awake, if it has not waited before.
 */
static __always_inline void past_open(
	struct wait_scratch *wait, struct thread *thread, const struct chain *chain)
{
	struct past_ring *ring = past_ring_of(wait, thread->serial);
	struct past *last;

	if (!ring || !thread->serial)
		return;
	if (ring->thread == thread->serial) {
		history_add(wait, thread, wait->from, chain->queued_ns);
		/* Not the first time if the wait before was over before it began. */
		if (ring->head) {
			last = &ring->at[(ring->head - 1) & (PAST_ENTRIES - 1)];
			last->after += to_coarse(chain->queued_ns);
		}
		return;
	}
	ring->thread = thread->serial;
	ring->head = 0;
	ring->history.now.at = 0;
	if (chain->woken == NOTHING_KNOWN || (chain->woken && chain->off)) {
		history_add(wait, thread, wait->from, 0);
		return;
	}
	history_add(wait, thread, chain->woken ? chain->woken : chain->off, chain->queued_ns);
	last = &ring->at[0];
	__builtin_memset(last, 0, sizeof(*last));
	last->from = chain->woken ? chain->woken : chain->off;
	last->to = last->from;
	last->number = ++thread->past_number;
	ring->history.number = last->number;
	last->after = to_coarse(chain->queued_ns);
	last->check = past_check(last, thread->serial);
	ring->head = 1;
}

/* Most waits have fewer. The verifier looks at each round of a loop. */
#define REMEMBERED_AT_ONCE 8

/* A part of remember(). Global: verified once. */
__noinline int remember_some(struct wait_scratch *wait, struct thread *thread, u32 first)
{
	struct past_ring *ring;
	struct segment *from;
	struct past *to;

	if (!wait || !thread)
		return 0;
	ring = past_ring_of(wait, thread->serial);
	if (!ring || ring->thread != thread->serial) {
		past_forget(thread);
		return 0;
	}
#pragma clang loop unroll(disable)
	for (u32 i = 0; i < REMEMBERED_AT_ONCE; i++) {
		if (first + i >= wait->segment_count)
			break;
		from = &wait->segments[bounded(first + i, MAX_SEGMENTS)];
		to = &ring->at[ring->head & (PAST_ENTRIES - 1)];
		to->from = from->from;
		to->to = from->to;
		to->chain = from->chain;
		to->waited = wait->waited;
		to->no_cpu = to_coarse(from->no_cpu_ns);
		to->after = 0;
		to->position = from->position;
		to->what = from->what;
		to->hop_count = from->hop_count;
		to->number = ++thread->past_number;
		to->check = past_check(to, thread->serial);
		barrier();
		ring->head++;
	}
	ring->history.number = (u8)thread->past_number;
	return 0;
}

/* Lets the thread remember the segments of its wait. */
static __always_inline void remember(struct wait_scratch *wait, struct thread *thread)
{
	u32 first = 0;

	/* Where it has no ring this forgets, even if there is nothing to remember. */
	do {
		remember_some(wait, thread, first);
		first += REMEMBERED_AT_ONCE;
	} while (first < MAX_SEGMENTS && first < wait->segment_count);
}

#endif
