// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Where blocks are told of: by the library that dwell preloads (preload/), which chooses them
 * itself and says so in functions of its own; or, in a process that runs already, by the
 * allocator's own functions, each call of which costs a trap.
 */
#include "allocation.bpf.h"
#include "probed.bpf.h"

#ifdef __TARGET_ARCH_x86

/* dwell_alloc_sampled(address, size, allocations) */
SEC("?uprobe")
int on_block(struct pt_regs *ctx)
{
	u64 now = bpf_ktime_get_ns(), bytes = ctx->si, events = ctx->dx;
	struct thread *thread = event_thread(now);

	if (!thread || !events)
		return 0;
	if (!bytes)
		bytes = 1;
	if (bytes > CONTRACT_EVENT_MOST || events > CONTRACT_EVENT_MOST / bytes) {
		__sync_fetch_and_add(&odd_values, 1);
		return 0;
	}
	add_block(ctx, thread, now, ctx->di, bytes * events, events);
	return 0;
}

/* dwell_free_sampled(address) */
SEC("?uprobe")
int on_block_freed(struct pt_regs *ctx)
{
	u64 now = bpf_ktime_get_ns();
	struct thread *thread = event_thread(now);

	if (thread)
		free_block(ctx, thread, now, ctx->di, NULL);
	return 0;
}

/* dwell_alloc_untracked(address) */
SEC("?uprobe")
int on_block_untracked(struct pt_regs *ctx)
{
	struct thread *thread = event_thread(bpf_ktime_get_ns());
	struct allocation_key key = {.address = ctx->di};

	if (!thread)
		return 0;
	key.image = thread->image;
	/* Its end will not be told: here it would live for ever. */
	bpf_map_delete_elem(&allocations, &key);
	__sync_fetch_and_add(&untracked_blocks, 1);
	return 0;
}

/* dwell_alloc_process(how), before the program's own code; the window may not be open yet. */
SEC("?uprobe")
int on_allocator(struct pt_regs *ctx)
{
	struct task_struct *task = bpf_get_current_task_btf();
	struct thread *thread = bpf_task_storage_get(&threads, task, NULL, 0);
	u32 image, how = ctx->di;

	if (!thread)
		return 0;
	image = thread->image;
	bpf_map_update_elem(&allocators, &image, &how, BPF_ANY);
	return 0;
}

/*
 * An operator of C++ that a thread has called. Its return cannot be watched; but where it is not
 * the allocator's own it calls one of its functions, or another operator that does, and that is
 * the same block.
 */
struct operating {
	u64 sp;     /* at its beginning; 0: none, or its block is known */
	u64 caller; /* where it returns to */
	u64 first;  /* its code */
	u64 code;   /* of the operator that it called, and so on; its own if there is none */
	/* As it was counted. */
	struct event_key made;
	struct event_part part;
};

/* The allocation that a thread is in; one that it makes inside of that is a part of it. */
struct allocating {
	u64 sp; /* 0: none */
	u64 bytes;
	u64 old;               /* block that it takes the place of */
	u64 through;           /* where the block's address will be, if it is not returned */
	struct allocation was; /* what is known of the old block; no events: nothing */
	struct operating by_operator;
	bool is_of_operator;
};

struct {
	__uint(type, BPF_MAP_TYPE_TASK_STORAGE);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__type(key, int);
	__type(value, struct allocating);
} allocating_threads SEC(".maps");

static __always_inline struct allocating *allocating_thread(u64 flags)
{
	return bpf_task_storage_get(&allocating_threads, bpf_get_current_task_btf(), NULL, flags);
}

static __always_inline u64 product(u64 a, u64 b)
{
	return a > CONTRACT_EVENT_MOST || b > CONTRACT_EVENT_MOST / (a ? a : 1) ? 0 : a * b;
}

/*
 * Where a function that begins returns to. If its return is watched the kernel has the address
 * already where this place is not the function's very beginning.
 */
static __always_inline u64 returns_to(struct pt_regs *regs)
{
	struct return_instance *taken = first_taken(bpf_get_current_task_btf());
	u64 address = 0;

	if (taken && BPF_CORE_READ(taken, stack) == regs->sp)
		return BPF_CORE_READ(taken, orig_ret_vaddr);
	bpf_probe_read_user(&address, sizeof(address), (void *)regs->sp);
	return address;
}

/* An operator's code is no longer than that, nor is its stack. */
#define OPERATOR_BYTES 256

/* Is a function that begins called by the operator, or jumped to at its end? */
static __always_inline bool is_in_operator(
	const struct operating *operating, struct pt_regs *regs, u64 code, u64 bytes)
{
	u64 caller;

	if (operating->sp - regs->sp >= OPERATOR_BYTES)
		return false;
	caller = returns_to(regs);
	/*
	 * A place calls one function: what else returns there was jumped to from that, with what
	 * was asked of it. One that calls what it is told to has another size, if not always.
	 */
	if (operating->sp == regs->sp)
		return caller == operating->caller && code != operating->first &&
		       bytes == operating->part.most;
	return caller - operating->code < OPERATOR_BYTES;
}

