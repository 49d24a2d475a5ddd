/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What a thread that blocks waits for, noted when it leaves its CPU: by the system call that it is
 * in, whose arguments are in the registers with which it came into the kernel, and by the kernel
 * lock that it says it is blocked on. What an epoll set waited for is what is ready when the thread
 * comes back: the list is empty when a thread blocks, and what becomes ready goes to its end.
 *
 * A system call may be long over in spirit while the thread is in it: it may fault, stop or exit.
 * The kernel stack tells, so user space shows a thing only where it fits the reason
 * (model/awaited).
 */
#ifndef DWELL_AWAITED_BPF_H
#define DWELL_AWAITED_BPF_H

#include "awaited_call.bpf.h"

/* Pairs of stacks and thing that have rows, and how many things some stacks have. */
#define PAIR_SLOTS 16384
#define STACK_SLOTS 4096
/* Things of short waits that stacks may have. */
#define THINGS_EACH 20
/* Waits from here on always keep their thing: a thread has at most 100 of them a second. */
#define LONG_WAIT_NS 10000000ULL

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, PAIR_SLOTS);
	__type(key, u32);
	__type(value, u64);
} awaited_pairs SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, STACK_SLOTS);
	__type(key, u32);
	__type(value, u32);
} awaited_counts SEC(".maps");

/* pt_regs.orig_ax of who came into the kernel by a fault, and the number of who did not at all. */
#define NO_CALL (~0ULL)

#define PF_EXITING 0x00000004
/* Threads that the kernel makes in a process's name have its registers, and no system call. */
#define PF_IO_WORKER 0x00000010
#define PF_USER_WORKER 0x00004000
/* arch/x86/include/asm/thread_info.h: a system call of 32-bit code. */
#define TS_COMPAT 0x0002

/* Low bits of task_struct.blocker: linux/hung_task.h. */
#define BLOCKER_MUTEX 0
#define BLOCKER_SEMAPHORE 1
#define BLOCKER_READER 2
#define BLOCKER_WRITER 3
/* An owner's word has flags below: linux/mutex.h, kernel/locking/rwsem.c. */
#define OWNER_FLAGS 7ULL
#define RWSEM_READER 1ULL

/*
 * The kernel lock that a task waits for, with its type in the low bits; 0: none. Tasks say so
 * themselves where a signal cannot end the wait (since 6.16, with CONFIG_DETECT_HUNG_TASK_BLOCKER);
 * mmap_lock is mostly waited for so that one can.
 */
static __always_inline u64 lock_of(u64 task, const struct thread *thread)
{
	u64 lock = 0;

	if (thread->has_lock)
		lock = thread->await.lock;
	/* Or the compiler makes one load of both, which the verifier takes from one kind of memory.
	 */
	barrier_var(lock);
	if (!lock && thread->task_letter == 'D' &&
		bpf_core_field_exists(struct task_struct, blocker))
		lock = FIELD(task, task_struct, blocker);
	return lock;
}

/* The tid of who has it, as dwell sees tids; of a lock that readers have, nobody's. */
static __always_inline u32 owner_of_lock(u64 lock, u32 type)
{
	u64 word;

	if (cfg_pid_namespace || type == BLOCKER_SEMAPHORE)
		return 0;
	word = type == BLOCKER_MUTEX ? FIELD(lock, mutex, owner) : FIELD(lock, rw_semaphore, owner);
	if (type != BLOCKER_MUTEX && word & RWSEM_READER)
		return 0;
	word &= ~OWNER_FLAGS;
	return word ? (u32)FIELD(word, task_struct, pid) : 0;
}

/* The kernel lock as a thing. Global: verified once. */
__noinline u64 thing_of_lock(struct cpu *cpu, struct thread *thread, u64 lock, u32 slot)
{
	struct awaited_room *room = awaited_room_of(slot);
	u64 task, file, inode, number;
	u32 type = lock & 3, kind;

	if (!cpu || !thread || !room)
		return 0;
	task = cpu->calls[slot & 3].task;
	lock &= ~3ULL;
	thread->await.owner = owner_of_lock(lock, type);
	if (lock ==
		FIELD(task, task_struct, mm) + bpf_core_field_offset(struct mm_struct, mmap_lock))
		return thing_of_number(cpu, AWAITED_MMAP_LOCK, thread->image, 0, slot);
	number = cpu->calls[slot & 3].number;
	/* That of the file which the system call is about is known by the file. */
	if (number < AWAITED_CALLS && cfg_calls[number & (AWAITED_CALLS - 1)] == CALL_OF_FILE) {
		file = file_of(task, cpu->calls[slot & 3].first);
		inode = FIELD(file, file, f_inode);
		if (inode && lock == inode + bpf_core_field_offset(struct inode, i_rwsem))
			return thing_of_file(cpu, file, slot);
	}
	kind = type == BLOCKER_MUTEX       ? AWAITED_KERNEL_MUTEX
	       : type == BLOCKER_SEMAPHORE ? AWAITED_KERNEL_SEMAPHORE
					   : AWAITED_KERNEL_RWSEM;
	/* Where it is in memory stays in the kernel. */
	number = id_of_thing(kind, lock, 0);
	if (!was_sent(number)) {
		begin_record(&room->record, number);
		send_record(cpu, &room->record);
	}
	return number;
}

