// SPDX-License-Identifier: GPL-2.0-or-later
/* Where calls begin and end: probes of functions and marks, of the kernel's functions, and the
 * beginning and end of every system call; and what is still open when the recording ends. */
#include "call.bpf.h"
#include "contract/jump.h"

/* Calls that began before the window, of targets and of all: what watching would cost follows. */
__u64 calls_begun;
__u64 all_calls_begun;

static __always_inline void count_begun(const struct thread *thread)
{
	if (window_start != ~0ULL)
		return;
	__sync_fetch_and_add(&all_calls_begun, 1);
	if (thread)
		__sync_fetch_and_add(&calls_begun, 1);
}

/* The books of the current thread; calls are known, if not timed, before the window opens. Whether
 * it is over is asked once the time is known. */
static __always_inline struct thread *calling_thread(void)
{
	struct task_struct *task = bpf_get_current_task_btf();
	struct thread *thread;

	if (!task->pid)
		return NULL;
	thread = bpf_task_storage_get(&threads, task, NULL, 0);
	return thread && thread->is_target && thread->state != THREAD_DEAD ? thread : NULL;
}

/* Is it one that was asked for? Rules are counted from 1. */
static __always_inline bool passes(void *ctx, u32 rule)
{
	return !rule || is_chosen_event(number_of_context(ctx), rule - 1);
}

#ifdef __TARGET_ARCH_x86

static __always_inline u64 place_of_call(const struct pt_regs *ctx, u64 cookie)
{
	return cookie & CALL_HAS_NO_PLACE ? 0 : ctx->sp;
}

/* A function begins: its return address is on top of the stack. Or a mark, from which on it is
 * timed. */
SEC("?uprobe")
int on_call_begin(struct pt_regs *ctx)
{
	u64 cookie = bpf_get_attach_cookie(ctx);
	struct thread *thread = calling_thread();

	count_begun(thread);
	if (thread && passes(ctx, CALL_RULE(cookie)))
		call_begin(thread, cookie, place_of_call(ctx, cookie),
			cookie & CALL_HAS_NO_PLACE ? CALL_BY_MARKS : CALL_BY_PLACE);
	return 0;
}

/* It has returned, and its return address is off the stack. */
SEC("?uprobe")
int on_call_return(struct pt_regs *ctx)
{
	u64 cookie = bpf_get_attach_cookie(ctx);
	struct thread *thread = calling_thread();

	if (thread)
		call_end(thread, cookie, ctx->sp - sizeof(u64),
			CALL_RULE(cookie) ? CALL_MAY_LEAVE : CALL_RETURNS, false);
	return 0;
}

/* An instruction by which it may return, or a mark at which it ends. */
SEC("?uprobe")
int on_call_leave(struct pt_regs *ctx)
{
	u64 cookie = bpf_get_attach_cookie(ctx);
	struct thread *thread;
	bool is_sure = cookie & CALL_IS_RETURN && !CALL_RULE(cookie), has_ended = false;
	u32 how = cookie & CALL_IS_OTHERS ? CALL_IS_ELSEWHERE
		  : is_sure               ? CALL_RETURNS
					  : CALL_MAY_LEAVE;

	if (!(cookie & CALL_HAS_NO_PLACE) && !jump_is_taken(CALL_CONDITION(cookie), ctx->flags))
		return 0;
	thread = calling_thread();
	if (thread)
		has_ended = call_end(thread, cookie, place_of_call(ctx, cookie), how, false);
	/* Whoever passes here without having been counted is to be paid for, too. */
	if (how == CALL_IS_ELSEWHERE && !has_ended)
		count_begun(thread);
	return 0;
}

/* What interrupts run on stacks of their own is not the doing of the thread that they came upon.
 * arch/x86/include/asm/page_64_types.h, THREAD_SIZE; twice that with KASAN. */
#define KERNEL_STACK_BYTES (32 << 10)

