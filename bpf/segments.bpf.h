/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The explanation of a wait on its way: a list of segments that tile the wait in the order of time,
 * each with the hop that it was spent on.
 */
#ifndef DWELL_SEGMENTS_BPF_H
#define DWELL_SEGMENTS_BPF_H

#include "past.bpf.h"

/* What is recalled may take this many segments; the hops themselves need two each at most. */
#define RECALLED_SEGMENTS 64
#define MAX_SEGMENTS 128

struct segment {
	u64 from;
	u64 to;
	u64 chain;
	u64 no_cpu_ns;
	u8 position;
	u8 what; /* enum past_what */
	u8 hop_count;
	u8 pad[5];
};

/* Of a waker: from when it woke to the end of the window, as the hop before left it. */
struct tail {
	u64 from;
	u64 to;
	u64 no_cpu_ns;
};

/* What recall.bpf.h keeps from one segment of the past to the next. */
struct recall {
	u64 at; /* told up to here */
	u64 off;
	u64 chain;   /* of the part before; 0: there is none */
	u64 prev_to; /* end of the wait before; 0: unknown */
	u64 newer;   /* where the segment behind begins */
	u32 prev_after_us;
	u32 head;
	u32 left;      /* segments to go */
	u32 hop_count; /* of the chain of the part before */
	u32 room;      /* for segments */
	u32 number;    /* of the next one back */
};

/* Scratch of switches, which run with interrupts off: one for each CPU. */
struct explanation {
	u64 from;
	u64 to;
	u64 left_from; /* what the hops so far have left unexplained */
	u64 left_to;
	u64 inner_no_cpu_ns; /* of the innermost hop */
	u64 cut_ns;          /* behind more hops than are kept */
	u32 count;           /* hops at hand */
	u32 segment_count;
	/* Where the part begins that is looked at. Kept here, the verifier forgets its value. */
	u32 part_first;
	u32 pad;
	struct recall recall;
	struct hop hops[CONTRACT_MAX_HOPS];
	struct tail tails[CONTRACT_MAX_HOPS];
	struct segment segments[MAX_SEGMENTS];
	struct wait_sum row;
	struct record_chain record;
};

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 1);
	__type(key, u32);
	__type(value, struct explanation);
} explanations SEC(".maps");

/* Old kernels verify global functions that nobody calls, too: without chains the map is not there.
 */
static __always_inline struct explanation *explanation_of_cpu(void)
{
	u32 zero = 0;

	return cfg_depth ? bpf_map_lookup_elem(&explanations, &zero) : NULL;
}

/*
 * An index below a power of two. The compiler takes away a mask that it finds needless, and 6.1
 * forgets the bounds of what it keeps on the stack.
 */
static __always_inline u32 bounded(u32 index, u32 power)
{
	barrier_var(index);
	return index & (power - 1);
}

static __always_inline u64 smaller(u64 a, u64 b)
{
	return a < b ? a : b;
}

static __always_inline void add_segment(struct explanation *e, u64 from, u64 to, u64 chain,
	u64 no_cpu_ns, u32 position, u32 what, u32 hop_count)
{
	u32 at = e->segment_count;
	struct segment *segment;

	if (from >= to || at >= MAX_SEGMENTS)
		return;
	segment = &e->segments[bounded(at, MAX_SEGMENTS)];
	segment->from = from;
	segment->to = to;
	segment->chain = chain;
	segment->no_cpu_ns = smaller(no_cpu_ns, to - from);
	segment->position = position;
	segment->what = what;
	segment->hop_count = hop_count;
	e->segment_count = at + 1;
	if (what == PAST_CUT)
		e->cut_ns += to - from;
}

/* The id of the chain whose links so far have made `id`. */
static __always_inline u64 finish_chain_id(u64 id, u32 end, u32 hop_count)
{
	id = mix(mix(id, end), hop_count);
	return id < CONTRACT_FIRST_CHAIN ? id + CONTRACT_FIRST_CHAIN : id;
}

static __always_inline void send_chain(struct cpu *cpu, struct explanation *e)
{
	u64 hops = e->record.hop_count;

	if (hops > CONTRACT_MAX_HOPS)
		hops = CONTRACT_MAX_HOPS;
	send_once(cpu, &e->record, e->record.id,
		__builtin_offsetof(struct record_chain, links) + hops * sizeof(struct chain_link));
}

/* Do the segments tile the wait? */
__noinline int check_segments(void)
{
	struct explanation *e = explanation_of_cpu();
	u64 at;

	if (!e)
		return 0;
	at = e->from;
#pragma clang loop unroll(disable)
	for (u32 i = 0; i < MAX_SEGMENTS; i++) {
		if (i >= e->segment_count)
			break;
		if (e->segments[i].from != at)
			return 0;
		at = e->segments[i].to;
	}
	return at == e->to;
}

/* Lets the thread remember the segments of its wait. */
__noinline int remember(struct thread *thread)
{
	struct explanation *e = explanation_of_cpu();
	struct past_ring *ring;
	struct segment *from;
	struct past *to;

	if (!e || !thread)
		return 0;
	ring = past_ring_of(thread->serial);
	if (!ring || ring->thread != thread->serial) {
		past_forget(thread);
		return 0;
	}
#pragma clang loop unroll(disable)
	for (u32 i = 0; i < MAX_SEGMENTS; i++) {
		if (i >= e->segment_count)
			break;
		from = &e->segments[bounded(i, MAX_SEGMENTS)];
		to = &ring->at[ring->head & (PAST_ENTRIES - 1)];
		to->from = from->from;
		to->to = from->to;
		to->chain = from->chain;
		to->waited = thread->kernel_stack;
		to->no_cpu_us = to_us(from->no_cpu_ns);
		to->after_us = 0;
		to->position = from->position;
		to->what = from->what;
		to->hop_count = from->hop_count;
		to->number = ++thread->past_number;
		to->check = past_check(to, thread->serial);
		barrier();
		ring->head++;
	}
	return 0;
}

#endif
