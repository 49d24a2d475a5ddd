/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What a waker did before its last wait, inside the window of whoever waits for it: looked up in
 * what it remembers. Each of its segments there is a part of the wait with a chain of its own: the
 * hops up to the waker, and behind them those that explained the waker's wait. While it was awake
 * in between is its own share.
 */
#ifndef DWELL_RECALL_BPF_H
#define DWELL_RECALL_BPF_H

#include "segments.bpf.h"

static __always_inline u32 thread_of_hop(const struct explanation *e, u32 i)
{
	return e->hops[bounded(i, CONTRACT_MAX_HOPS)].thread;
}

/* The chain of the links so far, if that is all. */
static __always_inline u64 prefix_chain(struct cpu *cpu, struct explanation *e, u32 end)
{
	u64 links = e->record.id, id = finish_chain_id(links, end, e->record.hop_count);

	e->record.id = id;
	e->record.end = end;
	send_chain(cpu, e);
	e->record.id = links;
	return id;
}

/* The chain of the links so far and those of a segment of the past, as many as are kept. */
static __always_inline u64 joined_chain(
	struct cpu *cpu, struct explanation *e, const struct past *past)
{
	u64 links = e->record.id, id;

	if (past->chain < CONTRACT_FIRST_CHAIN)
		return prefix_chain(cpu, e, past->chain - CONTRACT_CHAIN_OF_END(0));
	if (e->record.hop_count >= cfg_depth)
		return prefix_chain(cpu, e, CHAIN_DEPTH_LIMIT);
	id = mix(mix(links, past->waited), past->chain);
	id = finish_chain_id(id, CHAIN_ENDS, e->record.hop_count);
	e->record.id = id;
	e->record.end = 0;
	e->record.suffix = past->chain;
	e->record.suffix_waited = past->waited;
	send_chain(cpu, e);
	e->record.id = links;
	e->record.suffix = 0;
	e->record.suffix_waited = 0;
	return id;
}

/* How long the waker had no CPU in [from, to) of the gap between its waits. */
static __always_inline u64 queued_in_gap(const struct recall *recall, u64 gap_to, u64 from, u64 to)
{
	u64 gap = gap_to - recall->prev_to, part;

	if (!recall->prev_to || gap_to <= recall->prev_to || to - from >= gap)
		return recall->prev_after_us * 1000ULL;
	part = ((to - from) << 10) / gap;
	return recall->prev_after_us * 1000ULL * part >> 10;
}

/* Takes over the oldest segment that is left; true if there is no more. Global: verified once. */
__noinline int recall_segment(u32 i)
{
	struct explanation *e = explanation_of_cpu();
	struct cpu *cpu = this_cpu();
	struct past_ring *ring;
	struct recall *recall;
	struct past past;
	u64 from, to, chain, no_cpu_ns = 0;
	u32 serial, number, position, what, hops;

	if (!e || !cpu || i >= CONTRACT_MAX_HOPS)
		return 1;
	recall = &e->recall;
	if (!recall->left || recall->at >= recall->off)
		return 1;
	serial = thread_of_hop(e, i);
	ring = past_ring_of(serial);
	if (!ring)
		return 1;
	number = recall->head - recall->left;
	recall->left--;
	past = ring->at[number & (PAST_ENTRIES - 1)];
	barrier();
	/* It may have been written over meanwhile. */
	if (ring->thread != serial || ring->head - number >= PAST_ENTRIES ||
		past.check != past_check(&past, serial) || past.to < recall->at) {
		add_segment(e, recall->at, recall->off, prefix_chain(cpu, e, CHAIN_EARLIER), 0, i,
			PAST_EARLIER, i + 1);
		recall->at = recall->off;
		return 1;
	}
	if (past.from >= recall->off)
		return 1;
	if (past.from == past.to) {
		/* Since here it is known. */
		recall->prev_to = past.to;
		recall->prev_after_us = past.after_us;
		return 0;
	}
	from = past.from < recall->at ? recall->at : past.from;
	to = smaller(past.to, recall->off);
	chain = joined_chain(cpu, e, &past);
	hops = i + 1 + past.hop_count;
	position = i + 1 + past.position;
	what = past.what;
	if (hops > cfg_depth) {
		hops = cfg_depth;
		if (position >= hops) {
			position = hops;
			what = PAST_CUT;
		}
	}
	if (from > recall->at)
		add_segment(e, recall->at, from, recall->chain ? recall->chain : chain,
			queued_in_gap(recall, past.from, recall->at, from), i, PAST_RAN,
			recall->chain ? recall->hop_count : hops);
	if (what == PAST_RAN)
		no_cpu_ns = past.no_cpu_us * 1000ULL;
	if (to - from < past.to - past.from)
		no_cpu_ns = no_cpu_ns * (((to - from) << 10) / (past.to - past.from)) >> 10;
	add_segment(e, from, to, chain, no_cpu_ns, position, what, hops);
	recall->at = to;
	recall->chain = chain;
	recall->hop_count = hops;
	recall->prev_to = past.to;
	recall->prev_after_us = past.after_us;
	return 0;
}

