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
 *
 * Notes are kept beside the threads' books, in an array by serial: a thread's storage is full.
 */
#ifndef DWELL_AWAITED_BPF_H
#define DWELL_AWAITED_BPF_H

#include "target.bpf.h"
#include "thing.bpf.h"

/* enum awaited_call by number; of x86-64, others say nothing. */
const volatile __u8 cfg_calls[AWAITED_CALLS];
const volatile __u32 cfg_awaits_mask;

/*
 * The thing that a thread waited for last, which is mostly the one that it waits for now. A file is
 * known by its place in memory, which may be another file's by now: so also by where its inode and
 * its own data are, and by the inode's number. A futex has its address instead of the file.
 */
struct await_memo {
	u64 what; /* 0: nothing */
	u64 check;
	u64 number;
	u64 id;
};

/* What every wait needs is in the first cache line. */
struct await {
	u32 thread; /* serial */
	u32 owner;
	u64 since; /* of the wait: older notes say nothing */
	u64 id;
	u64 epoll; /* struct eventpoll *; 0: none */
	struct await_memo memo;
	/* The last page fault on a file that had to wait: where, and of what. */
	u64 fault_ip;
	u64 fault_mapping;
	u64 fault_count; /* faults that had ended then */
	u64 lock; /* the kernel lock that it begins to wait for, with the low bits of `blocker` */
	u64 pad[4];
};

_Static_assert(sizeof(struct await) == CONTRACT_AWAIT_BYTES, "as user space counts them");

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1);
	__type(key, u32);
	__type(value, struct await);
} awaits SEC(".maps");

/* Pairs of stacks and thing that have rows, and how many things some stacks have. */
#define PAIR_SLOTS 16384
#define STACK_SLOTS 4096
/* Things of short waits that stacks may have. */
#define THINGS_EACH 24
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

static __always_inline struct await *await_slot(const struct thread *thread)
{
	u32 slot = thread->serial & cfg_awaits_mask;

	return cfg_awaited ? bpf_map_lookup_elem(&awaits, &slot) : NULL;
}

/* The thread's own note; NULL if another has its place. */
static __always_inline struct await *await_of(const struct thread *thread)
{
	struct await *await = await_slot(thread);

	return await && await->thread == thread->serial ? await : NULL;
}

#define PF_EXITING 0x00000004
/* Threads that the kernel makes in a process's name have its registers, and no system call. */
#define PF_IO_WORKER 0x00000010
#define PF_USER_WORKER 0x00004000
/* arch/x86/include/asm/thread_info.h: a system call of 32-bit code. */
#define TS_COMPAT 0x0002

/* The file behind a descriptor of the task. */
static __always_inline u64 file_of(u64 task, u32 fd)
{
	u64 table = FIELD(FIELD(task, task_struct, files), files_struct, fdt);

	/* Some poll for -1. */
	if (fd >= (u32)FIELD(table, fdtable, max_fds))
		return 0;
	return load_word(FIELD(table, fdtable, fd) + (u64)fd * sizeof(u64));
}

static __always_inline bool is_in_memo(
	const struct await_memo *memo, u64 what, u64 check, u64 number)
{
	return memo->what == what && memo->check == check && memo->number == number;
}

static __always_inline void keep_memo(
	struct await_memo *memo, u64 what, u64 check, u64 number, u64 id)
{
	memo->what = what;
	memo->check = check;
	memo->number = number;
	memo->id = id;
}

static __always_inline u64 check_of_file(u64 file, u64 inode)
{
	return inode ^ FIELD(file, file, private_data) << 1;
}

/* A file that is not the one in the memo. Global: verified once. */
__noinline u64 meet_file(struct cpu *cpu, struct await *await, u64 file)
{
	u64 inode, id;

	if (!cpu || !await)
		return 0;
	id = thing_of_file(cpu, file, AWAITED_IN_SWITCH);
	inode = FIELD(file, file, f_inode);
	/* What user space does not know yet is to be told again; who a socket of datagrams is
	 * connected to may change. */
	if (id && kind_of_thing(id) != AWAITED_UDP && was_sent(id))
		keep_memo(
			&await->memo, file, check_of_file(file, inode), number_of_inode(inode), id);
	return id;
}

