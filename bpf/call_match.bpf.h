/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Which of a thread's open calls is meant, when one begins or ends: by the place of its return
 * address, or as the last one that began. And which are over without having been seen to end: their
 * frames are gone from the stack, or another one has begun that they exclude.
 */
#ifndef DWELL_BPF_CALL_MATCH_H
#define DWELL_BPF_CALL_MATCH_H

#include "open_call.bpf.h"

/* What the end of a call is, if none is known that it could be of. */
enum call_end {
	CALL_RETURNS,      /* it was begun before the window, or in another thread; a forked child
			      returns from its parent's */
	CALL_MAY_LEAVE,    /* and maybe nothing ends here */
	CALL_IS_ELSEWHERE, /* others pass here, too; most likely nothing ends */
};

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

#endif
