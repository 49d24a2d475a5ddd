/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Calls begin and end in their own thread, which runs then: what its books say at both moments is
 * what it did in between. A call that ends is told in a row of its function, and if it was slow
 * what it waited for, too. These programs can be preempted.
 */
#ifndef DWELL_BPF_CALL_H
#define DWELL_BPF_CALL_H

#include "call_match.bpf.h"
#include "call_moment.bpf.h"
#include "event_rule.bpf.h"
#include "slow.bpf.h"

/* Of a probe's cookie. */
#define CALL_FUNCTION(cookie) ((u32)(cookie) & (CONTRACT_CALL_FUNCTIONS - 1))
#define CALL_RULE(cookie) ((u32)((cookie) >> 16) & 0xff)
#define CALL_CONDITION(cookie) ((u32)((cookie) >> 32) & 0xff)

/* Calls of a function from so many ns on are slow; set by user space. */
volatile __u64 call_slow_from[CONTRACT_CALL_FUNCTIONS];
/* Functions of system calls by their numbers, counted from 1; 0: not watched. */
const volatile __u16 cfg_call_of_system[CONTRACT_SYSTEM_CALLS];
/* And their conditions, as in cookies. */
const volatile __u8 cfg_call_rule_of_system[CONTRACT_SYSTEM_CALLS];

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 1);
	__type(key, struct call_key);
	__type(value, struct call_sum);
} calls_0 SEC(".maps"), calls_1 SEC(".maps");

/* Rows used in each table; user space zeroes it after draining. */
__u64 call_rows_used[2] OWN_LINE;
/* Beyond so many, rows are of all threads together. */
const volatile __u64 cfg_call_rows;
/* Calls in such rows. */
__u64 bare_calls;

/* Before the window calls are known, and not timed. */
__noinline int call_begin(struct thread *thread, u64 cookie, u64 sp, u32 kind)
{
	u32 function = CALL_FUNCTION(cookie);
	struct call_moment moment = {};
	struct call_books *books;
	struct open_call *call;
	bool is_known;
	int place;

	if (!thread)
		return 0;
	/* Ends behind the window are not seen: what is open then was not left. */
	if (thread->open_calls && is_window_over())
		return 0;
	/* First, so that a wait from now on is noted; and a function of the kernel that is watched,
	 * and called just now, takes no books of its own. */
	if (!thread->open_calls++ && !take_call_books(thread)) {
		thread->open_calls--;
		__sync_fetch_and_add(&counts_of(function)->no_room, 1);
		return 0;
	}
	barrier();
	books = call_books_of(thread);
	if (!books) {
		thread->open_calls--;
		__sync_fetch_and_add(&counts_of(function)->no_room, 1);
		return 0;
	}
	thread->has_called = true;
	/* Mostly nothing else is open, and each place is free. */
	place = thread->open_calls > 1 ? look_for_place(thread, function, sp, kind) : 0;
	if (place < 0 && kind == CALL_BY_PLACE)
		place = evict_call(thread, sp);
	if (place < 0) {
		thread->open_calls--;
		books->too_deep++;
		__sync_fetch_and_add(&counts_of(function)->too_deep, 1);
		return 0;
	}
	call = &books->open[place & (CONTRACT_CALL_DEPTH - 1)];
	call->sp = sp;
	call->kind = kind;
	call->returns_to = 0;
	if (cookie & CALL_BY_RETURNS)
		bpf_probe_read_user(&call->returns_to, sizeof(u64), (void *)sp);
	call->is_inner = !!(place & PLACE_IS_INNER);
	call->jumps_on = !!(cookie & CALL_JUMPS_ON);
	call->begun = 0;
	is_known = take_moment(thread, &moment);
	if (moment.now >= window_end) {
		thread->open_calls--;
		settle_books(thread, books);
		return 0;
	}
	if (is_known && moment.now >= window_start) {
		call->begun = moment.now;
		for (u32 i = 0; i < TIME_STATES; i++)
			call->part_ns[i] = moment.part_ns[i];
		call->waits = moment.waits;
		books->alike_from = moment.waits;
		call->samples = moment.samples;
	}
	call->function = function + 1;
	return 0;
}