static __always_inline bool is_on_own_stack(const struct pt_regs *ctx)
{
	u64 stack = (u64)BPF_CORE_READ(bpf_get_current_task_btf(), stack);

	return ctx->sp - stack < KERNEL_STACK_BYTES;
}

SEC("?kprobe")
int on_kernel_begin(struct pt_regs *ctx)
{
	u64 cookie = bpf_get_attach_cookie(ctx);
	struct thread *thread = calling_thread();

	count_begun(thread);
	if (!thread)
		return 0;
	if (is_on_own_stack(ctx)) {
		if (passes(ctx, CALL_RULE(cookie)))
			call_begin(thread, cookie, ctx->sp, CALL_BY_STACK);
	} else if (!is_window_over()) {
		__sync_fetch_and_add(&counts_of(CALL_FUNCTION(cookie))->in_interrupt, 1);
	}
	return 0;
}

SEC("?kprobe")
int on_kernel_return(struct pt_regs *ctx)
{
	u64 cookie = bpf_get_attach_cookie(ctx);
	struct thread *thread = calling_thread();

	if (thread && is_on_own_stack(ctx))
		call_end(thread, cookie, 0, CALL_RULE(cookie) ? CALL_MAY_LEAVE : CALL_RETURNS,
			false);
	return 0;
}

/* Of 32-bit code, whose numbers are others. */
static __always_inline bool is_compat_call(void)
{
	return BPF_CORE_READ(bpf_get_current_task_btf(), thread_info.status) & TS_COMPAT;
}

SEC("?tp_btf/sys_enter")
int BPF_PROG(on_system_call, struct pt_regs *regs, long number)
{
	u32 function = (u64)number < CONTRACT_SYSTEM_CALLS
			       ? cfg_call_of_system[number & (CONTRACT_SYSTEM_CALLS - 1)]
			       : 0;
	struct thread *thread;

	if (!function || is_compat_call())
		return 0;
	thread = calling_thread();
	count_begun(thread);
	if (thread && passes(regs, cfg_call_rule_of_system[number & (CONTRACT_SYSTEM_CALLS - 1)]))
		call_begin(thread, function - 1, 0, CALL_BY_NUMBER);
	return 0;
}

/* include/linux/err.h */
#define MAX_ERRNO 4095
/* include/linux/errno.h: the kernel interrupts the call, and makes it again. */
#define ERESTARTSYS 512
#define ERESTART_RESTARTBLOCK 516

static __always_inline bool is_error(long result)
{
	return result < 0 && result >= -MAX_ERRNO &&
	       !(result <= -ERESTARTSYS && result >= -ERESTART_RESTARTBLOCK);
}

SEC("?tp_btf/sys_exit")
int BPF_PROG(on_system_return, struct pt_regs *regs, long result)
{
	u64 number = BPF_CORE_READ(regs, orig_ax);
	u32 function = number < CONTRACT_SYSTEM_CALLS
			       ? cfg_call_of_system[number & (CONTRACT_SYSTEM_CALLS - 1)]
			       : 0;
	struct thread *thread;

	if (!function || is_compat_call())
		return 0;
	thread = calling_thread();
	if (!thread)
		return 0;
	/* A thread's first one may have begun before the probes were there; a child's has not. */
	if (!call_end(thread, function - 1, 0, CALL_MAY_LEAVE, is_error(result)) &&
		!thread->has_called_system && thread->birth < window_start && !is_window_over())
		__sync_fetch_and_add(&counts_of(function - 1)->begun_before, 1);
	thread->has_called_system = true;
	return 0;
}

/* The top of the user stack of a thread that is in the kernel; 0: it has none. */
static __always_inline u64 user_stack_top(struct task_struct *task)
{
	struct pt_regs *regs = (struct pt_regs *)bpf_task_pt_regs(task);

	return regs && BPF_CORE_READ(task, mm) ? regs->sp : 0;
}

