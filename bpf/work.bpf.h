/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Work queues: a busy worker is not woken for the next item, so who woke it last is not the cause
 * of what it does. From the queueing of an item to the end of its execution the hops of whoever
 * queued it are kept, and stand in for the worker's own.
 */
#ifndef DWELL_WORK_BPF_H
#define DWELL_WORK_BPF_H

#include "chain.bpf.h"

#define PF_WQ_WORKER 0x00000020
#define MAX_WORKS 1024

/* Items that wait. One that is cancelled is never taken out: the oldest make room. */
struct {
	__uint(type, BPF_MAP_TYPE_LRU_HASH);
	__uint(max_entries, MAX_WORKS);
	__type(key, u64);
	__type(value, struct vector);
} works SEC(".maps");

/* The item that a worker is at. */
struct {
	__uint(type, BPF_MAP_TYPE_TASK_STORAGE);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__type(key, int);
	__type(value, struct vector);
} workers SEC(".maps");

static __always_inline struct vector *work_of(struct task_struct *task)
{
	struct vector *work;

	if (!(task->flags & PF_WQ_WORKER))
		return NULL;
	work = bpf_task_storage_get(&workers, task, NULL, 0);
	return work && work->begun_at ? work : NULL;
}

/* A worker runs in its own context, without locks of the scheduler: storage may be made here. */
SEC("?tp_btf/workqueue_execute_start")
int BPF_PROG(on_work_begin, struct work_struct *item)
{
	struct task_struct *task = bpf_get_current_task_btf();
	struct vector *cause, *work;
	u64 key = (u64)item;

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

#endif
