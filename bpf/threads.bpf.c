// SPDX-License-Identifier: GPL-2.0-or-later
/* Threads are born, run another program and get other names. */
#include "books.bpf.h"
#include "queue.bpf.h"
#include "tables.bpf.h"
#include "target.bpf.h"

/* Not sched_process_fork: that misses threads the kernel makes for itself (io_uring workers). */
SEC("tp_btf/task_newtask")
int BPF_PROG(on_new_thread, struct task_struct *task)
{
	struct cpu *cpu = this_cpu();
	struct task_struct *parent_task = bpf_get_current_task_btf();
	struct thread *thread, *parent;
	bool may_be_target = true;
	u64 now = bpf_ktime_get_ns();

	if (!cpu || now >= window_end)
		return 0;
	parent = bpf_task_storage_get(&threads, parent_task, NULL, 0);
	if (cfg_target_kind == TARGET_TIDS)
		may_be_target = false;
	if (cfg_target_kind == TARGET_COMMAND && !(parent && parent->is_followed))
		may_be_target = false;
	/*
	 * Threads of a target, not of a later process that was given its number. Who has no books
	 * before the window has not been met yet.
	 */
	if (cfg_target_kind == TARGET_PIDS &&
		!(task->tgid == parent_task->tgid &&
			(parent ? parent->is_target : now < window_start)))
		may_be_target = false;
	/* A thread that can be no target needs no storage, unless chains may name it. */
	if (!may_be_target && !cfg_depth)
		return 0;
	thread = create_thread(cpu, task);
	if (!thread)
		return 0;
	thread->birth = now;
	thread->since = now;
	thread->state = TIME_WOKEN;
	thread->awaited = 0;
	if (parent && task->tgid == parent_task->tgid)
		thread->image = parent->image;
	else if (!thread->image)
		thread->image = next_serial(&last_image);
	if (parent)
		thread->is_followed = parent->is_followed;
	thread->is_target = may_be_target && is_wanted(task, thread);
	if (thread->is_target)
		announce(cpu, task, thread);
	begin_ready(thread);
	/* As one that has come near by itself: come_near(). It has not waited before. */
	if (!thread->is_target && cfg_depth && parent && parent->image &&
		near_images[parent->image & (NEAR_IMAGES - 1)] == parent->image)
		thread->is_near = true;
	/*
	 * A new process starts with its parent's unwind tables. Only targets do: when they end user
	 * space takes the tables back. A waker that is no target asks for tables when it wakes.
	 */
	if (thread->is_target && parent && parent->image != thread->image &&
		cfg_user_stacks == USER_STACKS_TABLE)
		inherit_tables(parent->image, thread->image);
	if (cfg_has_allocators && parent && parent->image != thread->image)
		inherit_allocator(parent->image, thread->image);
	return 0;
}

SEC("tp_btf/sched_process_exec")
int BPF_PROG(on_exec, struct task_struct *task)
{
	struct cpu *cpu = this_cpu();
	u64 now = bpf_ktime_get_ns();
	struct thread *thread;

	if (!cpu || now >= window_end)
		return 0;
	thread = bpf_task_storage_get(&threads, task, NULL, 0);
	if (!thread)
		return 0;
	/* A thread that was not the first takes over the process's id. */
	learn_ids(task, thread);
	/* A helper that the kernel starts in user space was a kernel thread until now. */
	thread->is_kernel_thread = BPF_CORE_READ(task, flags) & PF_KTHREAD;
	thread->image = next_serial(&last_image);
	if (is_in_call(thread))
		calls_die(thread);
	thread->is_announced = false;
	thread->is_introduced = false;
	thread->mm = 0;
	/* COMMAND was waiting in dwell's own code until now: its life begins here. */
	if (thread->is_followed && !thread->is_target)
		begin_life(thread, now);
	if (thread->is_target) {
		announce(cpu, task, thread);
		if (cfg_user_stacks == USER_STACKS_TABLE)
			want_tables(thread->image, thread->pid, 0, true);
	}
	return 0;
}

/* Runs before the new name is set: the thread is announced again when it next leaves the CPU. */
SEC("tp_btf/task_rename")
int BPF_PROG(on_rename, struct task_struct *task)
{
	struct thread *thread = bpf_task_storage_get(&threads, task, NULL, 0);

	if (thread)
		thread->is_announced = false;
	return 0;
}

/* What was learnt of a module's code must not be believed of what is loaded there next. */
SEC("?tp_btf/module_free")
int BPF_PROG(on_module_gone)
{
	module_is_gone = 1;
	return 0;
}
