/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Who is waking: the current thread, or the interrupt that came upon it. The kernel stack decides.
 * The innermost frame of an interrupt's entry hides everything outside of it, so the thread that
 * was interrupted is never blamed and its frames never show; exceptions (page faults) are the
 * thread's own doing. A softirq inside a system call is the thread's doing, too, if it is of the
 * kind that a thread raises for itself (network, tasklets), as opposed to what is merely due
 * (timers, completed requests, RCU).
 */
#ifndef DWELL_WAKER_BPF_H
#define DWELL_WAKER_BPF_H

#include "metal.bpf.h"
#include "target.bpf.h"
#include "work.bpf.h"

/* Ranges of kernel text, start and end; 0: not known. */
const volatile __u64 cfg_interrupts[2];
const volatile __u64 cfg_softirqs[2];
const volatile __u64 cfg_signals[6];
const volatile __u64 cfg_wakes[6];
const volatile __u64 cfg_ipis[6];
/* A walk that is as long as this may have been cut. */
const volatile __u32 cfg_max_frames = CONTRACT_MAX_FRAMES;

enum {
	IN_TASK,
	IN_SOFTIRQ, /* within a thread's own run through the kernel */
	ON_IRQ_RETURN,
	IN_IRQ,
	IN_UNKNOWN,
	IN_MASK = 7,
	IN_SIGNAL = 8, /* flag: a signal is being sent */
};

/* build_vector(): how, beside the kind of hop that a thread would be. */
#define VECTOR_KIND 0xff
#define VECTOR_NO_STACK 0x100

static __always_inline bool is_within(u64 address, const volatile u64 *range)
{
	return address >= range[0] && address < range[1];
}

static __always_inline bool is_within_any(u64 address, const volatile u64 *ranges)
{
	return is_within(address, &ranges[0]) || is_within(address, &ranges[2]) ||
	       is_within(address, &ranges[4]);
}

enum {
	FRAME_INTERRUPT = 1,
	FRAME_SOFTIRQ = 2,
	FRAME_SIGNAL = 4,
	FRAME_WAKE = 8,
};

/* What a frame shows. Global: in a loop over frames its branches would multiply. */
__noinline int kind_of_frame(u64 frame)
{
	if (is_within(frame, cfg_interrupts))
		return FRAME_INTERRUPT;
	if (is_within(frame, cfg_softirqs))
		return FRAME_SOFTIRQ;
	if (is_within_any(frame, cfg_signals))
		return FRAME_SIGNAL;
	return is_within_any(frame, cfg_wakes) ? FRAME_WAKE : 0;
}

/* Finds where a wake was made and cuts the stack at the interrupt. */
__noinline int find_context(struct walk *walk)
{
	u32 seen_kinds = 0;

	if (!walk)
		return IN_UNKNOWN;
	for (u32 i = 0; i < CONTRACT_MAX_FRAMES; i++) {
		if (i >= walk->depth)
			break;
		u32 kind = kind_of_frame(walk->frames[i]);
		if (kind & FRAME_INTERRUPT) {
			walk->depth = i + 1;
			return seen_kinds & FRAME_SOFTIRQ ? ON_IRQ_RETURN : IN_IRQ;
		}
		seen_kinds |= kind;
	}
	/* The entry may be behind the last frame that fits. */
	if (walk->depth >= cfg_max_frames)
		return IN_UNKNOWN;
	if (seen_kinds & FRAME_SOFTIRQ)
		return IN_SOFTIRQ;
	return seen_kinds & FRAME_SIGNAL ? IN_TASK | IN_SIGNAL : IN_TASK;
}

/* Where the wake's own frames begin: what lies before them is the tracer. */
__noinline int find_wake(struct walk *walk)
{
	if (!walk)
		return 0;
	for (u32 i = 0; i < TRACER_FRAMES; i++) {
		if (i >= walk->depth)
			break;
		if (kind_of_frame(walk->frames[i]) & FRAME_WAKE)
			return i;
	}
	return 0;
}