/* The thing that a file is, for the thread of that note. */
static __always_inline u64 thing_of_known_file(
	struct cpu *cpu, struct await *await, u64 file, u32 slot)
{
	u64 inode;

	if (!file)
		return 0;
	/* An iterator meets threads that may be on their way back to a CPU, and write themselves.
	 */
	if (slot != AWAITED_IN_SWITCH)
		return thing_of_file(cpu, file, slot);
	inode = FIELD(file, file, f_inode);
	if (is_in_memo(&await->memo, file, check_of_file(file, inode), number_of_inode(inode)))
		return await->memo.id;
	return meet_file(cpu, await, file);
}

/* include/uapi/linux/futex.h. */
#define FUTEX_OPERATION 127
#define FUTEX_PRIVATE 128
#define FUTEX_WAIT 0
#define FUTEX_LOCK_PI 6
#define FUTEX_WAIT_BITSET 9
#define FUTEX_LOCK_PI2 13
#define FUTEX_TID_MASK 0x3fffffff

/*
 * The word that holds the owner's tid if this is what glibc makes of it, which only the user stack
 * can tell: a mutex (it waits for the value 2) has it 8 bytes on, a lock with priority inheritance
 * in the futex itself, and a rwlock, whose futexes are its third and fourth words, in its seventh.
 * 0: none.
 */
static __always_inline u64 owner_word_of(u64 address, u32 operation, u32 expected)
{
	/* Also with a timeout, which is another operation; a rwlock that waits for 2 waits for
	 * readers, and has 0 there. */
	if (operation == FUTEX_WAIT || (operation == FUTEX_WAIT_BITSET && expected == 2))
		return expected == 2 ? address + 8 : 0;
	if (operation == FUTEX_LOCK_PI || operation == FUTEX_LOCK_PI2)
		return address;
	if (operation == FUTEX_WAIT_BITSET)
		return address + (address & 4 ? 12 : 16);
	return 0;
}

static __always_inline u64 thing_of_futex(struct cpu *cpu, const struct thread *thread,
	struct await *await, u64 address, u32 operation, u32 expected, u32 slot)
{
	u32 operation_alone = operation & FUTEX_OPERATION;
	u64 word = owner_word_of(address, operation_alone, expected), id;
	u32 owner = 0;

	/* Only the current thread's memory can be read, and the kernel has just read the futex. */
	if (word && slot == AWAITED_IN_SWITCH &&
		!bpf_probe_read_user(&owner, sizeof(owner), (void *)word))
		await->owner = owner & FUTEX_TID_MASK;
	/* Conditions and rwlocks wait at two neighbouring words in turn. */
	if (operation_alone == FUTEX_WAIT_BITSET)
		address &= ~7ULL;
	if (slot == AWAITED_IN_SWITCH && is_in_memo(&await->memo, address, thread->image, ~0ULL))
		return await->memo.id;
	id = thing_of_number(
		cpu, AWAITED_FUTEX, thread->image, address, !(operation & FUTEX_PRIVATE), slot);
	if (slot == AWAITED_IN_SWITCH && was_sent(id))
		keep_memo(&await->memo, address, thread->image, ~0ULL, id);
	return id;
}

/* One file: that one. The array was read a moment ago. */
static __always_inline u64 thing_of_poll(
	struct cpu *cpu, struct await *await, u64 task, u64 array, u64 files, u32 slot)
{
	u32 fd = 0;

	if (!files)
		return 0;
	if (files > 1 || slot != AWAITED_IN_SWITCH ||
		bpf_probe_read_user(&fd, sizeof(fd), (void *)array))
		return AWAITED_POLL_SET;
	return thing_of_known_file(cpu, await, file_of(task, fd), slot);
}

static __always_inline u64 thing_of_child(
	struct cpu *cpu, const struct thread *thread, int pid, u32 slot)
{
	return pid > 0 ? thing_of_number(cpu, AWAITED_CHILD, thread->image, pid, false, slot)
		       : AWAITED_ANY_CHILD;
}

#define WAITID_PID 1
#define WAITID_PIDFD 3

