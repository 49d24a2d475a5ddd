// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What only a hook of its own can tell of what a thread is about to wait for: the file of a page
 * fault, and a contended kernel lock. Each leaves it in the thread's books; that the thread
 * blocks, and then reads it, is seen by on_switch.
 */
#include "awaited.bpf.h"

/* The books of the current thread, if that is recorded. */
static __always_inline struct thread *own_books(void)
{
	struct thread *thread = bpf_task_storage_get(&threads, bpf_get_current_task_btf(), NULL, 0);

	return thread && thread->is_target ? thread : NULL;
}

/* A page that is not in the page cache, or not mapped around: it may have to be read. */
SEC("tp_btf/mm_filemap_fault")
int BPF_PROG(on_file_fault, struct address_space *mapping)
{
	struct thread *thread = own_books();
#ifdef __TARGET_ARCH_x86
	struct task_struct *task = bpf_get_current_task_btf();
	struct pt_regs *regs;
	struct await *await;

	if (!thread)
		return 0;
	await = &thread->await;
	regs = (struct pt_regs *)bpf_task_pt_regs(task);
	await->fault_count = task->min_flt + task->maj_flt;
	await->fault_ip = regs->ip;
	await->fault_mapping = (u64)mapping;
#endif
	return 0;
}

/* include/trace/events/lock.h. */
#define CONTENDED_SPIN 1
#define CONTENDED_READ 2
#define CONTENDED_WRITE 4
#define CONTENDED_RT 8
#define CONTENDED_PERCPU 16
#define CONTENDED_MUTEX 32

/* Since 5.19. Most contended locks are spun for, and nobody blocks. */
SEC("tp_btf/contention_begin")
int BPF_PROG(on_contention, void *lock, unsigned int flags)
{
	struct thread *thread;
	u64 type = BLOCKER_SEMAPHORE;

	if (flags & (CONTENDED_SPIN | CONTENDED_RT | CONTENDED_PERCPU))
		return 0;
	thread = own_books();
	if (!thread)
		return 0;
	if (flags & CONTENDED_MUTEX)
		type = BLOCKER_MUTEX;
	else if (flags & (CONTENDED_READ | CONTENDED_WRITE))
		type = flags & CONTENDED_READ ? BLOCKER_READER : BLOCKER_WRITER;
	thread->await.lock = (u64)lock | type;
	thread->has_lock = true;
	return 0;
}

SEC("tp_btf/contention_end")
int BPF_PROG(on_contention_end, void *lock)
{
	struct thread *thread = own_books();

	if (thread && thread->has_lock && (thread->await.lock & ~3ULL) == (u64)lock)
		thread->has_lock = false;
	return 0;
}
