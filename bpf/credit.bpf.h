/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Sums: two tables of rows that user space flips and drains in turn, and smaller ones without
 * stacks that take over when a table is full. User space may go on to two larger ones. In front of
 * them each CPU gathers the rows that it adds to most; they
 * go into a table when another row needs their place, and when the tables are flipped.
 *
 * Only code with interrupts off may credit (sched_switch, samples): that is what makes the flip's
 * barrier, a program run on every CPU, mean that nobody still writes to the old table. Samples may
 * come amid a switch, so they go into the table at once.
 */
#ifndef DWELL_CREDIT_BPF_H
#define DWELL_CREDIT_BPF_H

#include "open_call.bpf.h"
#include "state.bpf.h"

/* Tables by their slots, then those that take over. */

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY_OF_MAPS);
	__uint(max_entries, 2 * TABLE_SLOTS);
	__type(key, u32);
	__array(
		values, struct {
			__uint(type, BPF_MAP_TYPE_HASH);
			__uint(max_entries, 1);
			__uint(key_size, sizeof(struct sum_key));
			__uint(value_size, sizeof(struct sum));
		});
} sums SEC(".maps");

static __always_inline u8 band_of_ns(u64 ns)
{
	u64 limit = CONTRACT_FIRST_BAND_NS;

	for (u8 band = 0; band < CONTRACT_BANDS - 1; band++, limit *= 10)
		if (ns < limit)
			return band;
	return CONTRACT_BANDS - 1;
}

/* Rows that a CPU gathers; a power of two. Fewer are used where tables are small. */
#define GATHERED_ROWS 256

struct gathered_row {
	struct sum_key key;
	struct sum sum; /* without a count: empty */
};

struct gathered_rows {
	struct gathered_row rows[GATHERED_ROWS];
};

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 1);
	__type(key, u32);
	__type(value, struct gathered_rows);
} gathered SEC(".maps");

const volatile __u32 cfg_gathered_mask;

/* How often a largest value may be taken from under us. */
#define MAX_TRIES 8

/* To a row that no other CPU can add to meanwhile. */
static __always_inline void add_own(struct sum *to, const struct sum *add)
{
	to->count += add->count;
	to->ns += add->ns;
	to->first_ns += add->first_ns;
	to->last_ns += add->last_ns;
	if (add->max_ns > to->max_ns)
		to->max_ns = add->max_ns;
}

/* Other CPUs may add to the row, too: those that gathered it before its thread came to this one. */
static __always_inline void add_sum(struct sum *to, const struct sum *add)
{
	__sync_fetch_and_add(&to->count, add->count);
	__sync_fetch_and_add(&to->ns, add->ns);
	__sync_fetch_and_add(&to->first_ns, add->first_ns);
	if (add->last_ns)
		__sync_fetch_and_add(&to->last_ns, add->last_ns);
	for (u32 i = 0; i < MAX_TRIES; i++) {
		u64 max = to->max_ns;
		if (add->max_ns <= max ||
			__sync_val_compare_and_swap(&to->max_ns, max, add->max_ns) == max)
			break;
	}
}

/* True if the row is now in the table with that number. */
static __always_inline bool add_to(
	u32 number, u64 *used, const struct sum_key *key, const struct sum *add)
{
	void *table = bpf_map_lookup_elem(&sums, &number);
	struct sum *sum;

	if (!table)
		return false;
	sum = bpf_map_lookup_elem(table, key);
	if (!sum) {
		if (!bpf_map_update_elem(table, key, add, BPF_NOEXIST)) {
			if (used)
				__sync_fetch_and_add(used, 1);
			return true;
		}
		/* There is no room, or another CPU has just made it. */
		sum = bpf_map_lookup_elem(table, key);
		if (!sum)
			return false;
	}
	add_sum(sum, add);
	return true;
}

/* Adds a row to a table, or without its stacks to the coarse one. */
static __noinline bool put_row(struct cpu *cpu, struct sum_key *key, struct sum *add, u32 table)
{
	if (!cpu || !key || !add)
		return false;
	if (add_to(table, &rows_used[table & (TABLE_SLOTS - 1)], key, add))
		return true;

	if (key->state == TIME_SAMPLE) {
		count(cpu, COUNTER_BARE_SAMPLES, 1);
	} else if (key->state == ROW_OF_QUEUE) {
		key->chain = QUEUE_UNTOLD;
		return add_to(TABLE_SLOTS + table, NULL, key, add);
	} else {
		count(cpu, COUNTER_OVERFLOW, add->count);
		count(cpu, COUNTER_OVERFLOW_NS, add->ns);
	}
	key->kernel_stack = STACK_OVERFLOW;
	key->user_stack = STACK_OVERFLOW;
	key->awaited = 0;
	return add_to(TABLE_SLOTS + table, NULL, key, add);
}

static __always_inline struct gathered_rows *gathered_here(void)
{
	u32 zero = 0;

	return bpf_map_lookup_elem(&gathered, &zero);
}

/* Those of a CPU, counted from 1; 0: this one. */
static __always_inline struct gathered_rows *gathered_of(u32 cpu)
{
	u32 zero = 0;

	return cpu ? bpf_map_lookup_percpu_elem(&gathered, &zero, cpu - 1) : gathered_here();
}

