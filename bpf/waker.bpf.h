/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Who is waking: builds the hop of the wake that is being made, puts it before those that the waker
 * carries itself, and leaves all of them with the thread that is woken. Queueing work and giving
 * birth make hops, too.
 */
#ifndef DWELL_WAKER_BPF_H
#define DWELL_WAKER_BPF_H

#include "context.bpf.h"
#include "target.bpf.h"
#include "work.bpf.h"

/* build_vector(): how, beside the kind of hop that a thread would be. */
#define VECTOR_KIND 0xff
#define VECTOR_NO_STACK 0x100

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
	struct task_struct *task = bpf_get_current_task_btf();
	u64 mm = (u64)BPF_CORE_READ(task, mm);
	struct record_thread *record;
	struct cpu *cpu = this_cpu();

	if (!thread)
		return 0;
	/* One that exits has no user stack any more, and would never be forgotten. */
	if (!cpu || !mm)
		return 0;
	record = bpf_ringbuf_reserve(&records, sizeof(*record), 0);
	if (!record) {
		count(cpu, COUNTER_LOST_THREADS, 1);
		return 0;
	}
	fill_record(record, task, thread);
	record->kind = RECORD_WAKER;
	bpf_ringbuf_submit(record, BPF_RB_NO_WAKEUP);
	thread->mm = mm;
	thread->is_introduced = true;
	return 0;
}

static __always_inline void take_parents(struct vector *vector, const struct hop *from, u32 count)
{
	if (count > cfg_depth - 1)
		count = cfg_depth - 1;
	if (count > CONTRACT_MAX_HOPS - 1)
		count = CONTRACT_MAX_HOPS - 1;
	vector->count = 1 + count;
	if (count)
		copy_hops(&vector->hops[1], count, from);
}

/*
 * Behind the hop of the waking thread come its own last wait and the hops that ended that. If its
 * switch-in was not seen, its books still have it in that wait, and the hops are pending.
 */
static __noinline void add_history(
	struct task_struct *task, struct vector *vector, const struct thread *thread)
{
	struct chain *chain;
	struct vector *work;
	struct hop *hop;
	bool is_unseen;
	u32 buffer;

	if (!vector)
		return;
	hop = &vector->hops[0];
	chain = chain_get(task, 0);
	if (!chain) {
		hop->woken = NOTHING_KNOWN;
		return;
	}
	is_unseen = thread && thread->state == TIME_BLOCKED;
	if (is_unseen && chain_is_pending(chain, thread) && thread->wake >= thread->since) {
		hop->woken = thread->wake;
		hop->off = thread->since;
		hop->waited = thread->kernel_stack;
		buffer = !(chain->buffer & 1);
		take_parents(
			vector, &chain->hops[buffer ? cfg_depth : 0], chain->counts[buffer & 1]);
		return;
	}
	hop->queued_ns = chain->queued_ns;
	hop->queue_from = chain->queue_from;
	hop->queue = chain->queue;
	work = work_of(task);
	if (work &&
		(is_unseen || chain->woken == NOTHING_KNOWN || chain->woken <= work->begun_at)) {
		/* A worker that has not waited since it took an item works for its queuer. It is
		 * near since then at the latest, so that it would be known if it had. */
		hop->woken = work->at;
		if (chain->woken < work->at)
			hop->queued_ns = 0;
		take_parents(vector, work->hops, work->count);
		return;
	}
	if (is_unseen) {
		hop->woken = NOTHING_KNOWN;
		return;
	}
	hop->woken = chain->woken;
	hop->off = chain->off;
	hop->waited = chain->waited;
	buffer = chain->buffer & 1;
	take_parents(vector, &chain->hops[buffer ? cfg_depth : 0], chain->counts[buffer]);
}

/* Only the stack tells whether a wake in a softirq is the thread's own or an interrupt's. */
static __always_inline bool needs_walk(struct cpu *cpu, u32 how)
{
	struct context *context;

	if (!(how & VECTOR_NO_STACK))
		return true;
	context = innermost(cpu);
	return context && context->is_soft;
}

