/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What a wait was spent on, along its chain. The window starts as the whole wait. Each hop takes
 * off its end what its waker did since it was last woken itself, and off its beginning what that
 * waker did before it fell asleep, which recall.bpf.h looks up; what remains is the waker's own
 * wait inside the window, and the next hop's to explain. Every step divides the window without
 * rest.
 *
 * The outcome is a list of segments that tile the wait, in the order of time: first what was
 * recalled, outermost hop first; then the innermost hop, then what each waker did since it woke,
 * outermost last.
 *
 * Built for the kernel and for the host, see chain.bpf.h. Who includes this has count() and
 * copy_hops().
 */
#ifndef DWELL_EXPLAIN_BPF_H
#define DWELL_EXPLAIN_BPF_H

#include "recall.bpf.h"

/*
 * How long a waker that was awake all through [from, to) had no CPU. The last time is known
 * to the microsecond; of the times before it only their sum since the waker woke, which is taken to
 * be spread evenly.
 */
static __always_inline u64 queued_within(const struct hop *hop, u64 from, u64 to)
{
	u64 last = hop->queue * COARSE_NS, begin = hop->queue_from, ns = 0, since;
	u64 queue_to = begin + last;

	if (queue_to <= from)
		return 0;
	if (begin < from)
		begin = from;
	if (queue_to < to)
		ns = queue_to - begin;
	else if (to > begin)
		ns = to - begin;
	since = hop->woken ? hop->woken : hop->off;
	if (hop->queue_from > from && hop->queued_ns > last && hop->queue_from > since) {
		if (from > since)
			ns += scaled(hop->queued_ns - last, hop->queue_from - from,
				hop->queue_from - since);
		else
			ns += hop->queued_ns - last;
	}
	return smaller(ns, to - from);
}

/* Takes the i-th hop's share off the window; true if the chain ends with it. Global functions are
 * verified once, whatever their callers know. */
__noinline int explain_hop(struct cpu *cpu, struct wait_scratch *wait, u32 i)
{
	struct hop *hop;
	struct tail *tail;
	struct chain_link *link;
	u64 from, to, woken, off;
	u32 kind;

	if (!cpu || !wait || i >= CONTRACT_MAX_HOPS)
		return 1;
	hop = &wait->hops[i];
	tail = &wait->tails[i];
	link = &wait->record.links[i];
	from = wait->left_from;
	to = wait->left_to;
	woken = hop->woken;
	kind = hop->who & ((1 << CONTRACT_HOP_KIND_BITS) - 1);
	tail->from = to;
	tail->to = to;
	link->hop = hop->who;
	link->waited = i ? wait->hops[(i - 1) & (CONTRACT_MAX_HOPS - 1)].waited : 0;
	wait->record.id = mix(mix(wait->record.id, link->hop), link->waited);
	wait->record.hop_count = i + 1;
	if (is_metal(kind)) {
		wait->record.end = CHAIN_METAL;
		return 1;
	}
	if (kind == HOP_UNKNOWN || woken == NOTHING_KNOWN) {
		wait->record.end = kind == HOP_UNKNOWN ? CHAIN_NO_WAKER : CHAIN_EARLIER;
		return 1;
	}
	if (woken <= from) {
		wait->inner_no_cpu_ns = queued_within(hop, from, to);
		wait->record.end = CHAIN_AWAKE;
		return 1;
	}
	woken = smaller(woken, to);
	tail->from = woken;
	tail->no_cpu_ns = hop->queued_ns;
	off = smaller(hop->off, woken);
	wait->left_to = woken;
	if (off > from) {
		wait->left_from = off;
		recall(cpu, wait, i, from, off);
	}
	wait->record.end = i + 1 >= depth_of(wait) ? CHAIN_DEPTH_LIMIT : CHAIN_NO_WAKER;
	if (wait->left_from < wait->left_to)
		return 0;
	wait->record.end = CHAIN_AWAKE;
	return 1;
}

