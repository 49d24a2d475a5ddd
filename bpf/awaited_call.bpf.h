/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What a thread waits for by the system call that it is in, whose arguments are in the registers
 * with which it came into the kernel.
 */
#ifndef DWELL_AWAITED_CALL_BPF_H
#define DWELL_AWAITED_CALL_BPF_H

#include "target.bpf.h"
#include "thing_name.bpf.h"

/* enum awaited_call by number; of x86-64, others say nothing. */
const volatile __u8 cfg_calls[AWAITED_CALLS];

/* Every table of descriptors has room for as many. */
#define LEAST_FDS 64

/* The file behind a descriptor of the task. */
static __always_inline u64 file_of(u64 task, u32 fd)
{
	/* Some poll for -1. Tables only grow: of a newer one more is there than an older one says.
	 */
	if (fd >= LEAST_FDS && fd >= (u32)LOAD_ALONG(task, task_struct, files, fdt, max_fds))
		return 0;
	return load_word(LOAD_ALONG(task, task_struct, files, fdt, fd) + (u64)fd * sizeof(u64));
}

/* Things that are no file system's: all have the same inode, and are told apart by their data. */
static __always_inline bool is_anonymous(u32 kind)
{
	return kind >= AWAITED_EVENTFD && kind <= AWAITED_ANONYMOUS;
}

/*
 * A file of that kind is known by its place in memory, which may be another file's by now: so also
 * by its inode's number. Those of sockets, pipes and the like count on, and a disk has the same one
 * by chance only; those of files on disks are given again, with another generation, and each disk
 * has its own.
 *
 * Each load is a cache line of code, and at a switch most of that is cold: few are made.
 */
static __always_inline u64 key_of_file(u64 file, u32 kind)
{
	u64 inode, key;

	if (is_anonymous(kind))
		return mix(
			mix(file, FIELD(file, file, f_op)), LOAD_ALONG(file, file, private_data));
	key = mix(file, LOAD_ALONG(file, file, f_inode, i_ino));
	if (kind >= AWAITED_PIPE)
		return key;
	inode = FIELD(file, file, f_inode);
	return mix(mix(key, inode), FIELD(inode, inode, i_generation));
}

/* Can another thing be behind the same key? */
static __always_inline bool may_change_its_name(u64 file, u32 kind)
{
	u64 disk, sock;
	u32 state;

	/* Named pipes are on disks; of pidfds kernels keep the process in different places. */
	if (kind == AWAITED_PIPE) {
		disk = FIELD(FIELD(file, file, f_inode), inode, i_sb);
		return FIELD(disk, super_block, s_magic) != PIPEFS_MAGIC;
	}
	if (kind < AWAITED_TCP_TO || kind > AWAITED_SOCKET)
		return kind == AWAITED_PIDFD;
	/* A socket that is still being connected gets its peer later, one of datagrams another. */
	sock = sock_of(file);
	state = (u8)SOCK_FIELD(sock, skc_state);
	return (u16)FIELD(sock, sock, sk_type) == SOCK_DGRAM ||
	       (state != TCP_ESTABLISHED && state != TCP_LISTEN);
}

/* Remembers a thing that a file is; not what user space does not know yet, and is to be told again.
 */
static __always_inline void keep_in_memo(struct await_memo *memo, u64 file, u64 id, u64 more)
{
	u32 kind = kind_of_thing(id);

	if (!id || may_change_its_name(file, kind) || !was_sent(id))
		return;
	memo->key = key_of_file(file, kind) ^ more;
	memo->id = id;
}

static __always_inline bool is_in_memo(const struct await_memo *memo, u64 file, u64 more)
{
	return memo->key == (key_of_file(file, kind_of_thing(memo->id)) ^ more);
}

/* A file that is not the one in the memo. Global: verified once. */
__noinline u64 meet_file(struct cpu *cpu, struct await_memo *memo, u64 file)
{
	u64 id;

	if (!cpu || !memo)
		return 0;
	id = thing_of_file(cpu, file, AWAITED_IN_SWITCH);
	keep_in_memo(memo, file, id, 0);
	return id;
}

/* The thing that a file is, for the thread of that note. */
static __always_inline u64 thing_of_known_file(
	struct cpu *cpu, struct await *await, u64 file, u32 slot)
{
	if (!file)
		return 0;
	/* An iterator meets threads that may be on their way back to a CPU, and write themselves.
	 */
	if (slot != AWAITED_IN_SWITCH)
		return thing_of_file(cpu, file, slot);
	return is_in_memo(&await->memo, file, 0) ? await->memo.id
						 : meet_file(cpu, &await->memo, file);
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

/* The thing as it is noted where somebody is known to have it. */
static __always_inline u64 owned(const struct await *await, u64 id)
{
	return id && await->owner ? id | HAS_OWNER : id;
}

static __always_inline u64 thing_of_futex(
	struct cpu *cpu, struct thread *thread, u64 address, u32 operation, u32 expected, u32 slot)
{
	u32 operation_alone = operation & FUTEX_OPERATION;
	u64 word = owner_word_of(address, operation_alone, expected), key, id;
	u32 kind = operation & FUTEX_PRIVATE ? AWAITED_FUTEX : AWAITED_FUTEX | AWAITED_SHARED;
	struct await *await = &thread->await;
	u32 owner = 0;