/* Softirqs that a thread raises by what it does itself. */
static __always_inline bool is_own_doing(const struct context *context)
{
	if (!context || context->disk)
		return !context;
	return context->kind == HOP_SOFTIRQ &&
	       (context->value == SOFTIRQ_NET_TX || context->value == SOFTIRQ_NET_RX ||
		       context->value == SOFTIRQ_TASKLET || context->value == SOFTIRQ_HI);
}

/* The kind of hop, and of metal its name. */
static __always_inline u32 name_metal(
	struct record_hop *record, const struct context *context, u32 level, u64 entry)
{
	u32 kind = level == IN_IRQ ? HOP_IRQ : HOP_SOFTIRQ;

	/* An interrupt without a handler of its own, on top of what it interrupted. */
	if (context && context->is_soft != (level != IN_IRQ))
		context = NULL;
	if (!context) {
		record->value = level == IN_IRQ ? entry : ~0ULL;
		return is_within_any(entry, cfg_ipis) ? HOP_IPI : kind;
	}
	if (context->disk) {
		bpf_probe_read_kernel_str(record->name, sizeof(record->name),
			(void *)context->disk + bpf_core_field_offset(struct gendisk, disk_name));
		return HOP_DISK;
	}
	record->value = context->value;
	if (context->kind == HOP_IRQ) {
		struct irqaction *action = (void *)context->value;
		bpf_probe_read_kernel_str(
			record->name, sizeof(record->name), BPF_CORE_READ(action, name));
		record->value = 0;
	}
	return context->kind;
}

static __always_inline u64 id_of_hop(const struct record_hop *record)
{
	const u64 *name = (const u64 *)record->name;
	u64 id = mix(RECORD_HOP, record->value);

	for (u32 i = 0; i < CONTRACT_NAME_LEN / sizeof(u64); i++)
		id = mix(id, name[i]);
	id = mix(mix(id, record->kernel_stack), record->user_stack);
	return id << CONTRACT_HOP_KIND_BITS | record->hop_kind;
}

/* User space must know the image of a waker that is no target before its stack comes. */
__noinline int introduce_current(struct thread *thread)
{
	struct record_thread *record;

	if (!thread || thread->is_target || thread->is_introduced || thread->is_kernel_thread)
		return 0;
	record = bpf_ringbuf_reserve(&records, sizeof(*record), 0);
	if (!record)
		return 0;
	fill_record(record, bpf_get_current_task_btf(), thread);
	record->kind = RECORD_WAKER;
	bpf_ringbuf_submit(record, BPF_RB_NO_WAKEUP);
	thread->is_introduced = true;
	return 0;
}

static __always_inline void take_parents(struct vector *vector, const struct hop *from, u32 count)
{
	u64 bytes;

	if (count > cfg_depth - 1)
		count = cfg_depth - 1;
	if (count > CONTRACT_MAX_HOPS - 1)
		count = CONTRACT_MAX_HOPS - 1;
	vector->count = 1 + count;
	bytes = (u64)count * sizeof(struct hop);
	if (bytes)
		bpf_probe_read_kernel(&vector->hops[1], bytes, from);
}

/* What the thread that wakes has behind it, and its own wakers. */
static __noinline void add_history(struct task_struct *task, struct vector *vector)
{
	struct chain *chain;
	struct vector *work;
	struct hop *hop;
	u32 buffer;

	if (!vector)
		return;
	hop = &vector->hops[0];
	chain = chain_get(task, 0);
	if (!chain) {
		hop->woken = NOTHING_KNOWN;
		return;
	}
	hop->queued_ns = chain->queued_ns;
	hop->queue_from = chain->queue_from;
	hop->queue_to = chain->queue_to;
	work = work_of(task);
	if (work && chain->woken <= work->begun_at) {
		/* It has not waited since it took the item: the queue is where it comes from. */
		hop->woken = work->at;
		if (chain->woken < work->at)
			hop->queued_ns = 0;
		take_parents(vector, work->hops, work->count);
		return;
	}
	hop->woken = chain->woken;
	hop->off = chain->off;
	hop->waited = chain->waited;
	buffer = chain->buffer & 1;
	take_parents(vector, &chain->hops[buffer ? cfg_depth : 0], chain->counts[buffer]);
}

