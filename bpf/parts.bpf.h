/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Credits a wait that was explained: consecutive segments with the same chain are a part of it, and
 * each part is a row with its shares. The last part counts the wait.
 */
#ifndef DWELL_PARTS_BPF_H
#define DWELL_PARTS_BPF_H

#include "credit.bpf.h"
#include "explain.bpf.h"

/* Waits with their chains. User space cuts the rows to as many shares as --depth needs. */
#define WAIT_TABLE(table)                                                                          \
	struct {                                                                                   \
		__uint(type, BPF_MAP_TYPE_HASH);                                                   \
		__uint(max_entries, 1);                                                            \
		__uint(key_size, sizeof(struct sum_key));                                          \
		__uint(value_size, sizeof(struct wait_sum));                                       \
	} table SEC(".maps")

WAIT_TABLE(waits_0);
WAIT_TABLE(waits_1);

/* True if the row is now in the table. */
static __always_inline bool add_wait_to(
	void *table, u64 *used, const struct sum_key *key, const struct explanation *e)
{
	const struct sum *add = &e->row.sum;
	struct wait_sum *row = bpf_map_lookup_elem(table, key);

	if (!row) {
		/* Of shorter chains there are fewer: what is left of the room is for them. */
		if (e->record.hop_count > 1 && *used >= cfg_whole_waits)
			return false;
		if (bpf_map_update_elem(table, key, &e->row, BPF_NOEXIST))
			return false;
		__sync_fetch_and_add(used, 1);
		return true;
	}
	row->sum.count += add->count;
	row->sum.ns += add->ns;
	row->sum.first_ns += add->first_ns;
	row->sum.last_ns += add->last_ns;
	if (add->max_ns > row->sum.max_ns)
		row->sum.max_ns = add->max_ns;
	for (u32 i = 0; i <= CONTRACT_MAX_HOPS; i++) {
		if (i > cfg_depth || i > e->record.hop_count)
			break;
		row->shares[i].ran_ns += e->row.shares[i].ran_ns;
		row->shares[i].no_cpu_ns += e->row.shares[i].no_cpu_ns;
		row->shares[i].earlier_ns += e->row.shares[i].earlier_ns;
	}
	return true;
}

static __noinline bool add_wait(struct sum_key *key, struct explanation *e)
{
	if (!key || !e)
		return false;
	return active_table ? add_wait_to(&waits_1, &waits_used[1], key, e)
			    : add_wait_to(&waits_0, &waits_used[0], key, e);
}

/* A full table takes shorter chains first, then the wait without its chain. */
static __noinline bool add_explained(
	struct cpu *cpu, struct sum_key *key, struct sum *add, struct explanation *e)
{
	if (!cpu || !key || !add || !e)
		return false;
	e->row.sum = *add;
	if (add_wait(key, e))
		return true;
	count(cpu, COUNTER_CHAIN_OVERFLOW, !key->is_part);
	count(cpu, COUNTER_CHAIN_OVERFLOW_NS, add->ns);
	if (e->record.hop_count > 1) {
		key->chain = shorten(cpu, e);
		if (add_wait(key, e))
			return true;
	}
	key->chain = CONTRACT_CHAIN_OF_END(CHAIN_OVERFLOW);
	return add_row(cpu, key, add);
}

/* Adds a segment of the wait in the scratch to the shares. Global: verified once. */
__noinline int add_to_shares(u32 i)
{
	struct explanation *e = explanation_of_cpu();
	struct segment *segment;
	struct share *share;
	u64 ns;

	if (!e || i >= MAX_SEGMENTS)
		return 0;
	segment = &e->segments[bounded(i, MAX_SEGMENTS)];
	if (segment->position > CONTRACT_MAX_HOPS)
		return 0;
	share = &e->row.shares[segment->position];
	ns = segment->to - segment->from;
	if (segment->what == PAST_EARLIER) {
		share->earlier_ns += ns;
		return 0;
	}
	share->ran_ns += ns - segment->no_cpu_ns;
	share->no_cpu_ns += segment->no_cpu_ns;
	return 0;
}

/* The shares of a part: the segments [first, last) of the wait in the scratch. */
__noinline int sum_part(u32 first, u32 last)
{
	struct explanation *e = explanation_of_cpu();

	if (!e)
		return 0;
#pragma clang loop unroll(disable)
	for (u32 i = 0; i <= CONTRACT_MAX_HOPS; i++) {
		e->row.shares[i].ran_ns = 0;
		e->row.shares[i].no_cpu_ns = 0;
		e->row.shares[i].earlier_ns = 0;
	}
#pragma clang loop unroll(disable)
	for (u32 i = 0; i < MAX_SEGMENTS; i++) {
		if (first + i >= last)
			break;
		add_to_shares(first + i);
	}
	return 0;
}

/*
 * Credits the segments [first, last) of the wait in the scratch, which have one chain. The scratch
 * is looked up here because 6.1 does not take what a global function is given for a table's value.
 */
__noinline int credit_part(struct cpu *cpu, struct thread *thread, u32 first, u32 last)
{
	struct explanation *e = explanation_of_cpu();
	struct segment *segment;
	struct sum_key key;
	struct sum add;
	u64 from, chain;
	bool is_in;

	if (!cpu || !thread || !e || first >= MAX_SEGMENTS || last > MAX_SEGMENTS || first >= last)
		return 0;
	segment = &e->segments[bounded(first, MAX_SEGMENTS)];
	from = segment->from;
	chain = segment->chain;
	e->record.hop_count = segment->hop_count;
	segment = &e->segments[bounded(last - 1, MAX_SEGMENTS)];
	if (!make_row(thread, TIME_BLOCKED, from, segment->to, &key, &add))
		return 0;
	key.task_letter = thread->task_letter;
	key.band = band_of_ns(e->to - e->from);
	key.chain = chain;
	if (last < e->segment_count)
		key.is_part = true;
	else
		add.max_ns = e->to - e->from;
	sum_part(first, last);
	if (chain >= CONTRACT_FIRST_CHAIN)
		is_in = add_explained(cpu, &key, &add, e);
	else
		is_in = add_row(cpu, &key, &add);
	count_row(cpu, is_in, add.ns);
	return 0;
}

/* Gives the thread the wait in the scratch, part by part. Global: verified once. */
__noinline int credit_parts(struct cpu *cpu, struct thread *thread)
{
	struct explanation *e = explanation_of_cpu();

	if (!cpu || !thread || !e)
		return 0;
	e->part_first = 0;
	if (e->cut_ns) {
		count(cpu, COUNTER_CHAIN_TRUNCATED, 1);
		count(cpu, COUNTER_CHAIN_TRUNCATED_NS, e->cut_ns);
	}
#pragma clang loop unroll(disable)
	for (u32 i = 1; i <= MAX_SEGMENTS; i++) {
		if (i > e->segment_count)
			break;
		if (i < MAX_SEGMENTS && i < e->segment_count &&
			e->segments[i].chain == e->segments[i - 1].chain)
			continue;
		credit_part(cpu, thread, e->part_first, i);
		e->part_first = i;
	}
	return 0;
}

#endif
