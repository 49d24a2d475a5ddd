/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The books of a thread: how they begin, and how they are read. */
#ifndef DWELL_BPF_BOOKS_H
#define DWELL_BPF_BOOKS_H

#include "awaited.bpf.h"
#include "target.bpf.h"
#include "waker.bpf.h"

static __always_inline struct thread *create_thread(struct cpu *cpu, struct task_struct *task)
{
	struct thread *thread =
		bpf_task_storage_get(&threads, task, NULL, BPF_LOCAL_STORAGE_GET_F_CREATE);

	if (!thread) {
		count(cpu, COUNTER_NO_STORAGE, 1);
		return NULL;
	}
	if (cfg_depth && !chain_create(task))
		count(cpu, COUNTER_NO_STORAGE, 1);
	/*
	 * A new thread can be seen by the start iterator before it is told of: it is met twice, and
	 * stays one thread.
	 */
	if (!thread->serial)
		__sync_val_compare_and_swap(&thread->serial, 0, next_serial(&last_thread));
	thread->is_kernel_thread = BPF_CORE_READ(task, flags) & PF_KTHREAD;
	learn_ids(task, thread);
	return thread;
}

/*
 * What a thread without any event has been doing since before the window. If it had changed since
 * the start iterator met it, that would have been seen; whether it is on a CPU by now tells
 * nothing.
 */
static __always_inline u8 state_at_start(const struct thread *thread)
{
	if (thread->was_on_cpu)
		return TIME_RUNNING;
	return thread->task_letter || thread->wake ? TIME_BLOCKED : TIME_WOKEN;
}

static __always_inline void fill_now(struct thread_now *now, const struct thread *thread)
{
	now->kind = RECORD_THREAD_END;
	now->thread = thread->serial;
	now->kernel_stack = thread->kernel_stack;
	now->user_stack = thread->user_stack;
	now->birth_ns = thread->birth;
	now->since_ns = thread->since;
	now->wake_ns = thread->wake;
	for (u32 i = 0; i < TIME_STATES; i++)
		now->total_ns[i] = thread->total_ns[i];
	now->task_letter = thread->task_letter;
	now->open_state = thread->state;
	now->is_dead = thread->state == THREAD_DEAD;
	if (thread->state == THREAD_NEW)
		now->open_state = state_at_start(thread);
	if (now->is_dead)
		now->open_state = TIME_RUNNING;
	__builtin_memset(now->occupant, 0, sizeof(now->occupant));
	now->queue = QUEUE_UNTOLD;
	now->awaited = 0;
	now->owner = 0;
	await_open(now, thread);
}

/* A running thread becomes a target. */
static __always_inline void begin_life(struct thread *thread, u64 now)
{
	thread->is_target = true;
	thread->is_held_back = false;
	thread->birth = now;
	thread->state = TIME_RUNNING;
	thread->since = now;
	thread->wake = 0;
	thread->awaited = 0;
}

#endif
