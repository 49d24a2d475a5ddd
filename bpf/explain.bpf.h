/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What a wait was spent on, along its chain. The window starts as the whole wait. Each hop takes
 * off its end what its waker did since it was last woken itself, and off its beginning what that
 * waker did before it fell asleep; what remains is the waker's own wait inside the window, and the
 * next hop's to explain. Every step divides the window without rest, so the shares add up to the
 * wait by construction.
 */
#ifndef DWELL_EXPLAIN_BPF_H
#define DWELL_EXPLAIN_BPF_H

#include "chain.bpf.h"

/* Scratch of switches, which run with interrupts off: one for each CPU. */
struct explanation {
	u64 from;
	u64 to;
	u64 left_from; /* what the hops so far have left unexplained */
	u64 left_to;
	u32 count; /* hops at hand */
	u32 is_exact;
	u32 is_chained; /* chains are kept: no hops means that no waker was seen */
	u32 pad;
	struct hop hops[CONTRACT_MAX_HOPS];
	struct wait_sum row;
	struct record_chain record;
};

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 1);
	__type(key, u32);
	__type(value, struct explanation);
} explanations SEC(".maps");

static __always_inline u64 smaller(u64 a, u64 b)
{
	return a < b ? a : b;
}

/*
 * How long a waker that was awake all through [from, to) had no CPU. The last time is known
 * exactly; of the times before it only their sum since the waker woke, which is taken to be spread
 * evenly.
 */