static __always_inline bool call_add_to(
	void *table, u64 *used, const struct call_key *key, const struct call_sum *add)
{
	struct call_sum *sum = bpf_map_lookup_elem(table, key);

	if (!sum) {
		if (!bpf_map_update_elem(table, key, add, BPF_NOEXIST)) {
			__sync_fetch_and_add(used, 1);
			return true;
		}
		sum = bpf_map_lookup_elem(table, key);
		if (!sum)
			return false;
	}
	__sync_fetch_and_add(&sum->count, add->count);
	__sync_fetch_and_add(&sum->wall_ns, add->wall_ns);
	/* Most calls only run. */
	for (u32 i = 0; i < TIME_STATES; i++)
		if (add->part_ns[i])
			__sync_fetch_and_add(&sum->part_ns[i], add->part_ns[i]);
	raise_longest(&sum->max_ns, add->max_ns);
	return true;
}

static __noinline int call_add(u32 table, struct call_key *key, struct call_sum *add)
{
	bool is_in;

	if (!key || !add)
		return 0;
	/* Known rows go on; of new ones the last eighth of the table is kept for those of all. */
	if (call_rows_used[table & 1] >= cfg_call_rows &&
		!(table ? bpf_map_lookup_elem(&calls_1, key)
			: bpf_map_lookup_elem(&calls_0, key))) {
		key->thread = 0;
		__sync_fetch_and_add(&bare_calls, 1);
	}
	is_in = table ? call_add_to(&calls_1, &call_rows_used[1], key, add)
		      : call_add_to(&calls_0, &call_rows_used[0], key, add);
	if (!is_in)
		__sync_fetch_and_add(&counts_of(key->function)->no_room, 1);
	return is_in;
}

/* What the thread did from the call's beginning to that moment; the parts are its wall time. */
static __noinline int take_parts(const struct open_call *call, u32 function,
	const struct call_moment *moment, struct call_sum *ret)
{
	u64 sum = 0, owed = 0;

	if (!call || !moment || !ret)
		return 0;
	ret->count = 1;
	ret->wall_ns = ret->max_ns = moment->now - call->begun;
	for (u32 i = 0; i < TIME_STATES; i++) {
		ret->part_ns[i] = moment->part_ns[i] - call->part_ns[i];
		sum += ret->part_ns[i];
		/* A switch-out that was not seen: running turned out to have been another state. */
		if ((s64)ret->part_ns[i] < 0) {
			owed -= ret->part_ns[i];
			ret->part_ns[i] = 0;
		}
	}
	for (u32 i = 0; i < TIME_STATES && owed; i++) {
		u64 paid = ret->part_ns[i] < owed ? ret->part_ns[i] : owed;

		ret->part_ns[i] -= paid;
		owed -= paid;
	}
	if (sum == ret->wall_ns)
		return 0;
	__sync_fetch_and_add(&counts_of(function)->mismatch, 1);
	for (u32 i = 0; i < TIME_STATES; i++)
		ret->part_ns[i] = i == TIME_RUNNING ? ret->wall_ns : 0;
	return 0;
}

/* Without a slot there is no scratch for rows of its waits: it is told as one that is not slow. */
static __noinline int tell_bare_call(struct call_key *key, struct call_sum *sum)
{
	u32 zero = 0;
	struct event_claims *claims = bpf_map_lookup_elem(&event_claims, &zero);

	if (!claims || !key || !sum)
		return 0;
	for (int i = 0; i < CLAIM_TRIES; i++) {
		u32 table = active_events & 1;
		bool is_active;

		__sync_fetch_and_add(&claims->bare_writers[table], 1);
		is_active = (active_events & 1) == table;
		if (is_active)
			call_add(table, key, sum);
		__sync_fetch_and_sub(&claims->bare_writers[table], 1);
		if (is_active)
			return 0;
	}
	__sync_fetch_and_add(&counts_of(key->function)->no_room, 1);
	return 0;
}

static __always_inline void begin_slow_row(struct slow_row *row, const struct call_key *key,
	const struct call_sum *sum, const struct open_call *call, const struct call_moment *moment)
{
	row->key = (struct slow_key){
		.thread = key->thread, .slice = key->slice, .function = key->function};
	for (u32 i = 0; i < TIME_STATES; i++)
		row->left_ns[i] = sum->part_ns[i];
	row->begun = call->begun;
	/* Of what was before the call it is known that it was not in it. */
	for (u32 i = 0; i < TIME_STATES; i++)
		row->unseen_ns[i] = moment->unseen_since >= call->begun ? moment->unseen_ns[i] : 0;
	row->first_wait = call->waits;
	row->end_wait = moment->waits;
	row->first_sample = call->samples;
	row->end_sample = moment->samples;
}

