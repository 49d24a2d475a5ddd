/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Slow calls: what their thread waited for and ran in meanwhile goes into rows of their function.
 * By state these rows add up to the calls' exact parts: what the ring does not have any more is in
 * rows of its own, without stacks. All of it counts in the slice in which the call ends.
 */
#ifndef DWELL_BPF_SLOW_H
#define DWELL_BPF_SLOW_H

#include "event.bpf.h"
#include "open_call.bpf.h"

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 1);
	__uint(key_size, sizeof(struct slow_key));
	__uint(value_size, sizeof(struct slow_sum));
} slow_0 SEC(".maps"), slow_1 SEC(".maps");

/* Rows used in each table; user space zeroes it after draining. */
__u64 slow_rows_used[2] OWN_LINE;
/* Beyond so many, rows have no stacks. */
const volatile __u64 cfg_slow_rows;
/* Waits whose rows have none for that reason, and those that are in no row at all. */
__u64 bare_slow_waits;
__u64 lost_slow_waits;

/* A row on its way, for each slot of events, and one for the iterator; and the call that it is of.
 */
struct slow_row {
	/* As struct call_entry has it: */
	u64 until;
	u32 number;
	u32 pad;
	struct slow_key key;
	struct slow_sum sum;
	u64 left_ns[TIME_STATES]; /* of the call's parts, that no row has yet */
	/* A wait of which the end was not seen, so that it is not among those that are noted. */
	u64 unseen_ns[TIME_STATES];
	u64 unseen_kernel_stack;
	u64 unseen_user_stack;
	u32 unseen_letter;
	u32 pad_2;
	u64 begun;
	u32 books; /* number */
	u32 first_wait;
	u32 end_wait;
	u32 first_sample;
	u32 end_sample;
	u32 table; /* that is written */
};

#define SLOW_ROW_OF_ITERATOR CONTRACT_EVENT_SLOTS

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, CONTRACT_EVENT_SLOTS + 1);
	__type(key, u32);
	__type(value, struct slow_row);
} slow_scratch SEC(".maps");

static __always_inline void raise_longest(u64 *longest, u64 ns)
{
	for (int i = 0; i < MAX_TRIES; i++) {
		u64 known = *longest;

		if (ns <= known || __sync_val_compare_and_swap(longest, known, ns) == known)
			return;
	}
}

static __always_inline bool slow_add_to(void *table, u64 *used, struct slow_row *row)
{
	struct slow_sum *sum = bpf_map_lookup_elem(table, &row->key);

	if (!sum) {
		if (!bpf_map_update_elem(table, &row->key, &row->sum, BPF_NOEXIST)) {
			__sync_fetch_and_add(used, 1);
			return true;
		}
		sum = bpf_map_lookup_elem(table, &row->key);
		if (!sum)
			return false;
	}
	__sync_fetch_and_add(&sum->count, row->sum.count);
	__sync_fetch_and_add(&sum->ns, row->sum.ns);
	raise_longest(&sum->max_ns, row->sum.max_ns);
#pragma clang loop unroll(disable)
	for (u32 i = 0; i <= CONTRACT_MAX_HOPS; i++) {
		if (i > cfg_depth || row->key.chain < CONTRACT_FIRST_CHAIN)
			break;
		__sync_fetch_and_add(&sum->shares[i].ran_ns, row->sum.shares[i].ran_ns);
		__sync_fetch_and_add(&sum->shares[i].no_cpu_ns, row->sum.shares[i].no_cpu_ns);
		__sync_fetch_and_add(&sum->shares[i].earlier_ns, row->sum.shares[i].earlier_ns);
	}
	return true;
}

static __always_inline bool slow_has_room(u32 table, struct slow_row *row)
{
	if (slow_rows_used[table & 1] < cfg_slow_rows)
		return true;
	return table ? bpf_map_lookup_elem(&slow_1, &row->key)
		     : bpf_map_lookup_elem(&slow_0, &row->key);
}

static __always_inline struct slow_row *slow_row_of(u32 slot)
{
	return bpf_map_lookup_elem(&slow_scratch, &slot);
}

/*
 * Puts the row into its table. Global, as what follows, and with numbers for what it is about: each
 * is verified once.
 */
__noinline int slow_add(u32 slot)
{
	struct slow_row *row = slow_row_of(slot);
	u32 table;
	bool is_in;

	if (!row)
		return 0;
	table = row->table & 1;
	if (!slow_has_room(table, row)) {
		row->key.kernel_stack = row->key.user_stack = STACK_OVERFLOW;
		row->key.awaited = 0;
		row->key.chain = row->key.chain ? CONTRACT_CHAIN_OF_END(CHAIN_OVERFLOW) : 0;
		__sync_fetch_and_add(&bare_slow_waits, 1);
	}
	is_in = table ? slow_add_to(&slow_1, &slow_rows_used[1], row)
		      : slow_add_to(&slow_0, &slow_rows_used[0], row);
	if (!is_in)
		__sync_fetch_and_add(&lost_slow_waits, 1);
	return 0;
}

/* Copies what is kept of a wait; its shares may have been overwritten, or be of more time than is
 * left of the call. */
static __always_inline void copy_wait(
	struct slow_row *row, const struct call_books *books, const struct call_wait *wait)
{
	u32 first = wait->first_share, hops = wait->hop_count;
	bool has_shares;

