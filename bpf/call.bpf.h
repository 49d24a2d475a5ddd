/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Calls begin and end in their own thread, which runs then: what its books say at both moments,
 * with the time since its last switch, is what it did in between. The books are not touched.
 *
 * These programs can be preempted. A switch changes `since`, so what was read around one is read
 * again. And a switch-in may have gone unseen, so that the books have the thread blocked while it
 * plainly runs: then it is read as its next switch-out will mend it.
 */
#ifndef DWELL_BPF_CALL_H
#define DWELL_BPF_CALL_H

#include "books.bpf.h"
#include "event_rule.bpf.h"
#include "missed.bpf.h"
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

/* What a thread had done at a moment. */
struct call_moment {
	u64 now;
	u64 part_ns[TIME_STATES];
	/* Of them: since then, and not credited yet, because the switch-in was not seen. */
	u64 unseen_since; /* 0: there is none */
	u64 unseen_ns[TIME_STATES];
	u32 waits;
	u32 samples;
};

/* A switch between two readings is seen; with so many of them in a row nobody reads. */
#define MOMENT_TRIES 4

static __always_inline u64 from_window(u64 at)
{
	u64 start = window_start;

	return at < start ? start : at;
}

/* Adds [since, now), as its next switch will. */
static __always_inline void add_open_parts(
	struct cpu *cpu, struct thread *thread, u32 state, u64 since, struct call_moment *moment)
{
	u64 at, wake;

	since = from_window(since);
	if (since > moment->now)
		since = moment->now;
	if (state == TIME_RUNNING) {
		moment->part_ns[TIME_RUNNING] += moment->now - since;
		return;
	}
	at = missed_switch_in(cpu, thread, moment->now);
	at = from_window(at < since ? since : at);
	if (at > moment->now)
		at = moment->now;
	moment->part_ns[TIME_RUNNING] += moment->now - at;
	moment->unseen_since = since;
	for (u32 i = 0; i < TIME_STATES; i++)
		moment->unseen_ns[i] = 0;
	wake = since;
	if (state == TIME_BLOCKED) {
		wake = thread->wake;
		if (!wake || wake > at)
			wake = at;
		if (wake < since)
			wake = since;
		moment->unseen_ns[TIME_BLOCKED] = wake - since;
		state = TIME_WOKEN;
	}
	moment->unseen_ns[state & (TIME_STATES - 1)] = at - wake;
	for (u32 i = TIME_WOKEN; i < TIME_STATES; i++)
		moment->part_ns[i] += moment->unseen_ns[i];
}

/* False: it was switched again and again meanwhile. Global: verified once. */
__noinline int take_moment(struct thread *thread, struct call_moment *moment)
{
	const volatile struct thread *of = thread;
	struct call_books *books;
	struct cpu *cpu = this_cpu();

	if (!cpu || !thread || !moment)
		return false;
	books = call_books_of(thread);
	if (!books)
		return false;
#pragma clang loop unroll(disable)
	for (u32 i = 0; i < MOMENT_TRIES; i++) {
		u64 since = of->since;
		u32 state = of->state;

		barrier();
		moment->unseen_since = 0;
		for (u32 n = 0; n < TIME_STATES; n++)
			moment->part_ns[n] = of->total_ns[n];
		moment->waits = ((const volatile struct call_books *)books)->waits;
		moment->samples = ((const volatile struct call_books *)books)->samples;
		moment->now = bpf_ktime_get_ns();
		if (state == THREAD_NEW)
			state = was_running_since_start(cpu, thread) ? TIME_RUNNING
								     : state_at_start(thread);
		if (state >= TIME_STATES)
			return false;
		add_open_parts(cpu, thread, state, since, moment);
		barrier();
		if (of->since == since)
			return true;
	}
	return false;
}

/* Stacks that are farther apart are different ones: a signal's, a coroutine's. */
#define ONE_STACK (1ULL << 20)