/* Lists what the i-th hop did since it woke. */
__noinline int list_tail(struct wait_scratch *wait, u32 i)
{
	struct tail *tail;

	if (!wait || i >= CONTRACT_MAX_HOPS)
		return 0;
	tail = &wait->tails[bounded(i, CONTRACT_MAX_HOPS)];
	add_segment(wait, tail->from, tail->to, wait->record.id, tail->no_cpu_ns, i, PAST_RAN,
		wait->record.hop_count);
	return 0;
}

/* Lists what the hops have left, and what each did since it woke. */
__noinline int list_hops(struct wait_scratch *wait)
{
	u32 hops, is_told, what;

	if (!wait)
		return 0;
	hops = wait->record.hop_count;
	is_told = wait->record.end == CHAIN_METAL || wait->record.end == CHAIN_AWAKE;
	what = wait->record.end == CHAIN_DEPTH_LIMIT ? PAST_CUT : PAST_REST;
	add_segment(wait, wait->left_from, wait->left_to, wait->record.id, wait->inner_no_cpu_ns,
		is_told ? hops - 1 : hops, is_told ? PAST_RAN : what, hops);
#pragma clang loop unroll(disable)
	for (u32 back = 1; back <= CONTRACT_MAX_HOPS; back++) {
		if (back > hops)
			break;
		list_tail(wait, hops - back);
	}
	return 0;
}

/* Takes the hops that ended the thread's wait, if they are known, into the scratch. */
static __always_inline void explain_begin(
	struct wait_scratch *wait, const struct chain *chain, const struct thread *thread)
{
	u32 spare, hops;

	wait->count = 0;
	wait->segment_count = 0;
	if (!chain_is_pending(chain, thread))
		return;
	spare = !chain->buffer;
	hops = chain->counts[spare & 1];
	if (hops > depth_of(wait))
		hops = depth_of(wait);
	copy_hops(wait->hops, hops, &chain->hops[spare ? depth_of(wait) : 0]);
	wait->count = hops;
}

/* One segment without a hop is all there is to say. */
static __always_inline void explain_by_end(struct wait_scratch *wait, u32 end)
{
	wait->segment_count = 0;
	wait->record.hop_count = 0;
	add_segment(wait, wait->from, wait->to, CONTRACT_CHAIN_OF_END(end), 0, 0, PAST_REST, 0);
}

/*
 * Explains the wait [from, to) by the hops in the scratch: lists its segments. Global: verified
 * once.
 */
__noinline int explain(struct cpu *cpu, struct wait_scratch *wait, u64 from, u64 to)
{
	if (!cpu || !wait)
		return 0;
	wait->from = from;
	wait->to = to;
	wait->segment_count = 0;
	wait->cut_ns = 0;
	if (from >= to)
		return 0;
	if (!wait->count) {
		explain_by_end(wait, CHAIN_NO_WAKER);
		return 0;
	}
	wait->left_from = wait->from;
	wait->left_to = to;
	wait->inner_no_cpu_ns = 0;
	wait->record.kind = RECORD_CHAIN;
	wait->record.end = CHAIN_NO_WAKER;
	wait->record.hop_count = 0;
	wait->record.pad = 0;
	wait->record.suffix = 0;
	wait->record.suffix_waited = 0;
	wait->record.id = RECORD_CHAIN;
#pragma clang loop unroll(disable)
	for (u32 i = 0; i < CONTRACT_MAX_HOPS; i++) {
		if (i >= wait->count || explain_hop(cpu, wait, i))
			break;
	}
	wait->record.id =
		finish_chain_id(wait->record.id, wait->record.end, wait->record.hop_count);
	list_hops(wait);
	if (!check_segments(wait)) {
		count(cpu, COUNTER_CHAIN_MISMATCH, 1);
		count(cpu, COUNTER_CHAIN_MISMATCH_NS, wait->to - wait->from);
		explain_by_end(wait, CHAIN_OVERFLOW);
		return 0;
	}
	send_chain(cpu, wait);
	return 0;
}

#endif