/* Without its stack a wake in a softirq could be the thread's or the interrupt's. */
__noinline int needs_walk(struct cpu *cpu, u32 how)
{
	struct context *context = cpu ? innermost(cpu) : NULL;

	return !(how & VECTOR_NO_STACK) || (context && context->is_soft);
}

/* The kernel stack of the walk that is in the CPU's slot, as an id. */
static __always_inline u64 finish_walk(struct cpu *cpu, struct walk *walk)
{
	if (!walk->depth)
		return STACK_FAILED;
	walk->kind = RECORD_KERNEL_STACK;
	walk->image = 0;
	walk->has_callee = false;
	walk->skip = find_wake(walk);
	return walk_finish(cpu, walk);
}

/* Where the wake is made: what the walk shows, without one what the contexts say. */
static __always_inline u32 level_of(
	struct walk *walk, const struct context *context, u32 pid, u32 *kind, u64 *entry)
{
	u32 level = IN_TASK, found, last;

	if (walk->depth) {
		found = find_context(walk);
		level = found & IN_MASK;
		if (found & IN_SIGNAL && *kind == HOP_TASK)
			*kind = HOP_SIGNAL;
		last = walk->depth - 1;
		if (last < CONTRACT_MAX_FRAMES)
			*entry = walk->frames[last];
	} else if (context) {
		level = context->is_soft ? IN_UNKNOWN : IN_IRQ;
	}
	if (level == IN_SOFTIRQ && (!pid || !is_own_doing(context)))
		return ON_IRQ_RETURN;
	/* The idle thread wakes nobody of its own accord. */
	if (level == IN_TASK && !pid)
		return IN_UNKNOWN;
	return level;
}

/*
 * Fills in who is waking, from the walk in the CPU's slot; returns the kind of hop. Global:
 * verified once and apart, which is what keeps loading short.
 */
__noinline int name_waker(struct cpu *cpu, struct vector *vector, u32 how)
{
	struct task_struct *task = bpf_get_current_task_btf();
	u32 kind = how & VECTOR_KIND, level;
	struct context *context;
	struct record_hop *record;
	struct walk *walk;
	u64 entry = 0;

	if (!cpu || !vector)
		return HOP_UNKNOWN;
	walk = &cpu->walks[WALK_WAKER];
	record = &vector->record;
	context = innermost(cpu);
	level = level_of(walk, context, task->pid, &kind, &entry);
	if (level == IN_SOFTIRQ && kind == HOP_TASK)
		kind = HOP_SOFTIRQ_IN_TASK;
	if (level == IN_UNKNOWN)
		kind = HOP_UNKNOWN;
	else if (level != IN_TASK && level != IN_SOFTIRQ)
		kind = name_metal(record, context, level, entry);
	else
		BPF_CORE_READ_INTO((char(*)[CONTRACT_COMM_LEN])record->name, task, comm);
	record->hop_kind = kind;
	record->user_stack = STACK_NONE;
	if (how & VECTOR_NO_STACK) {
		record->kernel_stack = STACK_NO_WAKER_STACK;
		if (kind != HOP_UNKNOWN && !is_metal(kind))
			record->user_stack = STACK_NO_WAKER_STACK;
		count(cpu, COUNTER_WAKER_STACKS, 1);
	} else {
		record->kernel_stack = finish_walk(cpu, walk);
	}
	return kind;
}

__noinline int seal_hop(struct cpu *cpu, struct vector *vector)
{
	if (!cpu || !vector)
		return 0;
	vector->record.id = id_of_hop(&vector->record);
	vector->hops[0].who = vector->record.id;
	send_once(cpu, &vector->record, vector->record.id, sizeof(vector->record));
	return 0;
}

