// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * How address spaces grow and shrink: brk, mmap, munmap and mremap, by what they were asked for and
 * returned. Their arguments are still in the registers with which the thread came into the kernel.
 */
#include "event.bpf.h"

const volatile __u32 cfg_growth_measure;
const volatile __u32 cfg_shrink_measure;

#define LAST_ERROR 4095

struct growing {
	u64 brk; /* where the heap ended when the thread asked for another end; 0: it did not */
};

struct {
	__uint(type, BPF_MAP_TYPE_TASK_STORAGE);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__type(key, int);
	__type(value, struct growing);
} growing_threads SEC(".maps");

/* What the program of a system call's exit is given. */
struct exit_context {
	u64 common;
	s64 number;
	s64 result;
};

#ifdef __TARGET_ARCH_x86

SEC("?tp")
int on_brk(void *ctx)
{
	struct task_struct *task = bpf_get_current_task_btf();
	struct growing *growing;

	if (!event_thread(bpf_ktime_get_ns()))
		return 0;
	growing =
		bpf_task_storage_get(&growing_threads, task, NULL, BPF_LOCAL_STORAGE_GET_F_CREATE);
	if (growing)
		growing->brk = BPF_CORE_READ(task, mm, brk);
	return 0;
}

static __always_inline u64 whole_pages(u64 bytes)
{
	return (bytes + PAGE_BYTES - 1) & ~(PAGE_BYTES - 1ULL);
}

/* By how many bytes the address space grew; below 0: shrank. */
static __always_inline s64 growth_of(
	struct task_struct *task, struct pt_regs *regs, u64 result, enum memory_call call)
{
	struct growing *growing;
	s64 by;

	if (call == MEMORY_BRK) {
		growing = bpf_task_storage_get(&growing_threads, task, NULL, 0);
		if (!growing || !growing->brk)
			return 0;
		by = whole_pages(result) - whole_pages(growing->brk);
		growing->brk = 0;
		return by;
	}
	if (result >= -(u64)LAST_ERROR)
		return 0;
	if (call == MEMORY_MMAP)
		return whole_pages(regs->si);
	if (call == MEMORY_MUNMAP)
		return -whole_pages(regs->si);
	return whole_pages(regs->dx) - whole_pages(regs->si);
}

SEC("?tp")
int on_memory_call(struct exit_context *ctx)
{
	struct task_struct *task = bpf_get_current_task_btf();
	u64 now = bpf_ktime_get_ns();
	struct thread *thread = event_thread(now);
	s64 by;

	if (!thread)
		return 0;
	by = growth_of(task, (struct pt_regs *)bpf_task_pt_regs(task), ctx->result,
		bpf_get_attach_cookie(ctx));
	if (!by)
		return 0;
	u64 bytes = by < 0 ? -by : by;
	if (bytes > CONTRACT_EVENT_MOST) {
		__sync_fetch_and_add(&odd_values, 1);
		return 0;
	}
	struct event_key key = {.thread = thread->serial,
		.slice = event_slice(now),
		.measure = by < 0 ? cfg_shrink_measure : cfg_growth_measure};
	struct event_part part = {bytes, 1, bytes};
	event_put(ctx, thread, now, &key, &part, EVENT_USER_STACK);
	return 0;
}

#endif
