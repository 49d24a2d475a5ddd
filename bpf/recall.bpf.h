/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What a waker did before its last wait, inside the window of whoever waits for it: looked up in
 * what it remembers. Each of its segments there is a part of the wait with a chain of its own: the
 * hops up to the waker, and behind them those that explained the waker's wait. While it was awake
 * in between is its own share.
 *
 * Built for the kernel and for the host, see chain.bpf.h. Who includes this has depth_of(), the
 * number of hops that are kept; send_chain(), which takes note of the chain in wait->record by its
 * id; and scaled(), which says how much of a time, spread evenly over a whole, is in a part of it.
 */
#ifndef DWELL_RECALL_BPF_H
#define DWELL_RECALL_BPF_H

#include "past.bpf.h"

static __always_inline u32 thread_of_hop(const struct wait_scratch *wait, u32 i)
{
	return wait->hops[bounded(i, CONTRACT_MAX_HOPS)].thread;
}

/* The chain of the links so far, if that is all. */
static __always_inline u64 prefix_chain(struct cpu *cpu, struct wait_scratch *wait, u32 end)
{
	u64 links = wait->record.id, id = finish_chain_id(links, end, wait->record.hop_count);

	wait->record.id = id;
	wait->record.end = end;
	send_chain(cpu, wait);
	wait->record.id = links;
	return id;
}

/*
 * The chain of the links so far and those that explain a wait of the last hop, which waited in
 * `waited`, as many as are kept.
 */
static __always_inline u64 joined_chain(
	struct cpu *cpu, struct wait_scratch *wait, u64 chain, u64 waited)
{
	u64 links = wait->record.id, id;

	if (chain < CONTRACT_FIRST_CHAIN)
		return prefix_chain(cpu, wait, chain - CONTRACT_CHAIN_OF_END(0));
	if (wait->record.hop_count >= depth_of(wait))
		return prefix_chain(cpu, wait, CHAIN_DEPTH_LIMIT);
	id = mix(mix(links, waited), chain);
	id = finish_chain_id(id, CHAIN_ENDS, wait->record.hop_count);
	wait->record.id = id;
	wait->record.end = 0;
	wait->record.suffix = chain;
	wait->record.suffix_waited = waited;
	send_chain(cpu, wait);
	wait->record.id = links;
	wait->record.suffix = 0;
	wait->record.suffix_waited = 0;
	return id;
}

/* Tells what the k-th habit had of the i-th hop's forgotten waits. Global: verified once. */
__noinline int tell_habit(struct cpu *cpu, struct wait_scratch *wait, u32 i, u32 k)
{
	struct recall *recall;
	struct habit *habit;
	u64 ns, from, chain;
	u32 hops;

	if (!wait || !cpu || i >= CONTRACT_MAX_HOPS || k >= HABITS)
		return 0;
	recall = &wait->recall;
	habit = &recall->habits[k];
	from = recall->habits_from;
	hops = i + 1 + habit->hop_count;
	/* A chain that is cut is another one; such time stays untold. */
	if (!habit->ns || hops > depth_of(wait))
		return 0;
	ns = (u64)(u32)(recall->sums[1].habits[k] - recall->sums[0].habits[k]) * HABIT_NS;
	ns = smaller(ns, recall->habits_to - from);
	if (!ns || wait->segment_count >= RECALLED_SEGMENTS + HABITS)
		return 0;
	recall->habits_from = from + ns;
	chain = joined_chain(cpu, wait, habit->chain, habit->waited);
	add_segment(wait, from, from + ns, chain, scaled(ns, habit->no_cpu_ns, habit->ns),
		i + 1 + habit->position, PAST_RAN, hops);
	return 0;
}

/*
 * Tells of [from, to), of which the i-th hop remembers no single wait any more, how long it was
 * awake, and of its habits what for. The kinds of time are right, their order is not known. Global:
 * verified once.
 */