/* Is the frame of a call gone from the stack, of which this is the top? */
static __always_inline bool is_left_behind(const struct open_call *call, u64 sp)
{
	return call->sp && call->sp < sp && sp - call->sp < ONE_STACK;
}

/* For what is rare: whoever takes a moment asks that. */
static __always_inline bool is_window_over(void)
{
	return bpf_ktime_get_ns() >= window_end;
}

static __always_inline void drop_call(struct thread *thread, struct open_call *call)
{
	u32 function = call->function - 1;

	call->function = 0;
	thread->open_calls--;
	if (call->begun)
		__sync_fetch_and_add(&counts_of(function)->left, 1);
}

/* At the end of the outermost call the books are anybody's. */
static __always_inline void settle_books(struct thread *thread, struct call_books *books)
{
	barrier();
	if (thread->open_calls)
		return;
	books->too_deep = 0;
	barrier();
	books->thread = 0;
}

/* Where the kernel leads threads that return from a function whose return is watched. */
static __always_inline u64 uprobe_trampoline(struct task_struct *task)
{
	struct xol_area *area = BPF_CORE_READ(task, mm, uprobes_state.xol_area);

	return bpf_core_type_exists(struct xol_area) ? BPF_CORE_READ(area, vaddr) : 0;
}

/* Does the address that the call returns to lie where it did, or the kernel's in its stead? */
static __noinline bool is_in_place(u64 returns_to, u64 sp)
{
	u64 word = 0, trampoline = uprobe_trampoline(bpf_get_current_task_btf());

	return !bpf_probe_read_user(&word, sizeof(word), (void *)sp) && word &&
	       (word == returns_to || word == trampoline);
}

/*
 * A call of a function begins where another one's return address lies. Either that one jumped here,
 * and the address is the same; or it was left, and this is another call's.
 */
static __always_inline bool is_tail_call(const struct open_call *call, u32 function, u64 sp)
{
	bool goes_on = call->jumps_on && call->function != function + 1;

	return is_in_place(goes_on ? call->returns_to : 0, sp);
}

/* Is it known, now that another one begins, that it is over? */
static __always_inline bool is_over(
	const struct open_call *call, u32 function, u64 sp, enum call_matching kind)
{
	if (kind == CALL_BY_NUMBER)
		return call->kind == CALL_BY_NUMBER;
	if (kind == CALL_BY_MARKS)
		return call->kind == CALL_BY_MARKS && call->function == function + 1;
	if (call->kind != kind)
		return false;
	return is_left_behind(call, sp) ||
	       (call->sp == sp && (kind == CALL_BY_STACK || !is_tail_call(call, function, sp)));
}

/* On another stack it is another coroutine's. */
static __always_inline bool is_inside(const struct open_call *call, u32 function, u64 sp)
{
	return call->function == function + 1 && (!sp || call->sp - sp < ONE_STACK);
}

enum { PLACE_IS_FREE = 1, PLACE_IS_OF_SAME = 2, PLACE_IS_INNER = 0x100 };

/* Looks at one place: a call that is over is taken off the books. Global, as what follows: verified
 * once. */
__noinline int look_at_place(struct thread *thread, u32 number, u32 function, u64 sp, u32 kind)
{
	struct call_books *books = thread ? call_books_of(thread) : NULL;
	struct open_call *call;

	if (!thread || !books)
		return 0;
	call = &books->open[number & (CONTRACT_CALL_DEPTH - 1)];
	if (call->function && is_over(call, function, sp, kind))
		drop_call(thread, call);
	if (!call->function)
		return PLACE_IS_FREE;
	return is_inside(call, function, sp) ? PLACE_IS_OF_SAME : 0;
}