static __always_inline u64 queued_within(const struct hop *hop, u64 from, u64 to)
{
	u64 last = hop->queue_to - hop->queue_from, begin = hop->queue_from, ns = 0, since, part;

	if (hop->queue_to <= from || hop->queue_to < hop->queue_from)
		return 0;
	if (begin < from)
		begin = from;
	if (hop->queue_to < to)
		ns = hop->queue_to - begin;
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
__noinline int explain_hop(struct explanation *e, u32 i)
{
	struct hop *hop;
	struct share *share;
	struct chain_link *link;
	u64 from, to, woken, off;
	u32 kind;

	if (!e || i >= CONTRACT_MAX_HOPS)
		return 1;
	hop = &e->hops[i];
	share = &e->row.shares[i];
	link = &e->record.links[i];
	from = e->left_from;
	to = e->left_to;
	woken = hop->woken;
	kind = hop->who & ((1 << CONTRACT_HOP_KIND_BITS) - 1);
	share->ran_ns = 0;
	share->no_cpu_ns = 0;
	share->earlier_ns = 0;
	link->hop = hop->who;
	link->waited = i ? e->hops[(i - 1) & (CONTRACT_MAX_HOPS - 1)].waited : 0;
	e->record.id = mix(mix(e->record.id, link->hop), link->waited);
	e->record.hop_count = i + 1;
	if (is_metal(kind)) {
		share->ran_ns = to - from;
		e->left_from = to;
		e->record.end = CHAIN_METAL;
		return 1;
	}
	if (kind == HOP_UNKNOWN || woken == NOTHING_KNOWN) {
		e->record.end = kind == HOP_UNKNOWN ? CHAIN_NO_WAKER : CHAIN_EARLIER;
		return 1;
	}
	if (woken <= from) {
		share->no_cpu_ns = queued_within(hop, from, to);
		share->ran_ns = to - from - share->no_cpu_ns;
		e->left_from = to;
		e->record.end = CHAIN_AWAKE;
		return 1;
	}
	woken = smaller(woken, to);
	share->no_cpu_ns = smaller(hop->queued_ns, to - woken);
	share->ran_ns = to - woken - share->no_cpu_ns;
	off = smaller(hop->off, woken);
	if (off > from) {
		share->earlier_ns = off - from;
		e->left_from = off;
	}
	e->left_to = woken;
	e->record.end = i + 1 >= cfg_depth ? CHAIN_DEPTH_LIMIT : CHAIN_NO_WAKER;
	if (e->left_from < e->left_to)
		return 0;
	e->record.end = CHAIN_AWAKE;
	return 1;
}

/* The walk along the hops. */
__noinline int explain_hops(struct explanation *e)
{
	u64 sum = 0, hops;

	if (!e)
		return 0;
	e->left_from = e->from;
	e->left_to = e->to;
	e->record.kind = RECORD_CHAIN;
	e->record.end = CHAIN_NO_WAKER;
	e->record.hop_count = 0;
	e->record.pad = 0;
	e->record.id = RECORD_CHAIN;
#pragma clang loop unroll(disable)
	for (u32 i = 0; i < CONTRACT_MAX_HOPS; i++) {
		if (i >= e->count || explain_hop(e, i))
			break;
	}
	hops = e->record.hop_count;
	barrier_var(hops);
	if (hops > CONTRACT_MAX_HOPS)
		return 0;
	e->row.shares[hops].ran_ns = e->left_to - e->left_from;
	e->row.shares[hops].no_cpu_ns = 0;
	e->row.shares[hops].earlier_ns = 0;
#pragma clang loop unroll(disable)
	for (u32 i = 0; i <= CONTRACT_MAX_HOPS; i++) {
		if (i > hops)
			break;
		sum += e->row.shares[i].ran_ns + e->row.shares[i].no_cpu_ns +
		       e->row.shares[i].earlier_ns;
	}
	e->is_exact = sum == e->to - e->from;
	e->record.id = mix(mix(e->record.id, e->record.end), hops);
	if (e->record.id < CONTRACT_FIRST_CHAIN)
		e->record.id += CONTRACT_FIRST_CHAIN;
	return 0;
}

static __always_inline void send_chain(struct cpu *cpu, struct explanation *e)
{
	u64 hops = e->record.hop_count;

	if (hops > CONTRACT_MAX_HOPS)
		hops = CONTRACT_MAX_HOPS;
	send_once(cpu, &e->record, e->record.id,
		__builtin_offsetof(struct record_chain, links) + hops * sizeof(struct chain_link));
}

/* Takes the hops that ended the thread's wait into the scratch. */
static __always_inline struct explanation *explanation_begin(
	struct chain *chain, const struct thread *thread)
{
	struct explanation *e;
	u32 zero = 0, spare, hops;

	e = bpf_map_lookup_elem(&explanations, &zero);
	if (!e)
		return NULL;
	e->count = 0;
	e->is_chained = !!chain;
	if (!chain || !chain_is_pending(chain, thread))
		return e;
	spare = !chain->buffer;
	hops = chain->counts[spare & 1];
	if (hops > cfg_depth)
		hops = cfg_depth;
	bpf_probe_read_kernel(
		e->hops, (u64)hops * sizeof(struct hop), &chain->hops[spare ? cfg_depth : 0]);
	e->count = hops;
	return e;
}

/* Explains the wait [from, to) by the hops in the scratch; returns the chain's id. */
static __noinline u64 explain(struct cpu *cpu, struct explanation *e, u64 from, u64 to)
{
	if (!cpu || !e)
		return 0;
	e->from = from;
	e->to = to;
	explain_hops(e);
	if (!e->is_exact) {
		count(cpu, COUNTER_CHAIN_MISMATCH, 1);
		count(cpu, COUNTER_CHAIN_MISMATCH_NS, to - from);
		return CONTRACT_CHAIN_OF_END(CHAIN_OVERFLOW);
	}
	if (e->record.end == CHAIN_DEPTH_LIMIT) {
		count(cpu, COUNTER_CHAIN_TRUNCATED, 1);
		count(cpu, COUNTER_CHAIN_TRUNCATED_NS, e->left_to - e->left_from);
	}
	send_chain(cpu, e);
	return e->record.id;
}

/* The same wait with its first hop only: what the others took is the rest. */
static __noinline u64 shorten(struct cpu *cpu, struct explanation *e)
{
	struct share *first;

	if (!cpu || !e)
		return 0;
	first = &e->row.shares[0];
	e->row.shares[1].ran_ns =
		e->to - e->from - first->ran_ns - first->no_cpu_ns - first->earlier_ns;
	e->row.shares[1].no_cpu_ns = 0;
	e->row.shares[1].earlier_ns = 0;
	e->record.hop_count = 1;
	e->record.end = CHAIN_OVERFLOW;
	e->record.id = mix(mix(RECORD_CHAIN, e->record.links[0].hop), CHAIN_OVERFLOW);
	if (e->record.id < CONTRACT_FIRST_CHAIN)
		e->record.id += CONTRACT_FIRST_CHAIN;
	send_chain(cpu, e);
	return e->record.id;
}

#endif
