/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Who is recorded, and how threads come to be known. Ids are those of dwell's own pid namespace; a
 * thread outside it has none and is never a target. A thread that has become a target stays one.
 */
#ifndef DWELL_TARGET_BPF_H
#define DWELL_TARGET_BPF_H

#include "compat.bpf.h"
#include "state.bpf.h"

/* Controllers looked through for a cgroup of the first version; css_set.subsys has at least as
 * many. */
#define MAX_SUBSYS 16
/* pid namespaces nest up to 32 deep (MAX_PID_NS_LEVEL); cgroups below that are not looked at. */
#define MAX_LEVEL 32

static __noinline u32 id_in_namespace(struct task_struct *task)
{
	struct pid *pid = BPF_CORE_READ(task, thread_pid);
	u32 level;

	if (!pid)
		return 0;
	level = BPF_CORE_READ(pid, level);
	for (u32 i = 0; i < MAX_LEVEL; i++) {
		if (i > level)
			break;
		struct upid *upid = (void *)pid + bpf_core_field_offset(struct pid, numbers) +
				    i * bpf_core_type_size(struct upid);
		struct pid_namespace *ns = BPF_CORE_READ(upid, ns);
		if (ns && BPF_CORE_READ(ns, ns.inum) == cfg_pid_namespace)
			return BPF_CORE_READ(upid, nr);
	}
	return 0;
}

static __always_inline void learn_ids(struct task_struct *task, struct thread *thread)
{
	if (!cfg_pid_namespace) {
		thread->tid = BPF_CORE_READ(task, pid);
		thread->pid = BPF_CORE_READ(task, tgid);
		return;
	}
	thread->tid = id_in_namespace(task);
	thread->pid = id_in_namespace(BPF_CORE_READ(task, group_leader));
}

static __always_inline bool comm_matches(struct task_struct *task)
{
	char comm[CONTRACT_COMM_LEN];
	u32 states = 1 | (cfg_glob_star & 1) << 1;

	BPF_CORE_READ_INTO(&comm, task, comm);
	for (u32 i = 0; i < CONTRACT_COMM_LEN; i++) {
		u8 c = comm[i];
		if (!c)
			break;
		states = (states & cfg_glob_step[c]) << 1 | (states & cfg_glob_star);
		states |= (states & cfg_glob_star) << 1;
	}
	return states & cfg_glob_accept;
}

static __always_inline bool is_below(struct cgroup *cgroup)
{
	u32 level;

	if (!cgroup || BPF_CORE_READ(cgroup, root, hierarchy_id) != cfg_cgroup_hierarchy)
		return false;
	level = BPF_CORE_READ(cgroup, level);
	for (u32 i = 0; i < MAX_LEVEL; i++) {
		struct cgroup *ancestor = NULL;
		if (i > level)
			break;
		bpf_probe_read_kernel(&ancestor, sizeof(ancestor),
			(void *)cgroup + bpf_core_field_offset(struct cgroup, ancestors) +
				i * sizeof(ancestor));
		if (ancestor && BPF_CORE_READ(ancestor, kn, id) == cfg_cgroup_id)
			return true;
	}
	return false;
}

static __always_inline bool cgroup_matches(struct task_struct *task, struct thread *thread)
{
	struct css_set *set = BPF_CORE_READ(task, cgroups);

	thread->css_set = (u64)set;
	if (!set)
		return false;
	if (is_below(BPF_CORE_READ(set, dfl_cgrp)))
		return true;
	/* Hierarchies of the first version: found through whichever controller they carry. */
	u32 controllers = bpf_core_field_size(struct css_set, subsys) / sizeof(void *);
	for (u32 i = 0; i < MAX_SUBSYS; i++) {
		struct cgroup_subsys_state *css = NULL;
		if (i >= controllers)
			break;
		bpf_probe_read_kernel(&css, sizeof(css),
			(void *)set + bpf_core_field_offset(struct css_set, subsys) +
				i * sizeof(css));
		if (css && is_below(BPF_CORE_READ(css, cgroup)))
			return true;
	}
	return false;
}

static __always_inline bool is_listed(u32 id)
{
	return bpf_map_lookup_elem(&target_ids, &id);
}

/*
 * dwell, or a process that it started to help it: its children that run its own program, but not
 * the command, which does before its exec. (Orphans of others may be dwell's children, too.)
 */
static __always_inline bool is_self(struct task_struct *task, const struct thread *thread)
{
	struct task_struct *parent = BPF_CORE_READ(task, group_leader, real_parent);

	if (thread->pid == cfg_self_pid)
		return true;
	if (!parent || thread->pid == cfg_command_pid ||
		BPF_CORE_READ(task, mm, exe_file) != BPF_CORE_READ(parent, mm, exe_file))
		return false;
	return (cfg_pid_namespace ? id_in_namespace(BPF_CORE_READ(parent, group_leader))
				  : BPF_CORE_READ(parent, tgid)) == cfg_self_pid;
}

