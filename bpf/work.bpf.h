/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Work queues: a busy worker is not woken for the next item, so who woke it last is not the cause
 * of what it does. From the queueing of an item to the end of its execution the hops of whoever
 * queued it are kept, and stand in for the worker's own.
 */
#ifndef DWELL_WORK_BPF_H
#define DWELL_WORK_BPF_H

#include "carry.bpf.h"

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

#endif
