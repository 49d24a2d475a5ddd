/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Who had the CPU while a thread was ready for it. Each CPU remembers who left it lately, and when;
 * with few targets only while one of them waits, for which all that are ready are counted. A thread
 * that gets its CPU was behind whoever leaves it now, since the one before left, and behind that
 * one before: each stay that overlaps its time in the queue is a part of it. A thread that was
 * moved to another queue meanwhile was behind those on the CPU before until then.
 *
 * The time itself is in rows with the thread's stacks; who had the CPU is told by rows beside them,
 * because there would be many of both in one.
 *
 * A CPU writes its own stays; others read them while it may write on. Nothing locks: a stay that
 * may have been overwritten is not believed.
 */
#ifndef DWELL_QUEUE_BPF_H
#define DWELL_QUEUE_BPF_H

#include "carry.bpf.h"
#include "credit.bpf.h"
#include "thin.bpf.h"

/* thread.moved_from of one that was moved more than once. */
#define MOVED_OFTEN (~0U)

/* stays.task of an idle CPU. */
#define IDLE_TASK 1

/* Targets that are ready, where few threads are targets. */
__u32 ready_targets OWN_LINE;

static __always_inline bool counts_ready(void)
{
	return cfg_target_kind != TARGET_ALL;
}

/* From now on all CPUs note who leaves them. */
static __always_inline void begin_ready(struct thread *thread)
{
	if (!counts_ready() || !thread->is_target || thread->is_ready)
		return;
	thread->is_ready = true;
	__sync_fetch_and_add(&ready_targets, 1);
}

static __always_inline void end_ready(struct thread *thread)
{
	if (!thread->is_ready)
		return;
	thread->is_ready = false;
	__sync_fetch_and_add(&ready_targets, -1);
}

static __always_inline bool somebody_is_ready(void)
{
	return !counts_ready() || *(volatile __u32 *)&ready_targets;
}

/* The name of one who has a CPU. A thread may have none, but is not an idle CPU. */
static __always_inline void read_comm(u64 task, u64 name[CONTRACT_COMM_WORDS])
{
	load_comm(task, name);
	if (!name[0])
		name[0] = '?';
}

/* Notes who leaves this CPU. */
static __always_inline void note_leaver(struct cpu *cpu, struct task_struct *prev)
{
	volatile __u64 *place = &cpu->place;

	*place = (u64)prev;
	if (prev->pid) {
		read_comm(*place, cpu->queue.name);
	} else {
		cpu->queue.name[0] = 0;
		cpu->queue.name[1] = 0;
	}
	cpu->queue.is_known = true;
}

static __always_inline void note_comer(struct cpu *cpu, struct task_struct *next)
{
	cpu->stays.task = next->pid ? (u64)next : IDLE_TASK;
}

/* `next` takes this CPU from the one whose name is in queue.name. */
static __always_inline void note_stay(struct cpu *cpu, struct task_struct *next, u64 now)
{
	struct stays *stays = &cpu->stays;
	struct stay *stay = &stays->at[stays->head & (STAYS - 1)];

	stay->until = now;
	stay->name[0] = cpu->queue.name[0];
	stay->name[1] = cpu->queue.name[1];
	barrier();
	stays->head++;
	note_comer(cpu, next);
}

/*
 * Who is on a CPU now: the task is there as long as nothing else happens on that CPU, which would
 * be noted, because somebody waits for it.
 */
static __always_inline bool name_stayer(
	const struct stays *stays, u32 head, u64 name[CONTRACT_COMM_WORDS])
{
	u64 task = stays->task;

	name[0] = 0;
	name[1] = 0;
	if (!task)
		return false;
	if (task != IDLE_TASK)
		read_comm(task, name);
	barrier();
	return stays->head == head && stays->task == task;
}

/* Who that is, as user space will know it: it forgets no name. */
static __always_inline u64 occupant_of(struct cpu *cpu, u64 first, u64 second)
{
	struct record_occupant *record = &cpu->occupant;
	u64 *name = (u64 *)record->comm;

	if (!first)
		return QUEUE_IDLE_CPU;
	if (record->id && name[0] == first && name[1] == second)
		return record->id;
	record->kind = RECORD_OCCUPANT;
	name[0] = first;
	name[1] = second;
	record->id = mix(mix(RECORD_OCCUPANT, first), second);
	if (record->id < QUEUE_FIRST_ID)
		record->id += QUEUE_FIRST_ID;
	if (!send_once(cpu, record, record->id, sizeof(*record)))
		record->id = QUEUE_UNTOLD;
	return record->id;
}