/* From now on it counts what the current thread waits for. */
__noinline int come_near(struct thread *thread, u64 now)
{
	struct chain *chain = chain_get(bpf_get_current_task_btf(), 0);

	if (!thread)
		return 0;
	thread->state = TIME_RUNNING;
	thread->since = now;
	thread->wake = 0;
	thread->awaited = 0;
	thread->past_number++;
	if (chain)
		chain_forget(chain);
	near_images[thread->image & (NEAR_IMAGES - 1)] = thread->image;
	/* Last: until then a switch does not look at it. */
	barrier();
	thread->is_near = true;
	return 0;
}

/* No branches: the verifier would go on by three ways from here. */
static __always_inline u32 asker_of(u32 how)
{
	u32 is_fork = (how & VECTOR_KIND) == HOP_FORK, is_work = (how & VECTOR_KIND) == HOP_WORK;
	u32 asker = FRAME_OF_WAKE + (FRAME_OF_FIRST_WAKE - FRAME_OF_WAKE) * is_fork +
		    (FRAME_OF_WORK - FRAME_OF_WAKE) * is_work;

	opaque(asker);
	return asker;
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
	struct walk *walk = walk_in(WALK_WAKER);
	u64 entry = 0;

	if (!cpu || !vector || !walk)
		return HOP_UNKNOWN;
	record = &vector->record;
	context = innermost(cpu);
	level = level_of(cpu, walk, &context, task->pid, &kind, &entry);
	if (level == IN_SOFTIRQ && kind == HOP_TASK)
		kind = HOP_SOFTIRQ_IN_TASK;
	if (level == IN_UNKNOWN)
		kind = HOP_UNKNOWN;
	else if (level != IN_TASK && level != IN_SOFTIRQ)
		kind = name_metal(record, context, level, entry);
	record->hop_kind = kind;
	record->user_stack = STACK_NONE;
	if (how & VECTOR_NO_STACK) {
		record->kernel_stack = STACK_NO_WAKER_STACK;
		if (kind != HOP_UNKNOWN && !is_metal(kind))
			record->user_stack = STACK_NO_WAKER_STACK;
		count(cpu, COUNTER_WAKER_STACKS, 1);
	} else if (!walk->depth) {
		record->kernel_stack = STACK_FAILED;
	} else {
		u32 skip = walk->is_by_rule ? 0 : find_wake(walk);
		record->kernel_stack = finish_kernel(cpu, walk, skip, asker_of(how));
	}
	return kind;
}

__noinline int seal_hop(struct cpu *cpu, struct vector *vector)
{
	if (!cpu || !vector)
		return 0;
	vector->record.id = id_of_hop(&vector->record);
	vector->hops[0].who = vector->record.id;
	return send_once(cpu, &vector->record, vector->record.id, sizeof(vector->record));
}

/* The hop of a thread, which is often the one that it was at its last wake. */
static __always_inline void seal_hop_of_thread(
	struct cpu *cpu, struct vector *vector, struct task_struct *task, struct thread *thread)
{
	volatile u64 *place = &vector->place;
	u64 *name = (u64 *)vector->record.name;
	struct waker *last = thread ? &thread->last_waker : NULL;

	*place = (u64)task;
	load_comm(*place, name);
	if (last && last->name[0] == name[0] && last->name[1] == name[1] &&
		last->kernel_stack == vector->record.kernel_stack &&
		last->user_stack == vector->record.user_stack &&
		(last->who & ((1 << CONTRACT_HOP_KIND_BITS) - 1)) == vector->record.hop_kind &&
		was_sent(last->who)) {
		vector->hops[0].who = last->who;
		return;
	}
	if (!seal_hop(cpu, vector) || !last)
		return;
	last->name[0] = name[0];
	last->name[1] = name[1];
	last->kernel_stack = vector->record.kernel_stack;
	last->user_stack = vector->record.user_stack;
	last->who = vector->record.id;
}