/*
 * Puts a gathered row into a table; where it finds no room it was counted too early. Global, and
 * with a number for the row: verified once, and 6.1 takes no other pointer for a table's key.
 */
__noinline int let_go(u32 number, u32 table, u32 of_cpu)
{
	struct gathered_rows *all = gathered_of(of_cpu);
	struct cpu *cpu = this_cpu();
	struct gathered_row *row;

	if (!all || !cpu)
		return 0;
	row = &all->rows[number & (GATHERED_ROWS - 1)];
	if (!row->sum.count)
		return 0;
	if (!put_row(cpu, &row->key, &row->sum, table)) {
		count(cpu, COUNTER_ROWS, -row->sum.count);
		count(cpu, COUNTER_ROWS_NS, -row->sum.ns);
		/* Who had a CPU is not told, then; the time is in other rows. */
		if (row->key.state != ROW_OF_QUEUE) {
			count(cpu, COUNTER_UNSLICED, row->sum.count);
			count(cpu, COUNTER_UNSLICED_NS, row->sum.ns);
		}
	}
	row->sum.count = 0;
	return 0;
}

static __always_inline bool is_same_row(const struct sum_key *a, const struct sum_key *b)
{
	const u64 *x = (const u64 *)a, *y = (const u64 *)b;
	u64 differ = 0;

	_Static_assert(sizeof(struct sum_key) == 6 * sizeof(u64), "all of it is compared");
	for (u32 i = 0; i < sizeof(struct sum_key) / sizeof(u64); i++)
		differ |= x[i] ^ y[i];
	return !differ;
}

static __always_inline u32 place_of_row(const struct sum_key *key)
{
	u64 hash = key->kernel_stack ^ key->user_stack >> 8 ^ key->chain ^ key->awaited >> 3 ^
		   ((u64)key->thread << 8 | (u64)key->state << 4 | key->band);

	return (hash * 0x9e3779b97f4a7c15ULL) >> 32 & cfg_gathered_mask & (GATHERED_ROWS - 1);
}

/* Adds to a row of a switch. */
static __always_inline bool add_row(struct cpu *cpu, struct sum_key *key, struct sum *add)
{
	struct gathered_rows *all = gathered_here();
	struct gathered_row *row;
	u32 place;

	if (!all)
		return false;
	place = place_of_row(key);
	row = &all->rows[place & (GATHERED_ROWS - 1)];
	if (row->sum.count && is_same_row(&row->key, key)) {
		add_own(&row->sum, add);
		return true;
	}
	let_go(place, active_table, 0);
	row->key = *key;
	row->sum = *add;
	return true;
}

/*
 * The slice of a moment in the window. Nearly always it is the one of the last time, which saves a
 * division; a new one is remembered.
 */
static __always_inline u64 slice_at(struct cpu *cpu, u64 at, u64 start)
{
	u64 slice = cpu->slice, begin = cpu->slice_start;

	if (begin && at - begin < cfg_slice_ns)
		return slice;
	slice = (at - start) / cfg_slice_ns;
	cpu->slice = slice;
	cpu->slice_start = start + slice * cfg_slice_ns;
	return slice;
}

/*
 * Adds the time [from, to) in that state, clipped to the window, to the thread's totals, and gives
 * the row that it belongs to; false if nothing of it is in the window.
 */
static __always_inline bool take_time(struct cpu *cpu, struct thread *thread, u32 state, u64 from,
	u64 to, struct sum_key *key, struct sum *add)
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
	u64 last = slice_at(cpu, to - 1, start), first = last;
	if (from < cpu->slice_start)
		first = (from - start) / cfg_slice_ns;
	*key = (struct sum_key){
		.thread = thread->serial, .state = state, .slice_first = first, .slice_last = last};
	*add = (struct sum){.count = 1, .ns = ns, .max_ns = ns, .first_ns = ns};

	thread->total_ns[state] += ns;
	if (state != TIME_RUNNING) {
		key->kernel_stack = thread->kernel_stack;
		key->user_stack = thread->user_stack;
		key->band = band_of_ns(ns);
		key->is_chosen = thread->is_chosen;
	}
	if (state == TIME_BLOCKED)
		key->awaited = cpu->awaited;
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
	if (!take_time(cpu, thread, state, from, to, &key, &add))
		return 0;
	if (state != TIME_RUNNING && is_in_call(thread))
		note_call_wait(thread, &key, &add, to, 0);
	count_row(cpu, add_row(cpu, &key, &add), add.ns);
	return 0;
}

/* Gives the thread the blocked time [from, to), of which no chain is told. */
__noinline int credit_wait(struct cpu *cpu, struct thread *thread, u64 from, u64 to)
{
	struct sum_key key;
	struct sum add;

	if (!cpu || !thread || !take_time(cpu, thread, TIME_BLOCKED, from, to, &key, &add))
		return 0;
	key.task_letter = thread->task_letter;
	/* The kernel's stack stays, because it says what was waited for. Such stacks are few. */
	if (is_skipped(add.ns)) {
		key.user_stack = STACK_SKIPPED;
		key.awaited &= AWAITED_FIRST_ID - 1;
	}
	if (is_in_call(thread))
		note_call_wait(thread, &key, &add, to, 0);
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

	if (put_row(cpu, &key, &add, active_table))
		count(cpu, COUNTER_ROWS, 1);
	else
		count(cpu, COUNTER_LOST_SAMPLES, 1);
}

#endif