/* Tells who had the CPU for so long of the thread's time in the queue. Global: verified once. */
__noinline int tell_part(struct cpu *cpu, struct thread *thread, u64 who, u64 ns)
{
	struct queue *queue;
	struct sum_key key = {.state = ROW_OF_QUEUE, .chain = who};
	struct sum add = {.count = 1, .ns = ns, .max_ns = ns, .first_ns = ns};

	if (!cpu || !thread || !ns)
		return 0;
	queue = &cpu->queue;
	key.thread = thread->serial;
	key.slice_first = queue->slice;
	key.slice_last = queue->slice;
	key.is_part = queue->is_counted;
	queue->is_counted = true;
	count_row(cpu, add_row(cpu, &key, &add), ns);
	return 0;
}

/* Tells of what was gathered for one name. */
static __always_inline void tell_gathered(struct cpu *cpu, struct thread *thread, u32 i)
{
	struct queue_part *part = &cpu->queue.parts[i & (QUEUE_PARTS - 1)];
	u64 ns = part->ns;

	part->ns = 0;
	if (ns)
		tell_part(cpu, thread, occupant_of(cpu, part->name[0], part->name[1]), ns);
}

/*
 * Threads that wait for each other have a CPU in turn: what each of two had is added up before it
 * is told. Global: verified once.
 */
__noinline int gather_part(struct cpu *cpu, struct thread *thread, u64 first, u64 second, u64 ns)
{
	struct queue_part *a, *b;

	if (!cpu || !thread)
		return 0;
	a = &cpu->queue.parts[0];
	b = &cpu->queue.parts[1];
	if (a->ns && a->name[0] == first && a->name[1] == second) {
		a->ns += ns;
		return 0;
	}
	if (b->ns && b->name[0] == first && b->name[1] == second) {
		b->ns += ns;
		return 0;
	}
	if (a->ns && b->ns) {
		/* The latest counts the whole: it is told first. */
		tell_gathered(cpu, thread, 0);
		*a = *b;
		b->ns = 0;
	}
	if (a->ns)
		a = b;
	a->name[0] = first;
	a->name[1] = second;
	a->ns = ns;
	return 0;
}

/* The last stays, among which a time in a queue is divided exactly. */
#define STAYS_DIVIDED 31

/*
 * Tells of the thread's time in the queue of a CPU, since `since`, the latest part first: who is on
 * that CPU now, and the stays before, as far as it is divided. Global: verified once.
 */
__noinline int tell_stays(struct cpu *cpu, struct thread *thread, u32 number, u64 since)
{
	u64 from, to, name[CONTRACT_COMM_WORDS];
	u32 level = CPU_USUAL, at;
	struct queue *queue;
	struct stays *stays;
	struct stay *stay;
	struct cpu *there;
	bool is_known = true;

	if (!cpu || !thread)
		return 0;
	queue = &cpu->queue;
	there = bpf_map_lookup_percpu_elem(&cpus, &level, number);
	if (!there)
		return 0;
	stays = &there->stays;
	at = stays->head;
	if (queue->is_here) {
		name[0] = queue->name[0];
		name[1] = queue->name[1];
	} else {
		is_known = name_stayer(stays, at, name);
	}
	to = queue->to;
#pragma clang loop unroll(disable)
	for (u32 i = 0; i < STAYS_DIVIDED; i++) {
		stay = &stays->at[(at - 1) & (STAYS - 1)];
		from = stay->until;
		barrier();
		if (stays->head - (at - 1) >= STAYS || to <= since)
			break;
		if (from < since)
			from = since;
		if (from < to) {
			if (!is_known)
				break;
			gather_part(cpu, thread, name[0], name[1], to - from);
			to = from;
		}
		name[0] = stay->name[0];
		name[1] = stay->name[1];
		is_known = true;
		at--;
	}
	queue->to = to;
	return 0;
}

/*
 * Who had this CPU at a moment, into queue.name; false if nobody remembers. Global: verified once.
 */
__noinline int find_stay(struct cpu *cpu, u64 moment)
{
	struct stays *stays;
	struct stay *stay;
	u32 at;

	if (!cpu)
		return 0;
	stays = &cpu->stays;
	at = stays->head;
#pragma clang loop unroll(disable)
	for (u32 i = 0; i < STAYS - 1; i++) {
		if (stays->at[(at - 1) & (STAYS - 1)].until <= moment)
			break;
		at--;
	}
	if (stays->head - at >= STAYS - 1)
		return 0;
	if (at == stays->head)
		return 1;
	stay = &stays->at[at & (STAYS - 1)];
	cpu->queue.name[0] = stay->name[0];
	cpu->queue.name[1] = stay->name[1];
	return 1;
}

/* Shorter times in a queue are told by one moment. */
#define QUEUE_LONG_NS 1000000ULL

