/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Return addresses that uretprobes have taken off user stacks. The kernel keeps the true ones in a
 * list of the thread's own, the innermost first, each with its place on the stack: an address is
 * believed by its place, never by its turn, because a longjmp() leaves entries behind.
 */
#ifndef DWELL_PROBED_BPF_H
#define DWELL_PROBED_BPF_H

#include "state.bpf.h"

/* NULL also for a kernel without uprobes. */
static __always_inline struct return_instance *first_taken(struct task_struct *task)
{
	if (!bpf_core_field_exists(task->utask))
		return NULL;
	return BPF_CORE_READ(task, utask, return_instances);
}

/*
 * Takes the walk to where the function returns whose return address was between these two places,
 * both included; 0 if there is none. Walks are of the current thread, so nobody changes the list.
 */
__noinline int find_taken(struct walk *walk, u64 first, u64 last)
{
	struct return_instance *taken = first_taken((struct task_struct *)bpf_get_current_task());

	if (!walk)
		return 0;
	for (int i = 0; i < UNWIND_MAX_TAKEN; i++) {
		u64 slot;

		if (!taken)
			break;
		slot = BPF_CORE_READ(taken, stack);
		if (slot - first <= last - first) {
			walk->sp = slot + sizeof(u64);
			walk->pc = BPF_CORE_READ(taken, orig_ret_vaddr);
			return 1;
		}
		taken = BPF_CORE_READ(taken, next);
	}
	return 0;
}

/* The longest instruction of x86. */
#define LONGEST_INSTRUCTION 15

/*
 * A probed instruction that the kernel cannot emulate is run from a copy: takes the walk to where
 * it is in the program, or to the one behind it; 0 if the thread is in no such copy.
 */
__noinline int find_stepped(struct walk *walk)
{
	struct task_struct *task = (struct task_struct *)bpf_get_current_task();
	struct uprobe_task *probed = NULL;
	u64 into;

	if (!walk || !bpf_core_field_exists(task->utask) ||
		!bpf_core_field_exists(probed->active_uprobe))
		return 0;
	probed = BPF_CORE_READ(task, utask);
	if (!probed || !BPF_CORE_READ(probed, active_uprobe))
		return 0;
	into = walk->pc - BPF_CORE_READ(probed, xol_vaddr);
	if (into > LONGEST_INSTRUCTION)
		return 0;
	walk->pc = BPF_CORE_READ(probed, vaddr) + into;
	return 1;
}

/* For a walk from outside. More than fit are rare, and that walk will say that it ended there. */
static __always_inline void fill_taken(struct record_sleeper *sleeper, struct task_struct *task)
{
	struct return_instance *taken = first_taken(task);

	for (int i = 0; i < SLEEPER_TAKEN; i++) {
		if (!taken)
			break;
		sleeper->taken[i].slot = BPF_CORE_READ(taken, stack);
		sleeper->taken[i].address = BPF_CORE_READ(taken, orig_ret_vaddr);
		taken = BPF_CORE_READ(taken, next);
	}
}

#endif
