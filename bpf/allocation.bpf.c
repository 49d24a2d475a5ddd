// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Where blocks are told of: by the library that dwell preloads (preload/), which chooses them
 * itself and says so in functions of its own; or, in a process that runs already, by the
 * allocator's own functions, each call of which costs a trap.
 */
#include "allocation.bpf.h"

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
	if (bytes > CONTRACT_EVENT_MOST || events > CONTRACT_EVENT_MOST ||
		bytes * events > CONTRACT_EVENT_MOST) {
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
		free_block(ctx, thread, now, ctx->di);
	return 0;
}

/* dwell_alloc_untracked(address) */
SEC("?uprobe")
int on_block_untracked(struct pt_regs *ctx)
{
	if (event_thread(bpf_ktime_get_ns()))
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

/* The allocation that a thread is in; one that it makes inside of that is a part of it. */
struct allocating {
	u64 sp; /* 0: none */
	u64 bytes;
	u64 old;     /* block that it takes the place of */
	u64 through; /* where the block's address will be, if it is not returned */
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

static __always_inline void note_allocating(
	struct allocating *by, struct pt_regs *regs, enum allocation_call call)
{
	by->old = 0;
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
	struct allocating *by;

	if (!event_thread(bpf_ktime_get_ns()))
		return 0;
	by = allocating_thread(BPF_LOCAL_STORAGE_GET_F_CREATE);
	if (!by || (by->sp && ctx->sp < by->sp))
		return 0;
	by->sp = ctx->sp;
	note_allocating(by, ctx, bpf_get_attach_cookie(ctx));
	return 0;
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
	if (by->old && (block || !by->bytes))
		free_block(ctx, thread, now, by->old);
	if (!block || by->bytes > CONTRACT_EVENT_MOST)
		return 0;
	events = stands_for(by->bytes);
	if (events)
		add_block(ctx, thread, now, block, (by->bytes ? by->bytes : 1) * events, events);
	return 0;
}

/* A function whose return cannot be watched: what it allocates is counted, its life is not known.
 */
SEC("?uprobe")
int on_allocate_only(struct pt_regs *ctx)
{
	u64 now = bpf_ktime_get_ns(), bytes = ctx->di, events;
	struct thread *thread = event_thread(now);

	events = thread && bytes <= CONTRACT_EVENT_MOST ? stands_for(bytes) : 0;
	if (!events)
		return 0;
	struct event_key key = {.thread = thread->serial,
		.slice = event_slice(now),
		.measure = cfg_allocated_measure};
	struct event_part part = {(bytes ? bytes : 1) * events, events, bytes};

	__sync_fetch_and_add(&untracked_blocks, 1);
	event_put(ctx, thread, now, &key, &part, EVENT_USER_STACK);
	return 0;
}

/* free(block), operator delete(block) */
SEC("?uprobe")
int on_free(struct pt_regs *ctx)
{
	u64 now = bpf_ktime_get_ns();
	struct thread *thread = ctx->di ? event_thread(now) : NULL;

	if (thread)
		free_block(ctx, thread, now, ctx->di);
	return 0;
}

/* Calls of an allocator, to know how many there are before each is made dearer. */
__u64 allocator_calls;

SEC("?uprobe")
int on_allocator_call(void *ctx)
{
	__sync_fetch_and_add(&allocator_calls, 1);
	return 0;
}

#endif