/* Decides for a thread whose ids are known. */
static __noinline bool is_wanted(struct task_struct *task, struct thread *thread)
{
	if (!thread || !thread->tid || (cfg_skip_self && is_self(task, thread)))
		return false;
	if (thread->is_kernel_thread ? !cfg_kernel_threads : !cfg_user_threads)
		return false;
	switch (cfg_target_kind) {
	case TARGET_PIDS:
		return is_listed(thread->pid);
	case TARGET_TIDS:
		return is_listed(thread->tid);
	case TARGET_COMM:
		return comm_matches(task);
	case TARGET_CGROUP:
		return cgroup_matches(task, thread);
	case TARGET_COMMAND:
		if (is_listed(thread->pid))
			thread->is_followed = true;
		return thread->is_followed;
	default:
		return true;
	}
}

/* May a thread that is no target now become one later? */
static __always_inline bool may_change(void)
{
	return cfg_target_kind == TARGET_COMM || cfg_target_kind == TARGET_CGROUP;
}

static __always_inline u64 id_below_root(struct cgroup *cgroup)
{
	return cgroup && BPF_CORE_READ(cgroup, level) ? BPF_CORE_READ(cgroup, kn, id) : 0;
}

/*
 * The first cgroup of a v1 hierarchy, below its root, that a css_set has; 0: none. Global: verified
 * once. Without tests for NULL, for the same reason: reading below that gives 0.
 */
__noinline u64 v1_cgroup_of(u64 set)
{
	u32 controllers = bpf_core_field_size(struct css_set, subsys) / sizeof(void *);

#pragma clang loop unroll(disable)
	for (u32 i = 0; i < MAX_SUBSYS; i++) {
		struct cgroup_subsys_state *css = NULL;
		struct cgroup *cgroup;
		if (i >= controllers)
			break;
		bpf_probe_read_kernel(&css, sizeof(css),
			(void *)set + bpf_core_field_offset(struct css_set, subsys) +
				i * sizeof(css));
		cgroup = BPF_CORE_READ(css, cgroup);
		if (BPF_CORE_READ(cgroup, root, hierarchy_id) && BPF_CORE_READ(cgroup, level))
			return (u64)cgroup;
	}
	return 0;
}

/* Which cgroups say what container the thread is in. */
static __noinline void note_cgroups(struct record_thread *record, struct task_struct *task)
{
	struct css_set *set = BPF_CORE_READ(task, cgroups);
	struct cgroup *v1;

	if (!record || !set)
		return;
	record->cgroup = id_below_root(BPF_CORE_READ(set, dfl_cgrp));
	v1 = (struct cgroup *)v1_cgroup_of((u64)set);
	record->v1_hierarchy = v1 ? BPF_CORE_READ(v1, root, hierarchy_id) : 0;
	record->v1_cgroup = v1 ? id_below_root(v1) : 0;
}

/* The thread's id as it sees it itself. */
static __always_inline u32 own_tid_of(struct task_struct *task)
{
	struct pid *pid = BPF_CORE_READ(task, thread_pid);
	u32 level = BPF_CORE_READ(pid, level) & (2 * MAX_LEVEL - 1);
	struct upid *upid = (void *)pid + bpf_core_field_offset(struct pid, numbers) +
			    level * bpf_core_type_size(struct upid);

	return BPF_CORE_READ(upid, nr);
}

static __always_inline void fill_record(
	struct record_thread *record, struct task_struct *task, const struct thread *thread)
{
	record->kind = RECORD_THREAD;
	record->thread = thread->serial;
	record->tid = thread->tid;
	record->pid = thread->pid;
	record->image = thread->image;
	record->is_kernel_thread = thread->is_kernel_thread;
	record->cgroup = 0;
	record->v1_cgroup = 0;
	record->v1_hierarchy = 0;
	record->own_tid = own_tid_of(task);
	note_cgroups(record, task);
	record->start_stack = BPF_CORE_READ(task, mm, start_stack);
	record->birth_ns = thread->birth;
	record->at_ns = bpf_ktime_get_ns();
	BPF_CORE_READ_INTO(&record->comm, task, comm);
}

static __always_inline void note_announced(struct task_struct *task, struct thread *thread)
{
	thread->is_announced = true;
	thread->mm = (u64)BPF_CORE_READ(task, mm);
}

/* Tells user space about the thread; tried again at its next switch if the ring is full. */
static __noinline void announce(struct cpu *cpu, struct task_struct *task, struct thread *thread)
{
	struct record_thread *record;

	if (!cpu || !thread)
		return;
	record = bpf_ringbuf_reserve(&records, sizeof(*record), 0);
	if (!record) {
		count(cpu, COUNTER_LOST_THREADS, 1);
		return;
	}
	fill_record(record, task, thread);
	bpf_ringbuf_submit(record, BPF_RB_NO_WAKEUP);
	note_announced(task, thread);
}

/* With --alloc and a COMMAND: who is started has the preloaded library in it. */
const volatile bool cfg_has_allocators;

/* Processes, by their image, that said what their allocator is like: enum preload_kind. */
struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__uint(max_entries, 65536);
	__type(key, u32);
	__type(value, u32);
} allocators SEC(".maps");

/* A new process has its parent's library, and nobody says so again. */
static __always_inline void inherit_allocator(u32 from, u32 to)
{
	u32 *known = bpf_map_lookup_elem(&allocators, &from), how;

	if (!known)
		return;
	how = *known;
	bpf_map_update_elem(&allocators, &to, &how, BPF_ANY);
}

static __always_inline u32 next_serial(__u32 *last)
{
	return __sync_fetch_and_add(last, 1) + 1;
}

#endif
