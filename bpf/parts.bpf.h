/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Credits a wait that was explained: consecutive segments with the same chain are a part of it, and
 * each part is a row with its shares. The last part counts the wait.
 */
#ifndef DWELL_PARTS_BPF_H
#define DWELL_PARTS_BPF_H

#include "carry.bpf.h"
#include "credit.bpf.h"
#include "explain.bpf.h"

/*
 * Waits with their chains, in tables as those of sums. User space cuts the rows to as many shares
 * as --depth needs.
 */
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY_OF_MAPS);
	__uint(max_entries, TABLE_SLOTS);
	__type(key, u32);
	__array(
		values, struct {
			__uint(type, BPF_MAP_TYPE_HASH);
			__uint(max_entries, 1);
			__uint(key_size, sizeof(struct sum_key));
			__uint(value_size, sizeof(struct wait_sum));
		});
} waits SEC(".maps");

/* True if the row is now in the table of that slot. */
static __always_inline bool add_wait_to(
	u32 number, const struct sum_key *key, const struct wait_scratch *wait)
{
	const struct sum *add = &wait->row.sum;
	void *table = bpf_map_lookup_elem(&waits, &number);
	u64 *used = &waits_used[number & (TABLE_SLOTS - 1)];
	struct wait_sum *row;

	if (!table)
		return false;
	row = bpf_map_lookup_elem(table, key);
	if (!row) {
		/* Chains of one hop are few: the last quarter of the table is kept for them. */
		if (wait->record.hop_count > 1 && *used >= whole_waits[number & (TABLE_SLOTS - 1)])
			return false;
		if (bpf_map_update_elem(table, key, &wait->row, BPF_NOEXIST))
			return false;
		__sync_fetch_and_add(used, 1);
		return true;
	}
	if (add->max_ns > row->sum.max_ns)
		row->owner = wait->row.owner;
	add_own(&row->sum, add);
	for (u32 i = 0; i <= CONTRACT_MAX_HOPS; i++) {
		if (i > cfg_depth || i > wait->record.hop_count)
			break;
		row->shares[i].ran_ns += wait->row.shares[i].ran_ns;
		row->shares[i].no_cpu_ns += wait->row.shares[i].no_cpu_ns;
		row->shares[i].earlier_ns += wait->row.shares[i].earlier_ns;
	}
	return true;
}

static __noinline bool add_wait(struct sum_key *key, struct wait_scratch *wait)
{
	if (!key || !wait)
		return false;
	return add_wait_to(active_table, key, wait);
}

/* The same part of a wait with its first hop only: what the others took is the rest. */
static __noinline u64 shorten(struct cpu *cpu, struct wait_scratch *wait)
{
	struct share *first;

	if (!cpu || !wait)
		return 0;
	first = &wait->row.shares[0];
	wait->row.shares[1].ran_ns =
		wait->row.sum.ns - first->ran_ns - first->no_cpu_ns - first->earlier_ns;
	wait->row.shares[1].no_cpu_ns = 0;
	wait->row.shares[1].earlier_ns = 0;
	if (wait->share_count < 2)
		wait->share_count = 2;
	wait->record.hop_count = 1;
	wait->record.end = CHAIN_OVERFLOW;
	wait->record.suffix = 0;
	wait->record.suffix_waited = 0;
	wait->record.id = mix(mix(RECORD_CHAIN, wait->record.links[0].hop), CHAIN_OVERFLOW);
	if (wait->record.id < CONTRACT_FIRST_CHAIN)
		wait->record.id += CONTRACT_FIRST_CHAIN;
	send_chain(cpu, wait);
	return wait->record.id;
}

/* A full table takes shorter chains first, then the wait without its chain. */
static __noinline bool add_shortened(
	struct cpu *cpu, struct sum_key *key, struct wait_scratch *wait)
{
	if (!cpu || !key || !wait)
		return false;
	count(cpu, COUNTER_CHAIN_OVERFLOW, !key->is_part);
	count(cpu, COUNTER_CHAIN_OVERFLOW_NS, wait->row.sum.ns);
	if (wait->record.hop_count > 1) {
		key->chain = shorten(cpu, wait);
		if (add_wait(key, wait))
			return true;
	}
	key->chain = CONTRACT_CHAIN_OF_END(CHAIN_OVERFLOW);
	return add_row(cpu, key, &wait->row.sum);
}

static __always_inline void note_share(struct share *to, const struct share *add, bool is_first)
{
	to->ran_ns = add->ran_ns + (is_first ? 0 : to->ran_ns);
	to->no_cpu_ns = add->no_cpu_ns + (is_first ? 0 : to->no_cpu_ns);
	to->earlier_ns = add->earlier_ns + (is_first ? 0 : to->earlier_ns);
}

/* Those of the part that was noted last. Shares that are gone stay gone. Global: in a loop its
 * branches would multiply. */
