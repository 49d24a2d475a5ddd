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
	u64 last = hop->queue_us * 1000ULL, begin = hop->queue_from, ns = 0, since, part;
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
		part = (hop->queue_from - from) * 1024 / (hop->queue_from - since);
		if (part < 1024)
			ns += (hop->queued_ns - last) * part / 1024;
		else
			ns += hop->queued_ns - last;
	}
	return smaller(ns, to - from);
}

/* Takes the i-th hop's share off the window; true if the chain ends with it. Global functions are
 * verified once, whatever their callers know. */
__noinline int explain_hop(u32 i)
{
	struct explanation *e = explanation_of_cpu();
	struct hop *hop;
	struct tail *tail;
	struct chain_link *link;
	u64 from, to, woken, off;
	u32 kind;

	if (!e || i >= CONTRACT_MAX_HOPS)
		return 1;
	hop = &e->hops[i];
	tail = &e->tails[i];
	link = &e->record.links[i];
	from = e->left_from;
	to = e->left_to;
	woken = hop->woken;
	kind = hop->who & ((1 << CONTRACT_HOP_KIND_BITS) - 1);
	tail->from = to;
	tail->to = to;
	link->hop = hop->who;
	link->waited = i ? e->hops[(i - 1) & (CONTRACT_MAX_HOPS - 1)].waited : 0;
	e->record.id = mix(mix(e->record.id, link->hop), link->waited);
	e->record.hop_count = i + 1;
	if (is_metal(kind)) {
		e->record.end = CHAIN_METAL;
		return 1;
	}
	if (kind == HOP_UNKNOWN || woken == NOTHING_KNOWN) {
		e->record.end = kind == HOP_UNKNOWN ? CHAIN_NO_WAKER : CHAIN_EARLIER;
		return 1;
	}
	if (woken <= from) {
		e->inner_no_cpu_ns = queued_within(hop, from, to);
		e->record.end = CHAIN_AWAKE;
		return 1;
	}
	woken = smaller(woken, to);
	tail->from = woken;
	tail->no_cpu_ns = hop->queued_ns;
	off = smaller(hop->off, woken);
	e->left_to = woken;
	if (off > from) {
		e->left_from = off;
		recall(i, from, off);
	}
	e->record.end = i + 1 >= cfg_depth ? CHAIN_DEPTH_LIMIT : CHAIN_NO_WAKER;
	if (e->left_from < e->left_to)
		return 0;
	e->record.end = CHAIN_AWAKE;
	return 1;
}

/* Lists what the i-th hop did since it woke. */
__noinline int list_tail(u32 i)
{
	struct explanation *e = explanation_of_cpu();
	struct tail *tail;

	if (!e || i >= CONTRACT_MAX_HOPS)
		return 0;
	tail = &e->tails[bounded(i, CONTRACT_MAX_HOPS)];
	add_segment(e, tail->from, tail->to, e->record.id, tail->no_cpu_ns, i, PAST_RAN,
		e->record.hop_count);
	return 0;
}

/* Lists what the hops have left, and what each did since it woke. */
__noinline int list_hops(void)
{
	struct explanation *e = explanation_of_cpu();
	u32 hops, is_told, what;

	if (!e)
		return 0;
	hops = e->record.hop_count;
	is_told = e->record.end == CHAIN_METAL || e->record.end == CHAIN_AWAKE;
	what = e->record.end == CHAIN_DEPTH_LIMIT ? PAST_CUT : PAST_REST;
	add_segment(e, e->left_from, e->left_to, e->record.id, e->inner_no_cpu_ns,
		is_told ? hops - 1 : hops, is_told ? PAST_RAN : what, hops);
#pragma clang loop unroll(disable)
	for (u32 back = 1; back <= CONTRACT_MAX_HOPS; back++) {
		if (back > hops)
			break;
		list_tail(hops - back);
	}
	return 0;
}

/* Takes the hops that ended the thread's wait, if they are known, into the scratch. */
static __always_inline bool explanation_begin(struct chain *chain, const struct thread *thread)
{
	struct explanation *e = chain ? explanation_of_cpu() : NULL;
	u32 spare, hops;

	if (!e)
		return false;
	e->count = 0;
	e->segment_count = 0;
	if (!chain_is_pending(chain, thread))
		return true;
	spare = !chain->buffer;
	hops = chain->counts[spare & 1];
	if (hops > cfg_depth)
		hops = cfg_depth;
	bpf_probe_read_kernel(
		e->hops, (u64)hops * sizeof(struct hop), &chain->hops[spare ? cfg_depth : 0]);
	e->count = hops;
	return true;
}

/* One segment without a hop is all there is to say. */
static __always_inline void explain_by_end(struct explanation *e, u32 end)
{
	e->segment_count = 0;
	e->record.hop_count = 0;
	add_segment(e, e->from, e->to, CONTRACT_CHAIN_OF_END(end), 0, 0, PAST_REST, 0);
}

/*
 * Explains the wait [from, to), as far as it lies in the window, by the hops in the scratch: lists
 * its segments. Global: verified once.
 */
__noinline int explain(struct cpu *cpu, u64 from, u64 to)
{
	struct explanation *e = explanation_of_cpu();
	u64 start = window_start;

	if (!cpu || !e)
		return 0;
	e->from = from < start ? start : from;
	e->to = to;
	e->segment_count = 0;
	e->cut_ns = 0;
	if (e->from >= to)
		return 0;
	if (!e->count) {
		explain_by_end(e, CHAIN_NO_WAKER);
		return 0;
	}
	e->left_from = e->from;
	e->left_to = to;
	e->inner_no_cpu_ns = 0;
	e->record.kind = RECORD_CHAIN;
	e->record.end = CHAIN_NO_WAKER;
	e->record.hop_count = 0;
	e->record.pad = 0;
	e->record.suffix = 0;
	e->record.suffix_waited = 0;
	e->record.id = RECORD_CHAIN;
#pragma clang loop unroll(disable)
	for (u32 i = 0; i < CONTRACT_MAX_HOPS; i++) {
		if (i >= e->count || explain_hop(i))
			break;
	}
	e->record.id = finish_chain_id(e->record.id, e->record.end, e->record.hop_count);
	list_hops();
	if (!check_segments()) {
		count(cpu, COUNTER_CHAIN_MISMATCH, 1);
		count(cpu, COUNTER_CHAIN_MISMATCH_NS, e->to - e->from);
		explain_by_end(e, CHAIN_OVERFLOW);
		return 0;
	}
	send_chain(cpu, e);
	return 0;
}

/* The same part of a wait with its first hop only: what the others took is the rest. */
static __noinline u64 shorten(struct cpu *cpu, struct explanation *e)
{
	struct share *first;

	if (!cpu || !e)
		return 0;
	first = &e->row.shares[0];
	e->row.shares[1].ran_ns =
		e->row.sum.ns - first->ran_ns - first->no_cpu_ns - first->earlier_ns;
	e->row.shares[1].no_cpu_ns = 0;
	e->row.shares[1].earlier_ns = 0;
	e->record.hop_count = 1;
	e->record.end = CHAIN_OVERFLOW;
	e->record.suffix = 0;
	e->record.suffix_waited = 0;
	e->record.id = mix(mix(RECORD_CHAIN, e->record.links[0].hop), CHAIN_OVERFLOW);
	if (e->record.id < CONTRACT_FIRST_CHAIN)
		e->record.id += CONTRACT_FIRST_CHAIN;
	send_chain(cpu, e);
	return e->record.id;
}

#endif
