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

#include "state.bpf.h"

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

	if (key->state == TIME_SAMPLE) {
		count(cpu, COUNTER_BARE_SAMPLES, 1);
	} else {
		count(cpu, COUNTER_OVERFLOW, 1);
		count(cpu, COUNTER_OVERFLOW_NS, add->ns);
	}
	key->kernel_stack = STACK_OVERFLOW;
	key->user_stack = STACK_OVERFLOW;
	return table ? add_to(&coarse_1, NULL, key, add) : add_to(&coarse_0, NULL, key, add);
}

/*
 * Adds the time [from, to) in that state, clipped to the window, to the thread's totals, and gives
 * the row that it belongs to; false if nothing of it is in the window.
 */
static __always_inline bool take_time(
	struct thread *thread, u32 state, u64 from, u64 to, struct sum_key *key, struct sum *add)
{
	u64 start = window_start, end = window_end;

	/* Other threads are followed as possible wakers: their time counts for nobody. */
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
	if (take_time(thread, state, from, to, &key, &add))
		count_row(cpu, add_row(cpu, &key, &add), add.ns);
	return 0;
}

/* Gives the thread the blocked time [from, to), of which no chain is told. */
__noinline int credit_wait(struct cpu *cpu, struct thread *thread, u64 from, u64 to)
{
	struct sum_key key;
	struct sum add;

	if (!cpu || !thread || !take_time(thread, TIME_BLOCKED, from, to, &key, &add))
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