static __always_inline u64 faults_of(u64 task)
{
	return FIELD(task, task_struct, min_flt) + FIELD(task, task_struct, maj_flt);
}

/* A page of a file, if the task is in the fault that was told of last. */
static __always_inline u64 thing_of_fault(
	struct cpu *cpu, const struct await *await, u64 task, u64 regs, u32 slot)
{
	u64 inode, id;

	if (!await->fault_mapping || await->fault_ip != FIELD(regs, pt_regs, ip) ||
		await->fault_count != faults_of(task))
		return 0;
	inode = FIELD(await->fault_mapping, address_space, host);
	if (!inode)
		return 0;
	id = id_of_inode(AWAITED_FAULT, inode, FIELD(inode, inode, i_sb));
	if (!was_sent(id))
		send_fault(cpu, inode, id, slot);
	return id;
}

/* What a thread waits for that waits for no kernel lock. */
static __always_inline u64 thing_of_wait(
	struct cpu *cpu, struct thread *thread, const struct call *call, u32 slot)
{
	u64 number = call->number;
	u32 how;

	if (number == NO_CALL)
		return thing_of_fault(cpu, &thread->await, call->task, call->regs, slot);
	if (number >= AWAITED_CALLS)
		return 0;
	how = cfg_calls[number & (AWAITED_CALLS - 1)];
	/* Without a call: most waits are of these. */
	if (how == CALL_OF_FILE || how == CALL_OF_STREAM || how == CALL_OF_EPOLL ||
		how == CALL_OF_POLL)
		return thing_of_descriptor(cpu, thread, call, how, slot);
	return how ? thing_of_call(cpu, thread, how, slot) : 0;
}

/* Notes what the task of that slot waits for. */
static __always_inline void note_call(struct cpu *cpu, struct thread *thread, u32 slot)
{
	const struct call *call = &cpu->calls[slot & 3];
	u64 lock, id;

	lock = lock_of(call->task, thread);
	if (lock)
		id = owned(&thread->await, thing_of_lock(cpu, thread, lock, slot));
	else
		id = call->regs ? thing_of_wait(cpu, thread, call, slot) : 0;
	/* The thread that an iterator meets may have gone on meanwhile, and noted its next wait. */
	barrier();
	if (slot == AWAITED_IN_SWITCH || (thread->since == call->since && !thread->awaited))
		thread->awaited = id;
}

/* The same, as a call. Global: verified once. */
__noinline int note_await(struct cpu *cpu, struct thread *thread, u32 slot)
{
	if (cfg_awaited && cpu && thread)
		note_call(cpu, thread, slot);
	return 0;
}

/* Has it come into the kernel by a system call of 64-bit code, or by a fault? */
static __always_inline bool has_call(struct task_struct *task, const struct thread *thread)
{
	return !thread->is_kernel_thread &&
	       !(task->flags & (PF_EXITING | PF_IO_WORKER | PF_USER_WORKER)) &&
	       !(task->thread_info.status & TS_COMPAT);
}

/* A thread that is blocked: the current one, or one that sleeps. */
static __always_inline void await_note(
	struct cpu *cpu, struct task_struct *task, struct thread *thread, u32 slot)
{
#ifdef __TARGET_ARCH_x86
	volatile struct call *call = &cpu->calls[slot & 3];
	struct pt_regs *regs;

	if (!cfg_awaited)
		return;
	call->task = (u64)task;
	/* Before anything is read that must be of this wait. */
	call->since = thread->since;
	barrier();
	call->regs = 0;
	call->number = NO_CALL;
	if (has_call(task, thread)) {
		regs = (struct pt_regs *)bpf_task_pt_regs(task);
		call->regs = (u64)regs;
		call->number = regs->orig_ax;
		call->first = regs->di;
	}
	/* Calls are dear, but without this one the stack of on_switch is larger by a frame. */
	if (slot == AWAITED_IN_SWITCH && has_loads() && has_small_frames())
		note_call(cpu, thread, slot);
	else
		note_await(cpu, thread, slot);
#endif
}