/*
 * Tells that [since, to) was behind the one who had this CPU at one moment of it, by chance: over
 * many such times each gets its share, at a fraction of the cost. Global: verified once.
 */
__noinline int tell_moment(struct cpu *cpu, struct thread *thread, u64 since, u64 to)
{
	u64 ns = to - since, first, second, who = QUEUE_UNTOLD;

	if (!cpu || !thread || since >= to)
		return 0;
	/* note_stay() will need the name. */
	first = cpu->queue.name[0];
	second = cpu->queue.name[1];
	if (find_stay(cpu, since + scaled(ns, to * 0x9e3779b97f4a7c15ULL >> 44, 1 << 20)))
		who = occupant_of(cpu, cpu->queue.name[0], cpu->queue.name[1]);
	cpu->queue.name[0] = first;
	cpu->queue.name[1] = second;
	tell_part(cpu, thread, who, ns);
	return 0;
}

/*
 * Tells who had the CPU in [since, at), in which the thread was ready for it; it has this one now,
 * after the one in queue.name. Global: verified once.
 */
__noinline int tell_queue(struct cpu *cpu, struct thread *thread, u64 since, u64 at)
{
	u64 start = window_start, moved_at;
	struct queue *queue;

	if (!cpu || !thread || !thread->is_target || is_thinned(thread))
		return 0;
	if (since < start)
		since = start;
	if (since >= at)
		return 0;
	queue = &cpu->queue;
	queue->slice = slice_at(cpu, at - 1, start);
	queue->is_counted = false;
	/* While it did not count as ready, switches of others may not have been noted. */
	if (thread->is_held_back || !queue->is_known || (counts_ready() && !thread->is_ready)) {
		tell_part(
			cpu, thread, thread->is_held_back ? QUEUE_QUOTA : QUEUE_UNTOLD, at - since);
		return 0;
	}
	moved_at = thread->moved_at;
	if (moved_at <= since || moved_at >= at)
		moved_at = since;
	if (moved_at == since && at - since < QUEUE_LONG_NS) {
		tell_moment(cpu, thread, since, at);
		return 0;
	}
	queue->to = at;
	queue->is_here = true;
	tell_stays(cpu, thread, bpf_get_smp_processor_id(), moved_at);
	if (queue->to > moved_at) {
		/* Many switches ago: one of those who had it then stands for all. The latest is
		 * told first: it counts the whole. */
		tell_gathered(cpu, thread, 0);
		tell_gathered(cpu, thread, 1);
		tell_moment(cpu, thread, moved_at, queue->to);
		queue->to = moved_at;
	}
	if (queue->to == moved_at && moved_at > since) {
		queue->is_here = false;
		tell_stays(cpu, thread, thread->moved_from, since);
	}
	tell_gathered(cpu, thread, 0);
	tell_gathered(cpu, thread, 1);
	/* What is left: nobody remembers. */
	tell_part(cpu, thread, QUEUE_UNTOLD, queue->to - since);
	return 0;
}

/* The CPU in whose queue a task is. A kernel for one CPU does not keep it. */
static __always_inline u32 cpu_of(const struct task_struct *task)
{
	return bpf_core_field_exists(task->thread_info.cpu) ? task->thread_info.cpu : 0;
}

/* A thread that still has no CPU: who has had it all the time? */
static __always_inline void name_occupant(
	const struct task_struct *task, const struct thread *thread, struct thread_now *now)
{
	u64 since = now->wake_ns > now->since_ns ? now->wake_ns : now->since_ns;
	u64 name[CONTRACT_COMM_WORDS];
	u32 level = CPU_USUAL, head;
	struct cpu *there = bpf_map_lookup_percpu_elem(&cpus, &level, cpu_of(task));
	struct stays *stays;

	if (thread->is_held_back)
		now->queue = QUEUE_QUOTA;
	if (!there || thread->moved_at || thread->is_held_back ||
		(counts_ready() && !thread->is_ready))
		return;
	stays = &there->stays;
	head = stays->head;
	if (stays->at[(head - 1) & (STAYS - 1)].until > since || !name_stayer(stays, head, name))
		return;
	now->queue = name[0] ? QUEUE_THREAD : QUEUE_IDLE_CPU;
	__builtin_memcpy(now->occupant, name, sizeof(name));
}

/* Is what its cgroup may use of the CPUs used up, now that it leaves one without waiting? */
static __always_inline bool is_held_back(struct task_struct *task)
{
	if (bpf_core_field_exists(task->throttled))
		return BPF_CORE_READ(task, throttled);
	return bpf_core_field_exists(task->se.cfs_rq->throttle_count) &&
	       BPF_CORE_READ(task, se.cfs_rq, throttle_count) > 0;
}

#endif
