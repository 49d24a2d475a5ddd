// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Iterators over all threads: those that are there before the window are met, sleepers are shown
 * and given the stacks that user space walked, and at the end all books are read.
 */
#include "books.bpf.h"
#include "queue.bpf.h"
#include "stack.bpf.h"
#include "thin.bpf.h"

static __always_inline u32 image_at_start(struct task_struct *task)
{
	u32 pid = BPF_CORE_READ(task, tgid), image;
	u32 *known = bpf_map_lookup_elem(&start_images, &pid);

	if (known)
		return *known;
	image = next_serial(&last_image);
	bpf_map_update_elem(&start_images, &pid, &image, BPF_ANY);
	return image;
}

/* What a thread does that no switch has told of yet. */
static __always_inline void look_at(
	struct cpu *cpu, struct task_struct *task, struct thread *thread)
{
	struct walk *walk = walk_in(WALK_ITERATOR);

	thread->task_letter = letter_of_state(task->__state);
	thread->was_on_cpu = task->on_cpu;
	thread->is_held_back =
		thread->is_target && !task->on_cpu && !task->__state && is_held_back(task);
	if (!cfg_time_stacks) {
		thread->kernel_stack = STACK_SKIPPED;
		return;
	}
	if (walk && !thread->was_on_cpu)
		thread->kernel_stack = kernel_stack_of(task, cpu, walk);
	if (thread->task_letter && !thread->was_on_cpu)
		await_note(cpu, task, thread, AWAITED_IN_ITERATOR);
}

/* A thread that was there before: its books begin, with its kernel stack if it sleeps. */
static __always_inline struct thread *meet(struct cpu *cpu, struct task_struct *task)
{
	struct thread *thread = create_thread(cpu, task);

	if (!thread)
		return NULL;
	thread->image = image_at_start(task);
	thread->state = THREAD_NEW;
	thread->is_target = is_wanted(task, thread) && cfg_target_kind != TARGET_COMMAND;
	if (!thread->is_target && !cfg_depth) {
		if (!may_change() && !thread->is_followed)
			bpf_task_storage_delete(&threads, task);
		return NULL;
	}
	look_at(cpu, task, thread);
	if (!thread->is_kernel_thread) {
		thread->user_stack = cfg_time_stacks ? STACK_EARLIER : STACK_SKIPPED;
		thread->lacks_tables = cfg_time_stacks;
	}
	return thread;
}

/*
 * Before the window: makes every thread known. They are announced through the iterator's own file,
 * which has room for all of them; a thread that no longer fits into a reading comes again.
 */
SEC("iter/task")
int on_start(struct bpf_iter__task *ctx)
{
	struct task_struct *task = ctx->task;
	struct cpu *cpu = this_cpu();
	struct record_thread record = {};
	struct thread *thread;

	if (!task || !cpu || task->exit_state)
		return 0;
	thread = bpf_task_storage_get(&threads, task, NULL, 0);
	if (!thread)
		thread = meet(cpu, task);
	if (!thread || !thread->is_target || thread->state != THREAD_NEW)
		return 0;
	/*
	 * The second time: a thread met on its way out, after the tracepoint and before the switch,
	 * is off its CPU by now; one met on its way in is on it, and no tracepoint will tell. One
	 * that still has had no event has been where it is all along.
	 */
	if (thread->was_on_cpu != !!task->on_cpu)
		look_at(cpu, task, thread);
	if (thread->is_announced)
		return 0;
	fill_record(&record, task, thread);
	if (!bpf_seq_write(ctx->meta->seq, &record, sizeof(record)))
		note_announced(task, thread);
	return 0;
}

/* Off its CPU since before its process's tables were there. */
static __always_inline bool is_sleeper(struct task_struct *task, const struct thread *thread)
{
	if (!thread->is_target || thread->is_kernel_thread || !thread->lacks_tables)
		return false;
	return !task->on_cpu && thread->state != TIME_RUNNING && thread->state != THREAD_DEAD;
}

/* The registers of threads whose user stack is to be walked from outside. */
SEC("iter/task")
int on_sleepers(struct bpf_iter__task *ctx)
{
	struct task_struct *task = ctx->task;
	struct record_sleeper sleeper = {};
	struct thread *thread;

	if (!task || !BPF_CORE_READ(task, mm))
		return 0;
	thread = bpf_task_storage_get(&threads, task, NULL, 0);
	if (!thread || !is_sleeper(task, thread))
		return 0;
#ifdef __TARGET_ARCH_x86
	struct pt_regs *regs = (struct pt_regs *)bpf_task_pt_regs(task);

	u64 segment = regs->cs;
	if ((segment & 3) != 3 || segment == COMPAT_CODE_SEGMENT)
		return 0;
	sleeper.pc = regs->ip;
	sleeper.sp = regs->sp;
	sleeper.fp = regs->bp;
	sleeper.first_argument = regs->di;
	sleeper.bx = regs->bx;
	fill_taken(&sleeper, task);
#endif
	sleeper.thread = thread->serial;
	sleeper.tid = thread->tid;
	sleeper.pid = thread->pid;
	sleeper.image = thread->image;
	sleeper.since_ns = thread->since;
	sleeper.user_stack = thread->user_stack;
	bpf_seq_write(ctx->meta->seq, &sleeper, sizeof(sleeper));
	return 0;
}

/*
 * Gives threads the stacks that were walked from outside. One that has run since has another
 * `since`; should it leave the CPU just now, it has another stack, and the exchange fails.
 */
SEC("iter/task")
int on_repair(struct bpf_iter__task *ctx)
{
	struct task_struct *task = ctx->task;
	struct thread *thread;
	struct repair *repair;

	if (!task)
		return 0;
	thread = bpf_task_storage_get(&threads, task, NULL, 0);
	if (!thread || !is_sleeper(task, thread))
		return 0;
	u32 serial = thread->serial;
	repair = bpf_map_lookup_elem(&repairs, &serial);
	if (!repair || repair->since_ns != thread->since)
		return 0;
	if (__sync_val_compare_and_swap(
		    &thread->user_stack, repair->old_stack, repair->new_stack) != repair->old_stack)
		return 0;
	thread->lacks_tables = false;
	bpf_seq_write(ctx->meta->seq, &serial, sizeof(serial));
	return 0;
}

/* Reads every living thread's books; credits nothing. */
SEC("iter/task")
int on_read(struct bpf_iter__task *ctx)
{
	struct task_struct *task = ctx->task;
	struct cpu *cpu = this_cpu();
	struct thread_now now = {};
	struct thread *thread;

	if (!task || !cpu)
		return 0;
	thread = bpf_task_storage_get(&threads, task, NULL, 0);
	if (!thread || !thread->is_target || thread->state == THREAD_DEAD)
		return 0;
	if (!thread->is_announced)
		announce(cpu, task, thread);
	fill_now(&now, thread);
	u32 state = task->__state;
	bool is_asleep = state && !(state & TASK_WAKING);
	/* A wake from before it fell asleep, and it still sleeps: that one ended nothing. */
	if (is_asleep && now.wake_ns < now.since_ns)
		now.wake_ns = 0;
	if (is_thinned(thread) && is_asleep)
		thin_open(cpu, task, thread, &now);
	if (now.open_state != TIME_RUNNING && !is_asleep)
		name_occupant(task, thread, &now);
	bpf_seq_write(ctx->meta->seq, &now, sizeof(now));
	return 0;
}