__noinline int tell_earlier(struct cpu *cpu, struct wait_scratch *wait, u32 i, u64 from, u64 to)
{
	u64 chain, blocked = to - from, queued = 0;
	struct recall *recall;
	bool is_known = false;

	if (!wait || !cpu || i >= CONTRACT_MAX_HOPS)
		return 0;
	recall = &wait->recall;
	chain = prefix_chain(cpu, wait, CHAIN_EARLIER);
	/* The waker may be writing just now: once more, then. */
#pragma clang loop unroll(disable)
	for (u32 turn = 0; turn < 2 && !is_known; turn++)
		is_known = history_recall(wait, thread_of_hop(wait, i), from, to);
	if (is_known) {
		blocked = smaller(recall->sums[1].blocked_ns - recall->sums[0].blocked_ns +
					  recall->sums[0].at - from,
			blocked);
		queued = recall->sums[1].queued_ns - recall->sums[0].queued_ns;
	}
	add_segment(wait, from, to - blocked, chain, queued, i, PAST_RAN, i + 1);
	recall->habits_from = to - blocked;
	recall->habits_to = to;
	if (is_known) {
#pragma clang loop unroll(disable)
		for (u32 k = 0; k < HABITS; k++)
			tell_habit(cpu, wait, i, k);
	}
	add_segment(wait, recall->habits_from, to, chain, 0, i, PAST_EARLIER, i + 1);
	return 0;
}

/* How long the waker had no CPU in [from, to) of the gap between its waits. */
static __always_inline u64 queued_in_gap(const struct recall *recall, u64 gap_to, u64 from, u64 to)
{
	u64 gap = gap_to - recall->prev_to;

	if (!recall->prev_to || gap_to <= recall->prev_to || to - from >= gap)
		return recall->prev_after * COARSE_NS;
	return scaled(recall->prev_after * COARSE_NS, to - from, gap);
}

/* Takes over the oldest segment that is left; true if there is no more. Global: verified once. */
__noinline int recall_segment(struct cpu *cpu, struct wait_scratch *wait, u32 i)
{
	struct past_ring *ring;
	struct recall *recall;
	struct past past;
	u64 from, to, chain, no_cpu_ns = 0;
	u32 serial, number, position, what, hops;

	if (!wait || !cpu || i >= CONTRACT_MAX_HOPS)
		return 1;
	recall = &wait->recall;
	if (!recall->left || recall->at >= recall->off)
		return 1;
	serial = thread_of_hop(wait, i);
	ring = past_ring_of(wait, serial);
	if (!ring)
		return 1;
	number = recall->head - recall->left;
	recall->left--;
	past = ring->at[number & (PAST_ENTRIES - 1)];
	barrier();
	/* The waker goes on running: its ring may have wrapped while the entry was copied. */
	if (ring->thread != serial || ring->head - number >= PAST_ENTRIES ||
		past.check != past_check(&past, serial) || past.to < recall->at) {
		recall->is_lost = true;
		return 1;
	}
	if (past.from >= recall->off)
		return 1;
	if (past.from == past.to) {
		/* Since here it is known. */
		recall->prev_to = past.to;
		recall->prev_after = past.after;
		return 0;
	}
	from = past.from < recall->at ? recall->at : past.from;
	to = smaller(past.to, recall->off);
	chain = joined_chain(cpu, wait, past.chain, past.waited);
	hops = i + 1 + past.hop_count;
	position = i + 1 + past.position;
	what = past.what;
	if (hops > depth_of(wait)) {
		hops = depth_of(wait);
		if (position >= hops) {
			position = hops;
			what = PAST_CUT;
		}
	}
	if (from > recall->at)
		add_segment(wait, recall->at, from, recall->chain ? recall->chain : chain,
			queued_in_gap(recall, past.from, recall->at, from), i, PAST_RAN,
			recall->chain ? recall->hop_count : hops);
	if (what == PAST_RAN)
		no_cpu_ns = past.no_cpu * COARSE_NS;
	if (to - from < past.to - past.from)
		no_cpu_ns = scaled(no_cpu_ns, to - from, past.to - past.from);
	add_segment(wait, from, to, chain, no_cpu_ns, position, what, hops);
	recall->at = to;
	recall->chain = chain;
	recall->hop_count = hops;
	recall->prev_to = past.to;
	recall->prev_after = past.after;
	return 0;
}