/*
 * Looks at the segment that is `back` from the waker's last: is it one that ends behind the
 * window's beginning? True if there is no use in going further back. Global: verified once.
 */
__noinline int recall_look(u32 i, u32 back)
{
	struct explanation *e = explanation_of_cpu();
	struct recall *recall;
	struct past_ring *ring;
	struct past *past;
	u32 serial, room;

	if (!e || i >= CONTRACT_MAX_HOPS)
		return 1;
	recall = &e->recall;
	serial = thread_of_hop(e, i);
	ring = past_ring_of(serial);
	if (!ring || back > recall->head)
		return 1;
	past = &ring->at[bounded(recall->head - back, PAST_ENTRIES)];
	if (back > 1 && past->number != (recall->number & 0xff))
		return 1;
	recall->number = past->number - 1;
	if (past->from >= recall->off)
		return 0;
	if (past->to > recall->at) {
		/* It may need one for the gap behind it, too. */
		room = past->to == recall->newer ? 1 : 2;
		if (recall->room < room)
			return 1;
		recall->room -= room;
		recall->newer = past->from;
		recall->left = back;
		return 0;
	}
	if (past->check == past_check(past, serial)) {
		recall->prev_to = past->to;
		recall->prev_after_us = past->after_us;
	}
	return 1;
}

/* Finds the segments of the waker that end behind the window's beginning, and one that does not. */
__noinline int recall_find(u32 i)
{
	struct explanation *e = explanation_of_cpu();
	struct past_ring *ring;
	u32 serial, used;

	if (!e || i >= CONTRACT_MAX_HOPS)
		return 0;
	serial = thread_of_hop(e, i);
	ring = past_ring_of(serial);
	if (!ring || !serial || ring->thread != serial)
		return 0;
	e->recall.head = ring->head;
	used = e->segment_count;
	e->recall.room = used < RECALLED_SEGMENTS ? RECALLED_SEGMENTS - used : 0;
#pragma clang loop unroll(disable)
	for (u32 back = 1; back < PAST_ENTRIES; back++)
		if (recall_look(i, back))
			break;
	return 0;
}

/* Tells what the i-th hop did in [from, off), before its last wait. */
__noinline int recall(u32 i, u64 from, u64 off)
{
	struct explanation *e = explanation_of_cpu();
	struct cpu *cpu = this_cpu();
	struct past_ring *ring;
	u64 first;

	if (!e || !cpu || i >= CONTRACT_MAX_HOPS)
		return 0;
	e->recall.at = from;
	e->recall.off = off;
	e->recall.chain = 0;
	e->recall.hop_count = 0;
	e->recall.prev_to = 0;
	e->recall.prev_after_us = 0;
	e->recall.left = 0;
	e->recall.newer = 0;
	recall_find(i);
	ring = past_ring_of(thread_of_hop(e, i));
	if (!e->recall.prev_to) {
		/* Its memory does not reach back to the beginning. */
		first = off;
		if (e->recall.left && ring)
			first = ring->at[(e->recall.head - e->recall.left) & (PAST_ENTRIES - 1)]
					.from;
		first = smaller(first, off);
		if (first > from) {
			add_segment(e, from, first, prefix_chain(cpu, e, CHAIN_EARLIER), 0, i,
				PAST_EARLIER, i + 1);
			e->recall.at = first;
		}
	}
#pragma clang loop unroll(disable)
	for (u32 step = 0; step < PAST_ENTRIES; step++)
		if (recall_segment(i))
			break;
	if (e->recall.at < off) {
		if (!e->recall.chain) {
			e->recall.chain = prefix_chain(cpu, e, CHAIN_AWAKE);
			e->recall.hop_count = i + 1;
		}
		add_segment(e, e->recall.at, off, e->recall.chain,
			queued_in_gap(&e->recall, off, e->recall.at, off), i, PAST_RAN,
			e->recall.hop_count);
	}
	return 0;
}

#endif