/* Fills the scratch with the hop that is being made and those behind it. */
static __noinline struct vector *build_vector(void *ctx, struct cpu *cpu, u32 how, u64 now)
{
	struct task_struct *task = bpf_get_current_task_btf();
	struct vector *vector;
	struct thread *thread;
	struct walk *walk = walk_in(WALK_WAKER);
	u32 zero = 0, kind;
	bool is_known;

	vector = bpf_map_lookup_elem(&vectors, &zero);
	if (!vector || !cpu || !walk)
		return NULL;
	__builtin_memset(&vector->record, 0, sizeof(vector->record));
	__builtin_memset(&vector->hops[0], 0, sizeof(vector->hops[0]));
	vector->record.kind = RECORD_HOP;
	vector->count = 1;
	vector->at = now;
	vector->begun_at = 0;
	walk->depth = 0;
	walk->is_by_rule = 0;
	if (needs_walk(cpu, how))
		walk_kernel(ctx, cpu, walk, asker_of(how));
	kind = name_waker(cpu, vector, how);
	if (kind != HOP_UNKNOWN && !is_metal(kind)) {
		thread = bpf_task_storage_get(&threads, task, NULL, 0);
		/* Whoever queues work may do it for anybody. */
		is_known = !thread || is_tracked(thread) || (how & VECTOR_KIND) != HOP_WORK;
		if (thread && !is_tracked(thread) && is_known)
			come_near(thread, now);
		if (thread && !(how & VECTOR_NO_STACK)) {
			if (!thread->is_target && !thread->is_introduced &&
				!thread->is_kernel_thread)
				introduce_current(thread);
			walk->memo_kind = MEMO_OF_WAKE;
			vector->record.user_stack = user_stack_now(ctx, cpu, walk, thread);
		}
		vector->hops[0].thread = thread ? thread->serial : 0;
		if (is_known && !(thread && thread->has_stale_chain))
			add_history(task, vector, thread);
		else
			vector->hops[0].woken = NOTHING_KNOWN;
		seal_hop_of_thread(cpu, vector, task, thread);
	} else {
		seal_hop(cpu, vector);
	}
	return vector;
}

/* The hops of a birth: the thread has not waited before, and carries them from now on. */
static __always_inline void carry_birth(
	struct chain *chain, u32 hops, const struct vector *vector, u64 now)
{
	copy_hops(&chain->hops[0], hops, vector->hops);
	chain->buffer = 0;
	chain->counts[0] = hops;
	chain->woken = now;
	chain->off = 0;
}

/* Leaves the hops of the wake, or of the birth, with the thread that is woken. */
static __always_inline void chain_wake(void *ctx, struct cpu *cpu, struct task_struct *task,
	struct thread *thread, u64 now, bool is_birth)
{
	struct vector *vector;
	struct chain *chain;
	u32 how = is_birth ? HOP_FORK : HOP_TASK, hops, spare;

	/* One that is not asleep has no wait to end, and a thread cannot end its own. */
	if (!is_birth && (thread->state == TIME_PREEMPTED || task == bpf_get_current_task_btf()))
		return;
	chain = chain_get(task, 0);
	if (!chain)
		return;
	if (thread->state == TIME_BLOCKED && now - thread->since < cfg_waker_stacks_from)
		how |= VECTOR_NO_STACK;
	/* One way on for both: the verifier is to see what follows once. */
	opaque(how);
	vector = build_vector(ctx, cpu, how, now);
	if (!vector)
		return;
	hops = vector->count;
	if (hops > cfg_depth)
		hops = cfg_depth;
	if (is_birth) {
		carry_birth(chain, hops, vector, now);
		return;
	}
	spare = !chain->buffer;
	if (spare)
		copy_hops(&chain->hops[cfg_depth], hops, vector->hops);
	else
		copy_hops(&chain->hops[0], hops, vector->hops);
	chain->counts[spare & 1] = hops;
	chain->pending = mark_of(now);
}

#endif