#else

static __always_inline u64 user_stack_top(struct task_struct *task)
{
	return 0;
}

#endif

/* An open call of a thread in an iterator, by its place in the books; NULL: there is none. */
static __always_inline struct open_call *open_call_at(struct call_books *books, u32 number)
{
	struct open_call *call = &books->open[number & (CONTRACT_CALL_DEPTH - 1)];

	return call->function ? call : NULL;
}

static __always_inline struct thread *shown_thread(struct task_struct *task)
{
	struct thread *thread = task ? bpf_task_storage_get(&threads, task, NULL, 0) : NULL;

	return thread && thread->is_target && thread->open_calls ? thread : NULL;
}

/* Calls that are open. Nothing is changed. */
SEC("?iter/task")
int on_open_calls(struct bpf_iter__task *ctx)
{
	struct task_struct *task = ctx->task;
	struct thread *thread = shown_thread(task);
	struct call_books *books = thread ? call_books_of(thread) : NULL;
	struct call_open show = {};
	u64 top = 0;

	if (!task || !thread || !books)
		return 0;
	/* A thread that has run since the window's end may be anywhere. */
	show.is_asleep = thread->state == TIME_BLOCKED && !thread->wake && task->__state &&
			 books->switches == task->nvcsw + task->nivcsw;
	show.switches = books->switches;
	if (show.is_asleep)
		top = user_stack_top(task);
#pragma clang loop unroll(disable)
	for (u32 i = 0; i < CONTRACT_CALL_DEPTH; i++) {
		struct open_call *call = open_call_at(books, i);

		if (!call)
			continue;
		show.thread = thread->serial;
		show.function = call->function - 1;
		show.begun_ns = call->begun;
		show.since_ns = thread->since;
		show.is_inner = call->is_inner;
		show.first_wait = call->waits;
		show.place = call->kind == CALL_BY_PLACE ? call->sp : 0;
		show.returns_to = call->returns_to ? call->returns_to : uprobe_trampoline(task);
		show.is_gone = call->kind == CALL_BY_PLACE && is_left_behind(call, top);
		for (u32 n = 0; n < TIME_STATES; n++)
			show.part_ns[n] = thread->total_ns[n] - call->part_ns[n];
		bpf_seq_write(ctx->meta->seq, &show, sizeof(show));
	}
	return 0;
}

/* What the thread has noted of its waits, each once, whatever calls they are in. */
static __noinline int show_waits(struct seq_file *seq, struct thread *thread)
{
	struct slow_row *row = slow_row_of(SLOW_ROW_OF_ITERATOR);
	struct call_books *books = thread ? call_books_of(thread) : NULL;
	u32 first, end;

	if (!seq || !thread || !books || !row)
		return 0;
	end = books->waits;
	first = first_kept(0, end, CALL_WAITS);
	row->key = (struct slow_key){.thread = thread->serial};
	row->books = thread->call_books;
	row->begun = 0;
#pragma clang loop unroll(disable)
	for (u32 i = 0; i < CALL_WAITS; i++) {
		if (first + i == end)
			break;
		for (u32 n = 0; n < TIME_STATES; n++)
			row->left_ns[n] = ~0ULL;
		row->until = books->wait[(first + i) & (CALL_WAITS - 1)].until;
		row->number = first + i;
		if (slow_take_wait(SLOW_ROW_OF_ITERATOR, first + i))
			bpf_seq_write(seq, row, sizeof(struct call_entry));
	}
	return 0;
}

/* An iterator has room for 32 KiB of one thread: that many waits are fewer. */
_Static_assert(CALL_WAITS * sizeof(struct call_entry) <= (32 << 10), "they fit");

SEC("?iter/task")
int on_open_waits(struct bpf_iter__task *ctx)
{
	struct thread *thread = shown_thread(ctx->task);

	if (thread)
		show_waits(ctx->meta->seq, thread);
	return 0;
}
