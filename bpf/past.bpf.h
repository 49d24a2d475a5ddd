/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What threads waited for lately. Whoever waits for a thread that itself waited several times
 * meanwhile wants to know of all of these waits, not only of the last. So each thread remembers its
 * last segments: pieces of its waits, each with the hop that it was spent on. They are disjoint and
 * ascending, and between two of them the thread was awake.
 *
 * A thread writes its own ring, at its switch-in; others read it from other CPUs while it may write
 * on, and two threads whose serials meet in one slot take the ring away from each other. Nothing
 * locks: a segment carries a check over its content and its owner, and a number; what does not fit,
 * or does not follow, is taken for unknown.
 */
#ifndef DWELL_PAST_BPF_H
#define DWELL_PAST_BPF_H

#include "chain.bpf.h"

#define PAST_ENTRIES CONTRACT_PAST_ENTRIES

/* What a segment was. */
enum past_what {
	PAST_RAN,     /* the hop was awake, or is metal */
	PAST_EARLIER, /* it did something that nobody remembers */
	PAST_REST,    /* behind the last hop */
	PAST_CUT,     /* as above, because more hops are not kept */
};

struct past {
	u64 from;
	u64 to;
	u64 chain;     /* id of the chain that explains it */
	u64 waited;    /* stack id: in what the thread itself waited */
	u32 no_cpu_us; /* of PAST_RAN: how long the hop had no CPU */
	u32 after_us;  /* how long the thread itself had none before its next wait. Not checked. */
	u32 check;
	u8 position; /* of the hop in the chain */
	u8 what;     /* enum past_what */
	u8 hop_count;
	u8 number; /* counts on from one to the next: where it does not, some are missing */
};

struct past_ring {
	u32 thread; /* its owner's serial */
	u32 head;   /* segments written */
	struct past at[PAST_ENTRIES];
};

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1);
	__type(key, u32);
	__type(value, struct past_ring);
} pasts SEC(".maps");

/* Number of rings, a power of two, less one. */
const volatile __u32 cfg_past_mask;

_Static_assert(sizeof(struct past_ring) == CONTRACT_PAST_BYTES, "as user space counts them");

static __always_inline struct past_ring *past_ring_of(u32 thread)
{
	u32 slot = thread & cfg_past_mask;

	return cfg_depth ? bpf_map_lookup_elem(&pasts, &slot) : NULL;
}

static __always_inline u32 past_check(const struct past *past, u32 thread)
{
	u64 sum = mix(mix(mix(thread, past->from), past->to), past->chain);

	sum = mix(mix(sum, past->waited), (u64)past->no_cpu_us << 32 | past->number << 24 |
						  past->position << 16 | past->what << 8 |
						  past->hop_count);
	return sum ^ sum >> 32;
}

/* Nothing of a wait can be remembered: neither is what was before it. */
static __always_inline void past_forget(struct thread *thread)
{
	thread->past_number++;
}

static __always_inline u32 to_us(u64 ns)
{
	return ns / 1000 > (u32)-1 ? (u32)-1 : ns / 1000;
}

/*
 * The thread's ring, ready for the segments of a wait. A new one begins with an empty segment at
 * the time since when the thread is known to be awake, if it has not waited before.
 */
static __always_inline void past_open(struct thread *thread, const struct chain *chain)
{
	struct past_ring *ring = past_ring_of(thread->serial);
	struct past *last;

	if (!ring || !thread->serial)
		return;
	if (ring->thread == thread->serial) {
		/* Not the first time if the wait before was over before it began. */
		if (ring->head) {
			last = &ring->at[(ring->head - 1) & (PAST_ENTRIES - 1)];
			last->after_us += to_us(chain->queued_ns);
		}
		return;
	}
	ring->thread = thread->serial;
	ring->head = 0;
	if (chain->woken && chain->off)
		return;
	last = &ring->at[0];
	__builtin_memset(last, 0, sizeof(*last));
	last->from = chain->woken ? chain->woken : chain->off;
	last->to = last->from;
	last->number = ++thread->past_number;
	last->after_us = to_us(chain->queued_ns);
	last->check = past_check(last, thread->serial);
	ring->head = 1;
}

#endif