/* A free place; with a flag if the thread is in the same function already. -1: there is none. */
__noinline int look_for_place(struct thread *thread, u32 function, u64 sp, u32 kind)
{
	int found = -1;
	u32 flags = 0;

	if (!thread)
		return -1;
#pragma clang loop unroll(disable)
	for (u32 i = 0; i < CONTRACT_CALL_DEPTH; i++) {
		int what = look_at_place(thread, i, function, sp, kind);

		if (what & PLACE_IS_FREE)
			found = i;
		if (what & PLACE_IS_OF_SAME)
			flags = PLACE_IS_INNER;
	}
	return found < 0 ? -1 : (int)(found | flags);
}

/* The outermost call of a stack that is no more, or of coroutines: none of it comes back. */
__noinline int evict_call(struct thread *thread, u64 sp)
{
	struct call_books *books = thread ? call_books_of(thread) : NULL;

	if (!thread || !books || !sp)
		return -1;
#pragma clang loop unroll(disable)
	for (u32 i = 0; i < CONTRACT_CALL_DEPTH; i++) {
		struct open_call *call = &books->open[i];
		u64 apart = call->sp > sp ? call->sp - sp : sp - call->sp;

		if (!call->function || !call->sp || apart < ONE_STACK)
			continue;
		drop_call(thread, call);
		return i;
	}
	return -1;
}

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

/* When the call at a place began, counted from 1, if it can be the one that ends; 0: it cannot.
 * Calls within that one are over. */
__noinline u64 look_at_end(struct thread *thread, u32 number, u32 function, u64 sp)
{
	struct call_books *books = thread ? call_books_of(thread) : NULL;
	struct open_call *call;

	if (!thread || !books)
		return 0;
	call = &books->open[number & (CONTRACT_CALL_DEPTH - 1)];
	if (!call->function)
		return 0;
	if (call->function == function + 1 && (!sp || call->sp == sp))
		return call->begun + 1;
	if (sp && is_left_behind(call, sp))
		drop_call(thread, call);
	return 0;
}

/* The call that ends: of those of the function the one at that place, or the last that began. */
__noinline int find_call(struct thread *thread, u32 function, u64 sp)
{
	u64 last = 0;
	int found = -1;

	if (!thread)
		return -1;
#pragma clang loop unroll(disable)
	for (u32 i = 0; i < CONTRACT_CALL_DEPTH; i++) {
		u64 begun = look_at_end(thread, i, function, sp);

		if (!begun || begun < last)
			continue;
		found = i;
		last = begun;
	}
	return found;
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

/* What the end of a call is, if none is known that it could be of. */
enum call_end {
	CALL_RETURNS,      /* it was begun before the window, or in another thread; a forked child
			      returns from its parent's */
	CALL_MAY_LEAVE,    /* and maybe nothing ends here */
	CALL_IS_ELSEWHERE, /* others pass here, too; most likely nothing ends */
};

/* Another function returns: does the open call, having jumped to it? Or was it left, and this is
 * one that was called since? */
static __noinline bool has_jumped_here(struct thread *thread, struct open_call *call, u64 sp)
{
	if (!thread || !call)
		return false;
	if (is_in_place(call->returns_to, sp))
		return true;
	drop_call(thread, call);
	return false;
}

/* The only call that is open, which most are that end; or it is looked for, in the window. */
static __always_inline int place_of_end(
	struct thread *thread, struct call_books *books, u32 function, u64 sp, u32 how)
{
	struct open_call *first = &books->open[0];
	bool is_first = thread->open_calls == 1 && first->function == function + 1 &&
			first->sp == sp && how != CALL_IS_ELSEWHERE;
	int place;

	if (is_first)
		return 0;
	place = is_window_over() ? -1 : find_call(thread, function, sp);
	if (place < 0 || how != CALL_IS_ELSEWHERE)
		return place;
	return has_jumped_here(thread, &books->open[place & (CONTRACT_CALL_DEPTH - 1)], sp) ? place
											    : -1;
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
	if (is_told)
		tell_call(thread, call, function, &moment, is_error);
	thread->open_calls--;
	settle_books(thread, books);
	return 1;
}

#endif