/* What a system call waits for that says so in that way. Global: verified once. */
__noinline u64 thing_of_call(
	struct cpu *cpu, struct thread *thread, struct await *await, u32 how, u32 slot)
{
	u64 task, regs, first, second;

	if (!cpu || !thread || !await)
		return 0;
	task = cpu->await_task[slot & 3];
	regs = cpu->await_regs[slot & 3];
	first = FIELD(regs, pt_regs, di);
	switch (how) {
	case CALL_OF_STREAM:
		second = thing_of_known_file(cpu, await, file_of(task, first), slot);
		return kind_of_thing(second) >= AWAITED_PIPE &&
				       kind_of_thing(second) <= AWAITED_SOCKET
			       ? second
			       : 0;
	case CALL_OF_EPOLL:
		await->epoll = FIELD(file_of(task, first), file, private_data);
		return AWAITED_EPOLL;
	case CALL_OF_POLL:
		return thing_of_poll(cpu, await, task, first, FIELD(regs, pt_regs, si), slot);
	case CALL_OF_SELECT:
	case CALL_OF_FUTEXES:
		return AWAITED_POLL_SET;
	case CALL_OF_CHILD:
		return thing_of_child(cpu, thread, first, slot);
	case CALL_OF_WAITID:
		second = FIELD(regs, pt_regs, si);
		if (first == WAITID_PIDFD)
			return thing_of_file(cpu, file_of(task, second), slot);
		return thing_of_child(cpu, thread, first == WAITID_PID ? second : 0, slot);
	case CALL_OF_FUTEX:
		return thing_of_futex(cpu, thread, await, first, FIELD(regs, pt_regs, si),
			FIELD(regs, pt_regs, dx), slot);
	case CALL_OF_FUTEX_2:
		return thing_of_futex(cpu, thread, await, first,
			FUTEX_WAIT_BITSET | (FIELD(regs, pt_regs, r10) & FUTEX_PRIVATE), 0, slot);
	case CALL_OF_SEMAPHORES:
		return thing_of_number(cpu, AWAITED_SEMAPHORES, 0, (u32)first, false, slot);
	case CALL_OF_MESSAGES:
		return thing_of_number(cpu, AWAITED_MESSAGE_QUEUE, 0, (u32)first, false, slot);
	default:
		return 0;
	}
}

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
static __always_inline u64 lock_of(u64 task, const struct await *await)
{
	u64 lock = 0;
	if (bpf_core_field_exists(struct task_struct, blocker))
		lock = FIELD(task, task_struct, blocker);
	return lock ? lock : await->lock;
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
__noinline u64 thing_of_lock(
	struct cpu *cpu, struct thread *thread, struct await *await, u64 lock, u32 slot)
{
	struct awaited_room *room = awaited_room_of(slot);
	u64 regs, file, inode, number;
	u32 type = lock & 3, kind;

	if (!cpu || !thread || !await || !room)
		return 0;
	lock &= ~3ULL;
	await->owner = owner_of_lock(lock, type);
	if (lock == FIELD(cpu->await_task[slot & 3], task_struct, mm) +
			    bpf_core_field_offset(struct mm_struct, mmap_lock))
		return thing_of_number(cpu, AWAITED_MMAP_LOCK, thread->image, 0, false, slot);
	regs = cpu->await_regs[slot & 3];
	number = regs ? FIELD(regs, pt_regs, orig_ax) : ~0ULL;
	/* That of the file which the system call is about is known by the file. */
	if (number < AWAITED_CALLS && cfg_calls[number & (AWAITED_CALLS - 1)] == CALL_OF_FILE) {
		file = file_of(cpu->await_task[slot & 3], FIELD(regs, pt_regs, di));
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

/* How the task's system call says what it waits for. */
static __always_inline u32 how_call_says(u64 regs)
{
	u64 number = FIELD(regs, pt_regs, orig_ax);

	return number < AWAITED_CALLS ? cfg_calls[number & (AWAITED_CALLS - 1)] : CALL_SAYS_NOTHING;
}

/* What a thread waits for that waits for no kernel lock. */
static __always_inline u64 thing_of_wait(
	struct cpu *cpu, struct thread *thread, struct await *await, u64 task, u64 regs, u32 slot)
{
	u32 how;

	if (thread->is_kernel_thread ||
		(u32)FIELD(task, task_struct, flags) & (PF_IO_WORKER | PF_USER_WORKER) ||
		(u32)FIELD(task, task_struct, thread_info.status) & TS_COMPAT)
		return 0;
	how = how_call_says(regs);
	if (how == CALL_OF_FILE)
		return thing_of_known_file(
			cpu, await, file_of(task, FIELD(regs, pt_regs, di)), slot);
	if (how)
		return thing_of_call(cpu, thread, await, how, slot);
	/* No system call: a fault, if it is one. */
	return FIELD(regs, pt_regs, orig_ax) == ~0ULL ? thing_of_fault(cpu, await, task, regs, slot)
						      : 0;
}

/* Notes what the task of that slot waits for. Global: verified once. */
__noinline int note_await(struct cpu *cpu, struct thread *thread, u32 slot)
{
	struct await *await;
	u64 task, lock;

	if (!cpu || !thread)
		return 0;
	await = await_slot(thread);
	if (!await)
		return 0;
	if (await->thread != thread->serial) {
		await->thread = thread->serial;
		await->fault_mapping = 0;
		await->lock = 0;
		await->memo.what = 0;
	}
	await->since = thread->since;
	await->owner = 0;
	await->epoll = 0;
	await->id = 0;
	task = cpu->await_task[slot & 3];
	if ((u32)FIELD(task, task_struct, flags) & PF_EXITING)
		return 0;
	lock = lock_of(task, await);
	await->id = lock ? thing_of_lock(cpu, thread, await, lock, slot)
			 : thing_of_wait(cpu, thread, await, task, cpu->await_regs[slot & 3], slot);
	return 0;
}

/* A thread that is blocked: the current one, or one that sleeps. */
static __always_inline void await_note(
	struct cpu *cpu, struct task_struct *task, struct thread *thread, u32 slot)
{
#ifdef __TARGET_ARCH_x86
	volatile struct cpu *noted = cpu;

	if (!cfg_awaited)
		return;
	noted->await_task[slot & 3] = (u64)task;
	noted->await_regs[slot & 3] = (u64)bpf_task_pt_regs(task);
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

/* May a short wait at these stacks keep its thing? First come, first kept: rows are bounded. */
static __always_inline bool may_keep(const struct thread *thread, u64 id)
{
	u64 stacks = thread->kernel_stack ^ thread->user_stack >> 7 ^ thread->user_stack << 57;
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

/*
 * Settles what the wait that ended now was for, which lasted so long: cpu->awaited and cpu->owner
 * have it until the next one ends on this CPU. Global: verified once.
 */
__noinline int settle_await(struct cpu *cpu, struct thread *thread, u64 ns)
{
	struct await *await;
	u64 id;

	if (!cpu || !thread)
		return 0;
	cpu->awaited = 0;
	cpu->owner = 0;
	await = await_slot(thread);
	if (!await)
		return 0;
	if (await->thread != thread->serial) {
		/* Another thread has had its place meanwhile. */
		count(cpu, COUNTER_LOST_AWAITED, thread->is_target && await->thread);
		return 0;
	}
	if (await->since != thread->since)
		return 0;
	id = await->id;
	if (await->epoll) {
		u64 ready = thing_of_known_file(
			cpu, await, first_ready(await->epoll), AWAITED_IN_SWITCH);

		if (ready)
			id = ready;
	}
	cpu->owner = await->owner;
	if (id >= AWAITED_FIRST_ID && ns < LONG_WAIT_NS && !may_keep(thread, id)) {
		id = kind_of_thing(id);
		cpu->owner = 0;
		if (thread->is_target) {
			count(cpu, COUNTER_AWAITED_FOLDED, 1);
			count(cpu, COUNTER_AWAITED_FOLDED_NS, ns);
		}
	}
	cpu->awaited = id;
	return 0;
}

/* What a wait that has not ended is for. */
static __always_inline void await_open(struct thread_now *now, const struct thread *thread)
{
	struct await *await = await_of(thread);

	if (!await || await->since != thread->since || now->open_state != TIME_BLOCKED)
		return;
	now->awaited = await->id;
	now->owner = await->owner;
}

#endif