	/* Conditions and rwlocks wait at two neighbouring words in turn. */
	if (operation_alone == FUTEX_WAIT_BITSET)
		address &= ~7ULL;
	if (slot != AWAITED_IN_SWITCH)
		return thing_of_number(cpu, kind, thread->image, address, slot);
	/* Only the current thread's memory can be read, and the kernel has just read the futex. */
	if (word)
		bpf_probe_read_user(&owner, sizeof(owner), (void *)word);
	await->owner = owner & FUTEX_TID_MASK;
	key = mix(mix(AWAITED_FUTEX, thread->image), address);
	if (await->memo.key == key)
		return owned(await, await->memo.id);
	id = thing_of_number(cpu, kind, thread->image, address, slot);
	if (was_sent(id)) {
		await->memo.key = key;
		await->memo.id = id;
	}
	return owned(await, id);
}

static __always_inline u64 thing_of_child(
	struct cpu *cpu, const struct thread *thread, int pid, u32 slot)
{
	return pid > 0 ? thing_of_number(cpu, AWAITED_CHILD, thread->image, pid, slot)
		       : AWAITED_ANY_CHILD;
}

/* Is it written and read from two sides? */
static __always_inline bool is_stream(u64 id)
{
	u32 kind = kind_of_thing(id);

	return kind >= AWAITED_PIPE && kind <= AWAITED_SOCKET;
}

/* Of calls that name a file, and of those that poll: a thing, or where an epoll set is. */
static __always_inline u64 thing_of_descriptor(
	struct cpu *cpu, struct thread *thread, const struct call *call, u32 how, u32 slot)
{
	u64 file, files, id, fd = (u32)call->first;

	if (how == CALL_OF_POLL) {
		files = FIELD(call->regs, pt_regs, si);
		if (!files)
			return 0;
		/* One file: that one. The array was read a moment ago. */
		if (files > 1 || slot != AWAITED_IN_SWITCH ||
			bpf_probe_read_user(&cpu->place, sizeof(fd), (void *)call->first))
			return AWAITED_POLL_SET;
		fd = (u32)cpu->place;
	}
	file = file_of(call->task, fd);
	if (how == CALL_OF_EPOLL)
		return LOAD_ALONG(file, file, private_data);
	id = thing_of_known_file(cpu, &thread->await, file, slot);
	return how == CALL_OF_STREAM && !is_stream(id) ? 0 : id;
}

#define WAITID_PID 1
#define WAITID_PIDFD 3

/* What a system call waits for that says so in another way. Global: verified once. */
__noinline u64 thing_of_call(struct cpu *cpu, struct thread *thread, u32 how, u32 slot)
{
	u64 regs, first, second, third;

	if (!cpu || !thread)
		return 0;
	regs = cpu->calls[slot & 3].regs;
	first = cpu->calls[slot & 3].first;
	switch (how) {
	case CALL_OF_SELECT:
	case CALL_OF_FUTEXES:
		return AWAITED_POLL_SET;
	case CALL_OF_CHILD:
		return thing_of_child(cpu, thread, first, slot);
	case CALL_OF_WAITID:
		second = FIELD(regs, pt_regs, si);
		if (first == WAITID_PIDFD)
			return thing_of_file(cpu, file_of(cpu->calls[slot & 3].task, second), slot);
		return thing_of_child(cpu, thread, first == WAITID_PID ? second : 0, slot);
	case CALL_OF_FUTEX:
	case CALL_OF_FUTEX_2:
		second = FIELD(regs, pt_regs, si);
		third = FIELD(regs, pt_regs, dx);
		/* It waits for any bits, and says in its flags whether the futex is private. */
		if (how == CALL_OF_FUTEX_2) {
			second = FUTEX_WAIT_BITSET | (FIELD(regs, pt_regs, r10) & FUTEX_PRIVATE);
			third = 0;
		}
		return thing_of_futex(cpu, thread, first, second, third, slot);
	case CALL_OF_SEMAPHORES:
		return thing_of_number(cpu, AWAITED_SEMAPHORES, 0, (u32)first, slot);
	case CALL_OF_MESSAGES:
		return thing_of_number(cpu, AWAITED_MESSAGE_QUEUE, 0, (u32)first, slot);
	default:
		return 0;
	}
}

#endif