/* Fills the scratch with the hop that is being made and those behind it. */
static __noinline struct vector *build_vector(void *ctx, struct cpu *cpu, u32 how, u64 now)
{
	struct task_struct *task = bpf_get_current_task_btf();
	struct vector *vector;
	struct thread *thread;
	struct walk *walk;
	u32 zero = 0, kind;

	vector = bpf_map_lookup_elem(&vectors, &zero);
	if (!vector || !cpu)
		return NULL;
	walk = &cpu->walks[WALK_WAKER];
	__builtin_memset(&vector->record, 0, sizeof(vector->record));
	__builtin_memset(&vector->hops[0], 0, sizeof(vector->hops[0]));
	vector->record.kind = RECORD_HOP;
	vector->count = 1;
	vector->at = now;
	vector->begun_at = 0;
	walk->depth = 0;
	if (needs_walk(cpu, how)) {
		long bytes = bpf_get_stack(ctx, walk->frames, CONTRACT_MAX_FRAMES * sizeof(u64), 0);
		if (bytes > 0)
			walk->depth = bytes / sizeof(u64);
	}
	kind = name_waker(cpu, vector, how);
	if (kind != HOP_UNKNOWN && !is_metal(kind)) {
		thread = bpf_task_storage_get(&threads, task, NULL, 0);
		if (thread && !(how & VECTOR_NO_STACK)) {
			introduce_current(thread);
			vector->record.user_stack = user_stack_now(ctx, cpu, walk, task, thread);
		}
		add_history(task, vector);
	}
	seal_hop(cpu, vector);
	return vector;
}

/* Leaves the hops of the wake with the thread that is woken. */
static __noinline void chain_wake(
	void *ctx, struct cpu *cpu, struct task_struct *task, struct thread *thread, u64 now)
{
	struct vector *vector;
	struct chain *chain;
	u32 how = HOP_TASK, hops, spare;
	u64 bytes;

	if (!cpu || !thread)
		return;
	/* One that is not asleep has no wait to end, and a thread cannot end its own. */
	if (thread->state == TIME_PREEMPTED || task == bpf_get_current_task_btf())
		return;
	chain = chain_get(task, 0);
	if (!chain)
		return;
	if (thread->state == TIME_BLOCKED && now - thread->since < cfg_waker_stacks_from)
		how |= VECTOR_NO_STACK;
	vector = build_vector(ctx, cpu, how, now);
	if (!vector)
		return;
	hops = vector->count;
	if (hops > cfg_depth)
		hops = cfg_depth;
	spare = !chain->buffer;
	bytes = (u64)hops * sizeof(struct hop);
	if (spare)
		bpf_probe_read_kernel(&chain->hops[cfg_depth], bytes, vector->hops);
	else
		bpf_probe_read_kernel(&chain->hops[0], bytes, vector->hops);
	chain->counts[spare & 1] = hops;
	chain->pending = mark_of(now);
}

/* A thread's first wake, by its creator. It has not waited before. */
SEC("?tp_btf/sched_wakeup_new")
int BPF_PROG(on_first_wake, struct task_struct *task)
{
	struct cpu *cpu = this_cpu();
	u64 now = bpf_ktime_get_ns();
	struct vector *vector;
	struct chain *chain;
	u32 hops;

	if (!cpu || now >= window_end)
		return 0;
	chain = chain_get(task, 0);
	if (!chain)
		return 0;
	vector = build_vector(ctx, cpu, HOP_FORK, now);
	if (!vector)
		return 0;
	hops = vector->count;
	if (hops > cfg_depth)
		hops = cfg_depth;
	bpf_probe_read_kernel(&chain->hops[0], (u64)hops * sizeof(struct hop), vector->hops);
	chain->buffer = 0;
	chain->counts[0] = hops;
	chain->woken = now;
	chain->off = 0;
	return 0;
}

SEC("?tp_btf/workqueue_queue_work")
int BPF_PROG(on_work_queued, int cpu_wanted, struct pool_workqueue *queue, struct work_struct *item)
{
	struct cpu *cpu = this_cpu();
	u64 now = bpf_ktime_get_ns(), key = (u64)item;
	struct vector *vector;

	if (!cpu || now >= window_end)
		return 0;
	vector = build_vector(ctx, cpu, HOP_WORK, now);
	if (vector)
		bpf_map_update_elem(&works, &key, vector, BPF_ANY);
	return 0;
}

#endif