static __noinline int tell_call(struct thread *thread, const struct open_call *call, u32 function,
	const struct call_moment *moment, bool is_error)
{
	struct call_key key = {};
	struct call_sum sum = {};
	struct event_room room;
	struct slow_row *row;
	u32 zero = 0;
	bool is_slow;

	if (!thread || !call || !moment)
		return 0;
	take_parts(call, function, moment, &sum);
	key.thread = thread->serial;
	key.slice = event_slice(moment->now);
	key.function = function;
	key.band = call_band_of(sum.wall_ns);
	key.flags = (is_error ? CALL_IS_ERROR : 0) | (call->is_inner ? CALL_IS_INNER : 0);
	is_slow = !call->is_inner &&
		  sum.wall_ns >= call_slow_from[key.function & (CONTRACT_CALL_FUNCTIONS - 1)];
	room.claims = bpf_map_lookup_elem(&event_claims, &zero);
	if (!room.claims)
		return 0;
	if (!claim_slot(&room)) {
		if (is_slow)
			__sync_fetch_and_add(&lost_slow_waits, 1);
		return tell_bare_call(&key, &sum);
	}
	row = is_slow ? slow_row_of(room.slot) : NULL;
	if (row) {
		begin_slow_row(row, &key, &sum, call, moment);
		row->books = thread->call_books;
		row->unseen_kernel_stack = thread->kernel_stack;
		row->unseen_user_stack = thread->user_stack;
		row->unseen_letter = thread->task_letter;
		row->table = room.table;
		key.flags |= CALL_IS_SLOW;
	}
	if (call_add(room.table, &key, &sum) && row)
		slow_tell(room.slot);
	u32 level = CPU_LEVELS + room.slot;
	room.cpu = bpf_map_lookup_elem(&cpus, &level);
	if (room.cpu) {
		count(room.cpu, COUNTER_CALLS, 1);
		note_claim_cost(&room, moment->now, COUNTER_CALL_TIMED);
	}
	event_leave(&room);
	return 0;
}

/* 1 if a call has ended. What ends before the window is nobody's business. */
__noinline int call_end(struct thread *thread, u64 cookie, u64 sp, u32 how, bool is_error)
{
	u32 function = CALL_FUNCTION(cookie);
	struct call_moment moment = {};
	struct call_books *books;
	struct open_call *call;
	bool is_told;
	int place;

	if (!thread)
		return 0;
	books = thread->open_calls ? call_books_of(thread) : NULL;
	place = books ? place_of_end(thread, books, function, sp, how) : -1;
	if (place < 0 || !books) {
		u64 now = bpf_ktime_get_ns();

		if (now >= window_end)
			return 0;
		if (books && books->too_deep && how != CALL_IS_ELSEWHERE)
			books->too_deep--;
		else if (how == CALL_RETURNS && thread->has_called)
			__sync_fetch_and_add(&counts_of(function)->unmatched, now >= window_start);
		if (books)
			settle_books(thread, books);
		return 0;
	}
	call = &books->open[place & (CONTRACT_CALL_DEPTH - 1)];
	/* What is waited for from now on is not added to what is this call's. */
	books->alike_from = books->waits;
	barrier();
	is_told = take_moment(thread, &moment) && call->begun;
	/* It ends behind the window: there it has not ended. */
	if (moment.now >= window_end)
		return 0;
	if (!call->begun)
		__sync_fetch_and_add(
			&counts_of(function)->begun_before, moment.now >= window_start);
	else if (!is_told)
		__sync_fetch_and_add(&counts_of(function)->no_room, 1);
	/* From here on it is told as one that has ended, should the window end meanwhile. */
	call->function = 0;
	barrier();
	if (is_told && cookie & CALL_IS_JUMP)
		__sync_fetch_and_add(&counts_of(function)->jumped_on, 1);
	if (is_told)
		tell_call(thread, call, function, &moment, is_error);
	thread->open_calls--;
	settle_books(thread, books);
	return 1;
}

#endif