/* The first file of an epoll set that is ready; 0: none. */
static __always_inline u64 first_ready(u64 epoll)
{
	u64 list = epoll + bpf_core_field_offset(struct eventpoll, rdllist);
	u64 first = load_word(list);

	if (!first || first == list)
		return 0;
	return FIELD(first - bpf_core_field_offset(struct epitem, rdllink), epitem, ffd.file);
}

static __always_inline u64 stacks_of(const struct thread *thread)
{
	return thread->kernel_stack ^ thread->user_stack >> 7 ^ thread->user_stack << 57;
}

/* May a short wait at these stacks keep its thing? First come, first kept: rows are bounded. */
static __always_inline bool may_keep(u64 stacks, u64 id)
{
	u64 pair = mix(stacks, id), *known;
	u32 slot = pair & (PAIR_SLOTS - 1), *things;

	known = bpf_map_lookup_elem(&awaited_pairs, &slot);
	if (!known || *known == pair)
		return known;
	slot = mix(RECORD_AWAITED, stacks) & (STACK_SLOTS - 1);
	things = bpf_map_lookup_elem(&awaited_counts, &slot);
	if (!things || *things >= THINGS_EACH ||
		waits_used[active_table & (TABLE_SLOTS - 1)] >
			whole_waits[active_table & (TABLE_SLOTS - 1)])
		return false;
	(*things)++;
	*known = pair;
	return true;
}

/* The thing of a wait that lasted so long at these stacks, or its kind only. */
static __always_inline u64 kept_thing(
	struct cpu *cpu, const struct thread *thread, u64 stacks, u64 id, u64 ns)
{
	if (id < AWAITED_FIRST_ID || ns >= LONG_WAIT_NS || may_keep(stacks, id))
		return id;
	if (thread->is_target) {
		count(cpu, COUNTER_AWAITED_FOLDED, 1);
		count(cpu, COUNTER_AWAITED_FOLDED_NS, ns);
	}
	return kind_of_thing(id);
}

/* What has become ready that is not in the memo. Global: verified once. */
__noinline u64 meet_ready(struct cpu *cpu, struct thread *thread, u64 file, u64 ns)
{
	u64 stacks, id, kept;

	if (!cfg_awaited || !cpu || !thread)
		return 0;
	id = thing_of_file(cpu, file, AWAITED_IN_SWITCH);
	if (!id)
		return AWAITED_EPOLL;
	stacks = stacks_of(thread);
	kept = kept_thing(cpu, thread, stacks, id, ns);
	/* What is in the memo needs no further question. */
	if (kept == id && ns < LONG_WAIT_NS)
		keep_in_memo(&thread->memo_of_epoll, file, id, stacks);
	return kept;
}

/*
 * Settles what the wait that ended now was for, which lasted so long: cpu->awaited and cpu->owner
 * have it until the next one ends on this CPU. Global: verified once.
 */
__noinline int settle_await(struct cpu *cpu, struct thread *thread, u64 ns)
{
	u64 id, file;

	if (!cfg_awaited || !cpu || !thread)
		return 0;
	id = thread->awaited;
	thread->awaited = 0;
	cpu->awaited = 0;
	cpu->owner = 0;
	if (is_address(id)) {
		file = first_ready(id);
		if (!file)
			cpu->awaited = AWAITED_EPOLL;
		else if (is_in_memo(&thread->memo_of_epoll, file, stacks_of(thread)))
			cpu->awaited = thread->memo_of_epoll.id;
		else
			cpu->awaited = meet_ready(cpu, thread, file, ns);
		return 0;
	}
	if (id & HAS_OWNER)
		cpu->owner = thread->await.owner;
	id &= ~HAS_OWNER;
	cpu->awaited = kept_thing(cpu, thread, stacks_of(thread), id, ns);
	/* One of several has no owner of its own. */
	if (cpu->awaited != id)
		cpu->owner = 0;
	return 0;
}

/* What a wait that has not ended is for. */
static __always_inline void await_open(struct thread_now *now, const struct thread *thread)
{
	u64 id = thread->awaited;

	if (now->open_state != TIME_BLOCKED)
		return;
	now->awaited = is_address(id) ? AWAITED_EPOLL : id & ~HAS_OWNER;
	if (!is_address(id) && id & HAS_OWNER)
		now->owner = thread->await.owner;
}

#endif