/*
 * Looks at the segment that is `back` from the waker's last: is it one that ends behind the
 * window's beginning? True if there is no use in going further back. Global: verified once.
 */
__noinline int recall_look(struct wait_scratch *wait, u32 i, u32 back)
{
	struct recall *recall;
	struct past_ring *ring;
	struct past *past;
	u32 serial, room;

	if (!wait || i >= CONTRACT_MAX_HOPS)
		return 1;
	recall = &wait->recall;
	serial = thread_of_hop(wait, i);
	ring = past_ring_of(wait, serial);
	if (!ring || back > recall->head)
		return 1;
	past = &ring->at[bounded(recall->head - back, PAST_ENTRIES)];
	if (back > 1 && past->number != (recall->number & 0xff))
		return 1;
	recall->number = past->number - 1;
	if (past->from >= recall->off)
		return 0;
	if (past->to > recall->at) {
		/* An entry takes one segment, and the gap between it and the newer one another. */
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
		recall->prev_after = past->after;
	}
	return 1;
}

/* Finds the segments of the waker that end behind the window's beginning, and one that does not. */
__noinline int recall_find(struct wait_scratch *wait, u32 i)
{
	struct past_ring *ring;
	u32 serial, used;

	if (!wait || i >= CONTRACT_MAX_HOPS)
		return 0;
	serial = thread_of_hop(wait, i);
	ring = past_ring_of(wait, serial);
	if (!ring || !serial || ring->thread != serial)
		return 0;
	wait->recall.head = ring->head;
	used = wait->segment_count;
	wait->recall.room = used < RECALLED_SEGMENTS ? RECALLED_SEGMENTS - used : 0;
#pragma clang loop unroll(disable)
	for (u32 back = 1; back < PAST_ENTRIES; back++)
		if (recall_look(wait, i, back))
			break;
	return 0;
}

/* Tells what the i-th hop did in [from, off), before its last wait. */
__noinline int recall(struct cpu *cpu, struct wait_scratch *wait, u32 i, u64 from, u64 off)
{
	struct past_ring *ring;
	u64 first;

	if (!wait || !cpu || i >= CONTRACT_MAX_HOPS)
		return 0;
	wait->recall.at = from;
	wait->recall.off = off;
	wait->recall.chain = 0;
	wait->recall.hop_count = 0;
	wait->recall.prev_to = 0;
	wait->recall.prev_after = 0;
	wait->recall.left = 0;
	wait->recall.newer = 0;
	wait->recall.is_lost = false;
	recall_find(wait, i);
	ring = past_ring_of(wait, thread_of_hop(wait, i));
	if (!wait->recall.prev_to) {
		/* Its memory does not reach back to the beginning. */
		first = off;
		if (wait->recall.left && ring)
			first = ring->at[bounded(wait->recall.head - wait->recall.left,
						 PAST_ENTRIES)]
					.from;
		first = smaller(first, off);
		if (first > from) {
			tell_earlier(cpu, wait, i, from, first);
			wait->recall.at = first;
		}
	}
#pragma clang loop unroll(disable)
	for (u32 step = 0; step < PAST_ENTRIES; step++)
		if (recall_segment(cpu, wait, i))
			break;
	if (wait->recall.is_lost) {
		tell_earlier(cpu, wait, i, wait->recall.at, off);
		wait->recall.at = off;
	}
	if (wait->recall.at < off) {
		if (!wait->recall.chain) {
			wait->recall.chain = prefix_chain(cpu, wait, CHAIN_AWAKE);
			wait->recall.hop_count = i + 1;
		}
		add_segment(wait, wait->recall.at, off, wait->recall.chain,
			queued_in_gap(&wait->recall, off, wait->recall.at, off), i, PAST_RAN,
			wait->recall.hop_count);
	}
	return 0;
}

#endif