	row->key.kernel_stack = wait->kernel_stack;
	row->key.user_stack = wait->user_stack;
	row->key.chain = wait->chain;
	row->key.awaited = wait->awaited;
	row->key.state = wait->state;
	row->key.task_letter = wait->task_letter;
	row->key.band = wait->band;
	row->key.is_part = wait->is_part;
	row->sum.count = wait->is_part ? 0 : wait->count;
	row->sum.ns = wait->ns;
	row->sum.max_ns = wait->max_ns;
	row->sum.owner = wait->owner;
	has_shares = wait->chain >= CONTRACT_FIRST_CHAIN && books->shares - first <= CALL_SHARES &&
		     wait->ns <= row->left_ns[wait->state & (TIME_STATES - 1)];
	if (!has_shares && wait->chain >= CONTRACT_FIRST_CHAIN)
		row->key.chain = CONTRACT_CHAIN_OF_END(CHAIN_OVERFLOW);
#pragma clang loop unroll(disable)
	for (u32 i = 0; i <= CONTRACT_MAX_HOPS; i++) {
		const struct share *share = &books->share[(first + i) & (CALL_SHARES - 1)];
		bool is_there = has_shares && i <= hops;

		if (i > cfg_depth)
			break;
		row->sum.shares[i].ran_ns = is_there ? share->ran_ns : 0;
		row->sum.shares[i].no_cpu_ns = is_there ? share->no_cpu_ns : 0;
		row->sum.shares[i].earlier_ns = is_there ? share->earlier_ns : 0;
	}
}

/* Makes the row of a wait by its number; 0 if none of it is the call's. */
__noinline int slow_take_wait(u32 slot, u32 number)
{
	struct slow_row *row = slow_row_of(slot);
	struct call_books *books = row ? call_books_at(row->books) : NULL;
	struct call_wait *wait;
	u64 *left;

	if (!row || !books)
		return 0;
	wait = &books->wait[number & (CALL_WAITS - 1)];
	if (wait->until <= row->begun || wait->state >= TIME_STATES)
		return 0;
	copy_wait(row, books, wait);
	left = &row->left_ns[row->key.state & (TIME_STATES - 1)];
	if (row->sum.ns > *left)
		row->sum.ns = *left;
	/* The ring went on meanwhile: this was another wait. */
	barrier();
	if (((volatile struct call_books *)books)->waits - number > CALL_WAITS)
		return 0;
	*left -= row->sum.ns;
	return row->sum.ns || row->sum.count;
}

/* A row of its own by state: what ran, waits that are not kept any more; or one that was unseen. */
__noinline int slow_tell_rest(u32 slot, u32 state, bool is_unseen)
{
	struct slow_row *row = slow_row_of(slot);
	u64 *left, ns;

	if (!row)
		return 0;
	left = &row->left_ns[state & (TIME_STATES - 1)];
	ns = *left;
	if (is_unseen && row->unseen_ns[state & (TIME_STATES - 1)] < ns)
		ns = row->unseen_ns[state & (TIME_STATES - 1)];
	if (!ns)
		return 0;
	*left -= ns;
	row->key.kernel_stack = row->key.user_stack =
		state == TIME_RUNNING ? STACK_NONE : STACK_MORE_WAITS;
	row->key.task_letter = 0;
	if (is_unseen) {
		row->key.kernel_stack = row->unseen_kernel_stack;
		row->key.user_stack = row->unseen_user_stack;
		row->key.task_letter = state == TIME_BLOCKED ? row->unseen_letter : 0;
	}
	row->key.chain =
		state == TIME_BLOCKED && cfg_depth ? CONTRACT_CHAIN_OF_END(CHAIN_NO_WAKER) : 0;
	row->key.awaited = 0;
	row->key.state = state;
	row->key.is_part = false;
	row->key.band = state == TIME_RUNNING ? 0 : band_of_ns(ns);
	row->sum = (struct slow_sum){.count = 1, .ns = ns, .max_ns = ns};
	return slow_add(slot);
}

__noinline int slow_tell_sample(u32 slot, u32 number)
{
	struct slow_row *row = slow_row_of(slot);
	struct call_books *books = row ? call_books_at(row->books) : NULL;

	if (!row || !books)
		return 0;
	row->key.kernel_stack = books->sample[number & (CALL_SAMPLES - 1)].kernel_stack;
	row->key.user_stack = books->sample[number & (CALL_SAMPLES - 1)].user_stack;
	row->key.chain = row->key.awaited = 0;
	row->key.state = TIME_SAMPLE;
	row->key.task_letter = row->key.band = row->key.is_part = 0;
	row->sum = (struct slow_sum){.count = 1};
	barrier();
	if (((volatile struct call_books *)books)->samples - number > CALL_SAMPLES)
		return 0;
	return slow_add(slot);
}

/* Numbers in a ring: from `first` on, or as far back as it goes. */
static __always_inline u32 first_kept(u32 first, u32 end, u32 room)
{
	return end - first > room ? end - room : first;
}

/* Tells what the call of the row waited for and ran in. */
__noinline int slow_tell(u32 slot)
{
	struct slow_row *row = slow_row_of(slot);
	u32 first, end;

	if (!row)
		return 0;
	end = row->end_wait;
	first = first_kept(row->first_wait, end, CALL_WAITS);
#pragma clang loop unroll(disable)
	for (u32 i = 0; i < CALL_WAITS; i++) {
		if (first + i == end)
			break;
		if (slow_take_wait(slot, first + i))
			slow_add(slot);
	}
#pragma clang loop unroll(disable)
	for (u32 state = TIME_WOKEN; state < TIME_STATES; state++)
		slow_tell_rest(slot, state, true);
#pragma clang loop unroll(disable)
	for (u32 state = 0; state < TIME_STATES; state++)
		slow_tell_rest(slot, state, false);
	end = row->end_sample;
	first = first_kept(row->first_sample, end, CALL_SAMPLES);
#pragma clang loop unroll(disable)
	for (u32 i = 0; i < CALL_SAMPLES; i++) {
		if (first + i == end)
			break;
		slow_tell_sample(slot, first + i);
	}
	return 0;
}

#endif