static __always_inline void note_allocating(
	struct allocating *by, struct pt_regs *regs, enum allocation_call call)
{
	by->old = 0;
	by->was.events = 0;
	by->through = 0;
	if (call == ALLOCATION_SIZE) {
		by->bytes = regs->di;
	} else if (call == ALLOCATION_PRODUCT) {
		by->bytes = product(regs->di, regs->si);
	} else if (call == ALLOCATION_AGAIN) {
		by->old = regs->di;
		by->bytes = regs->si;
	} else if (call == ALLOCATION_AGAIN_ARRAY) {
		by->old = regs->di;
		by->bytes = product(regs->si, regs->dx);
	} else if (call == ALLOCATION_THROUGH) {
		by->through = regs->di;
		by->bytes = regs->dx;
	} else {
		by->bytes = regs->si;
	}
}

/*
 * An allocator's function is called. Frames that a longjmp() or a signal left are known by their
 * place: whoever is called from a function has a lower stack pointer than that.
 */
SEC("?uprobe")
int on_allocate(struct pt_regs *ctx)
{
	struct thread *thread = event_thread(bpf_ktime_get_ns());
	struct allocation *old;
	struct allocating *by;

	if (!thread)
		return 0;
	by = allocating_thread(BPF_LOCAL_STORAGE_GET_F_CREATE);
	if (!by || (by->sp && ctx->sp < by->sp))
		return 0;
	by->sp = ctx->sp;
	note_allocating(by, ctx, bpf_get_attach_cookie(ctx));
	by->is_of_operator = is_in_operator(&by->by_operator, ctx, ctx->ip, by->bytes);
	/* When it returns, another thread may have a block at that place. */
	old = by->old ? known_block(thread, by->old) : NULL;
	if (old)
		by->was = *old;
	return 0;
}

/* The block of an operator that was counted when it was called. */
static __always_inline void follow_operators_block(
	void *ctx, struct thread *thread, u64 now, u64 block, struct operating *operating)
{
	operating->sp = 0;
	if (operating->part.events &&
		follow_block(ctx, thread, now, block, &operating->made, &operating->part))
		__sync_fetch_and_add(&untracked_blocks, -1);
}

/* It returns: the return address is off the stack. */
SEC("?uprobe")
int on_allocated(struct pt_regs *ctx)
{
	struct allocating *by = allocating_thread(0);
	u64 now = bpf_ktime_get_ns(), block = ctx->ax, events;
	struct thread *thread;

	if (!by || by->sp + sizeof(u64) != ctx->sp)
		return 0;
	by->sp = 0;
	thread = event_thread(now);
	if (!thread)
		return 0;
	if (by->through) {
		/* It returns whether it failed. */
		if (block)
			return 0;
		bpf_probe_read_user(&block, sizeof(block), (void *)by->through);
	}
	/* realloc(old, 0) frees; one that fails leaves the old block. */
	if (by->was.events && (block || !by->bytes))
		free_block(ctx, thread, now, by->old, &by->was);
	if (!block || by->bytes > CONTRACT_EVENT_MOST)
		return 0;
	if (by->is_of_operator) {
		follow_operators_block(ctx, thread, now, block, &by->by_operator);
		return 0;
	}
	events = stands_for(by->bytes);
	if (events)
		add_block(ctx, thread, now, block, (by->bytes ? by->bytes : 1) * events, events);
	return 0;
}

/*
 * A function whose return cannot be watched: what it allocates is counted, its life is not known
 * but if it calls one whose return can.
 */
SEC("?uprobe")
int on_allocate_only(struct pt_regs *ctx)
{
	u64 now = bpf_ktime_get_ns(), bytes = ctx->di, code = ctx->ip;
	struct thread *thread = event_thread(now);
	struct operating *operating;
	struct allocating *by;

	if (!thread || bytes > CONTRACT_EVENT_MOST)
		return 0;
	by = allocating_thread(BPF_LOCAL_STORAGE_GET_F_CREATE);
	if (!by || (by->sp && ctx->sp < by->sp))
		return 0;
	operating = &by->by_operator;
	if (is_in_operator(operating, ctx, code, bytes)) {
		operating->code = code;
		return 0;
	}
	struct event_key key = {.thread = thread->serial,
		.slice = event_slice(now),
		.measure = cfg_allocated_measure};
	struct event_part part = {.events = stands_for(bytes), .most = bytes};

	part.value = (bytes ? bytes : 1) * part.events;
	operating->sp = ctx->sp;
	operating->first = operating->code = code;
	operating->caller = returns_to(ctx);
	if (part.events) {
		__sync_fetch_and_add(&untracked_blocks, 1);
		event_put(ctx, thread, now, &key, &part, EVENT_USER_STACK);
	}
	operating->made = key;
	operating->part = part;
	return 0;
}

/* free(block), operator delete(block) */
SEC("?uprobe")
int on_free(struct pt_regs *ctx)
{
	u64 now = bpf_ktime_get_ns();
	struct thread *thread = ctx->di ? event_thread(now) : NULL;

	if (thread)
		free_block(ctx, thread, now, ctx->di, NULL);
	return 0;
}

/* Calls of an allocator, to know how many there are before each is made dearer. */
__u64 allocator_calls;
__u64 dear_allocator_calls; /* of these, which the kernel steps */

SEC("?uprobe")
int on_allocator_call(void *ctx)
{
	__sync_fetch_and_add(&allocator_calls, 1);
	if (bpf_get_attach_cookie(ctx))
		__sync_fetch_and_add(&dear_allocator_calls, 1);
	return 0;
}

#endif
