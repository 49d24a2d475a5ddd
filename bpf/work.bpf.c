// SPDX-License-Identifier: GPL-2.0-or-later
/* Causes that are no wake: a thread is born, a work is queued, begun and done. */
#include "waker.bpf.h"
#include "work.bpf.h"

/* on_waking, see below. Filled in by user space. */
struct {
	__uint(type, BPF_MAP_TYPE_PROG_ARRAY);
	__uint(max_entries, 1);
	__type(key, u32);
	__type(value, u32);
} wake_programs SEC(".maps");

/*
 * A thread's first wake, by its creator. What is to be done is what on_waking does, whose
 * arguments are the same: the verifier looks at that for 40 ms, and so that it need not do it
 * again, that program goes on here.
 */
SEC("?tp_btf/sched_wakeup_new")
int BPF_PROG(on_first_wake, struct task_struct *task)
{
	struct cpu *cpu = this_cpu();

	if (!cpu)
		return 0;
	cpu->is_birth = true;
	bpf_tail_call(ctx, &wake_programs, 0);
	cpu->is_birth = false;
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
	if (now >= window_start)
		count(cpu, COUNTER_QUEUES, 1);
	cost_note(cpu, now, COUNTER_QUEUE_TIMED);
	return 0;
}

/* A worker runs in its own context, without locks of the scheduler: storage may be made here. */
SEC("?tp_btf/workqueue_execute_start")
int BPF_PROG(on_work_begin, struct work_struct *item)
{
	struct task_struct *task = bpf_get_current_task_btf();
	struct thread *thread = bpf_task_storage_get(&threads, task, NULL, 0);
	struct vector *cause, *work;
	u64 key = (u64)item;

	/* Workers are few, and take turns at what others wait for. */
	if (thread && !is_tracked(thread))
		come_near(thread, bpf_ktime_get_ns());
	work = bpf_task_storage_get(&workers, task, NULL, BPF_LOCAL_STORAGE_GET_F_CREATE);
	if (!work)
		return 0;
	work->begun_at = 0;
	cause = bpf_map_lookup_elem(&works, &key);
	if (!cause)
		return 0;
	bpf_probe_read_kernel(work, sizeof(*work), cause);
	bpf_map_delete_elem(&works, &key);
	work->begun_at = bpf_ktime_get_ns();
	return 0;
}

SEC("?tp_btf/workqueue_execute_end")
int BPF_PROG(on_work_end)
{
	struct vector *work = bpf_task_storage_get(&workers, bpf_get_current_task_btf(), NULL, 0);

	if (work)
		work->begun_at = 0;
	return 0;
}