__noinline int note_call_shares(struct thread *thread)
{
	struct call_books *books = thread ? call_books_of(thread) : NULL;
	struct wait_scratch *wait = wait_scratch_of_cpu();
	bool is_first;
	u32 first;

	if (!books || !wait)
		return 0;
	is_first = !books->was_alike;
	first = books->wait[books->noted & (CALL_WAITS - 1)].first_share;
	if (!is_first && books->shares - first > CALL_SHARES)
		return 0;
#pragma clang loop unroll(disable)
	for (u32 i = 0; i <= CONTRACT_MAX_HOPS; i++) {
		if (i > cfg_depth || i > wait->record.hop_count)
			break;
		note_share(&books->share[(first + i) & (CALL_SHARES - 1)], &wait->row.shares[i],
			is_first);
	}
	if (is_first)
		books->shares = first + wait->record.hop_count + 1;
	return 0;
}

/*
 * Credits the segments [first, last) of the wait in the scratch, which have one chain. The scratch
 * is looked up here because 6.1 does not take what a global function is given for a table's value.
 */
__noinline int credit_part(struct cpu *cpu, struct thread *thread, u32 first, u32 last)
{
	struct wait_scratch *wait = wait_scratch_of_cpu();
	struct segment *segment;
	struct sum_key key;
	/* In the scratch: old kernels have too little stack here. */
	struct sum *add;
	u64 from, chain;
	bool is_in;

	if (!cpu || !thread || !wait || first >= MAX_SEGMENTS || last > MAX_SEGMENTS ||
		first >= last)
		return 0;
	add = &wait->row.sum;
	wait->row.owner = cpu->owner;
	wait->row.pad = 0;
	segment = &wait->segments[bounded(first, MAX_SEGMENTS)];
	from = segment->from;
	chain = segment->chain;
	wait->record.hop_count = segment->hop_count;
	segment = &wait->segments[bounded(last - 1, MAX_SEGMENTS)];
	if (!take_time(cpu, thread, TIME_BLOCKED, from, segment->to, &key, add))
		return 0;
	key.task_letter = thread->task_letter;
	key.band = band_of_ns(wait->to - wait->from);
	key.chain = chain;
	if (last < wait->segment_count)
		key.is_part = true;
	else
		add->max_ns = wait->to - wait->from;
	sum_part(wait, first, last);
	if (is_in_call(thread)) {
		note_call_wait(thread, &key, add, segment->to,
			NOTED_OWNER(cpu->owner, wait->record.hop_count));
		if (chain >= CONTRACT_FIRST_CHAIN)
			note_call_shares(thread);
	}
	if (chain >= CONTRACT_FIRST_CHAIN)
		is_in = add_wait(&key, wait) || add_shortened(cpu, &key, wait);
	else
		is_in = add_row(cpu, &key, add);
	count_row(cpu, is_in, add->ns);
	return 0;
}

/* Segments that one call looks at. */
#define PARTS_AT_ONCE 8

/* Credits what ends at the next segments behind `first`. */
static __always_inline void credit_next_parts(
	struct cpu *cpu, struct thread *thread, struct wait_scratch *wait, u32 first)
{
#pragma clang loop unroll(disable)
	for (u32 number = 1; number <= PARTS_AT_ONCE; number++) {
		u32 i = first + number;

		/* Nothing that the verifier could follow from round to round. */
		opaque(i);
		if (i > wait->segment_count)
			break;
		if (i < MAX_SEGMENTS && i < wait->segment_count &&
			wait->segments[bounded(i, MAX_SEGMENTS)].chain ==
				wait->segments[bounded(i - 1, MAX_SEGMENTS)].chain)
			continue;
		credit_part(cpu, thread, wait->part_first, i);
		wait->part_first = i;
	}
}

/* A part of credit_parts(). Global: verified once. */
__noinline int credit_some_parts(struct cpu *cpu, struct thread *thread, u32 first)
{
	struct wait_scratch *wait = wait_scratch_of_cpu();

	if (!cpu || !thread || !wait)
		return 0;
	credit_next_parts(cpu, thread, wait, first);
	return 0;
}

/* Gives the thread the wait in the scratch, part by part. Global: verified once. */
__noinline int credit_parts(struct cpu *cpu, struct thread *thread)
{
	struct wait_scratch *wait = wait_scratch_of_cpu();

	if (!cpu || !thread || !wait)
		return 0;
	wait->part_first = 0;
	if (wait->cut_ns) {
		count(cpu, COUNTER_CHAIN_TRUNCATED, 1);
		count(cpu, COUNTER_CHAIN_TRUNCATED_NS, wait->cut_ns);
	}
	credit_next_parts(cpu, thread, wait, 0);
#pragma clang loop unroll(disable)
	for (u32 i = PARTS_AT_ONCE; i < MAX_SEGMENTS && i < wait->segment_count; i += PARTS_AT_ONCE)
		credit_some_parts(cpu, thread, i);
	return 0;
}

#endif
