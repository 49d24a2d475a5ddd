/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Sums: two tables of rows that user space flips and drains in turn, and smaller ones without
 * stacks that take over when a table is full. A row is only ever touched by the CPU on which its
 * thread switches or is sampled, so plain additions are exact.
 *
 * Only code with interrupts off may credit (sched_switch, samples): that is what makes the flip's
 * barrier, an empty program run on every CPU, mean that nobody still writes to the old table.
 */
#ifndef DWELL_CREDIT_BPF_H
#define DWELL_CREDIT_BPF_H

#include "explain.bpf.h"

#define SUM_TABLE(table)                                                                           \
	struct {                                                                                   \
		__uint(type, BPF_MAP_TYPE_HASH);                                                   \
		__uint(max_entries, 1);                                                            \
		__type(key, struct sum_key);                                                       \
		__type(value, struct sum);                                                         \
	} table SEC(".maps")

SUM_TABLE(sums_0);
SUM_TABLE(sums_1);
SUM_TABLE(coarse_0);
SUM_TABLE(coarse_1);

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

static __always_inline u8 band_of_ns(u64 ns)
{
	u64 limit = CONTRACT_FIRST_BAND_NS;

	for (u8 band = 0; band < CONTRACT_BANDS - 1; band++, limit *= 10)
		if (ns < limit)
			return band;
	return CONTRACT_BANDS - 1;
}

/* True if the row is now in the table. */
static __always_inline bool add_to(
	void *table, u64 *used, const struct sum_key *key, const struct sum *add)
{
	struct sum *sum = bpf_map_lookup_elem(table, key);

	if (!sum) {
		if (bpf_map_update_elem(table, key, add, BPF_NOEXIST))
			return false;
		if (used)
			__sync_fetch_and_add(used, 1);
		return true;
	}
	sum->count += add->count;
	sum->ns += add->ns;
	sum->first_ns += add->first_ns;
	sum->last_ns += add->last_ns;
	if (add->max_ns > sum->max_ns)
		sum->max_ns = add->max_ns;
	return true;
}

/* Adds a row to the table that is active, or without its stacks to the coarse one. */
static __noinline bool add_row(struct cpu *cpu, struct sum_key *key, struct sum *add)
{
	u32 table = active_table;

	if (!cpu || !key || !add)
		return false;
	if (table ? add_to(&sums_1, &rows_used[1], key, add)
		  : add_to(&sums_0, &rows_used[0], key, add))
		return true;

	if (key->state != TIME_SAMPLE) {
		count(cpu, COUNTER_OVERFLOW, 1);
		count(cpu, COUNTER_OVERFLOW_NS, add->ns);
	}
	key->kernel_stack = STACK_OVERFLOW;
	key->user_stack = STACK_OVERFLOW;
	return table ? add_to(&coarse_1, NULL, key, add) : add_to(&coarse_0, NULL, key, add);
}

/* The row that the time [from, to) in that state belongs to, clipped to the window. */
static __always_inline bool make_row(
	struct thread *thread, u32 state, u64 from, u64 to, struct sum_key *key, struct sum *add)
{
	u64 start = window_start, end = window_end;

	/* Others are followed only because they may wake one. */
	if (!thread->is_target)
		return false;
	if (from < start)
		from = start;
	if (to > end)
		to = end;
	if (to <= from)
		return false;

	u64 ns = to - from;
	u64 first = (from - start) / cfg_slice_ns, last = (to - 1 - start) / cfg_slice_ns;
	*key = (struct sum_key){
		.thread = thread->serial, .state = state, .slice_first = first, .slice_last = last};
	*add = (struct sum){.count = 1, .ns = ns, .max_ns = ns, .first_ns = ns};

	thread->total_ns[state] += ns;
	if (state != TIME_RUNNING) {
		key->kernel_stack = thread->kernel_stack;
		key->user_stack = thread->user_stack;
		key->band = band_of_ns(ns);
	}
	if (first != last) {
		add->first_ns = start + (first + 1) * cfg_slice_ns - from;
		add->last_ns = to - (start + last * cfg_slice_ns);
	}
	return true;
}

/* Is a wait outside of --min-wait and --max-wait? */
static __always_inline bool is_skipped(u64 ns)
{
	return ns < cfg_min_wait_ns || ns > cfg_max_wait_ns;
}

static __always_inline void count_row(struct cpu *cpu, bool is_in, u64 ns)
{
	count(cpu, is_in ? COUNTER_ROWS : COUNTER_UNSLICED, 1);
	count(cpu, is_in ? COUNTER_ROWS_NS : COUNTER_UNSLICED_NS, ns);
}

/* Gives the thread the time [from, to) in that state; not for blocked. Global: verified once. */
__noinline int credit(struct cpu *cpu, struct thread *thread, u32 state, u64 from, u64 to)
{
	struct sum_key key;
	struct sum add;

	if (!cpu || !thread || state >= TIME_BLOCKED)
		return 0;
	if (make_row(thread, state, from, to, &key, &add))
		count_row(cpu, add_row(cpu, &key, &add), add.ns);
	return 0;
}

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
	count(cpu, COUNTER_CHAIN_OVERFLOW, 1);
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

/* Gives the thread the blocked time [from, to), of which no chain is told. */
__noinline int credit_wait(struct cpu *cpu, struct thread *thread, u64 from, u64 to)
{
	struct sum_key key;
	struct sum add;

	if (!cpu || !thread || !make_row(thread, TIME_BLOCKED, from, to, &key, &add))
		return 0;
	key.task_letter = thread->task_letter;
	if (is_skipped(add.ns)) {
		key.kernel_stack = STACK_SKIPPED;
		key.user_stack = STACK_SKIPPED;
	}
	count_row(cpu, add_row(cpu, &key, &add), add.ns);
	return 0;
}

/* Counts one on-CPU sample. */
static __always_inline void credit_sample(
	struct cpu *cpu, struct thread *thread, u64 kernel_stack, u64 user_stack, u64 now)
{
	u32 slice = (now - window_start) / cfg_slice_ns;
	struct sum_key key = {.thread = thread->serial,
		.state = TIME_SAMPLE,
		.slice_first = slice,
		.slice_last = slice,
		.kernel_stack = kernel_stack,
		.user_stack = user_stack};
	struct sum add = {.count = 1};

	if (add_row(cpu, &key, &add))
		count(cpu, COUNTER_ROWS, 1);
	else
		count(cpu, COUNTER_LOST_SAMPLES, 1);
}

#endif
