/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Kernel facts that are not in BTF, and differences between kernels, each with its reason. */
#ifndef DWELL_COMPAT_BPF_H
#define DWELL_COMPAT_BPF_H

#include "vmlinux.h"
#include <bpf/bpf_core_read.h>
#include <bpf/bpf_helpers.h>

/*
 * Does each call take 16 bytes of the 512 of stack at least, and not 32? With the JIT since 6.9
 * (round_up_stack_depth() in kernel/bpf/verifier.c), which has arenas.
 */
static __always_inline bool has_small_frames(void)
{
	return bpf_core_type_exists(struct bpf_arena);
}

#define PF_KTHREAD 0x00200000
/* arch/x86/include/asm/segment.h, __USER32_CS: 32-bit code. */
#define COMPAT_CODE_SEGMENT 0x23

/* include/linux/sched.h; the same bits from 5.14 (__state) to 6.18. */
#define TASK_INTERRUPTIBLE 0x0001
#define TASK_UNINTERRUPTIBLE 0x0002
#define TASK_STOPPED_BIT 0x0004
#define TASK_TRACED_BIT 0x0008
#define TASK_PARKED 0x0040
#define TASK_DEAD 0x0080
#define TASK_WAKING 0x0200
#define TASK_NOLOAD 0x0400
#define TASK_NEW 0x0800
#define TASK_FROZEN 0x8000

/* The letter ps would show. */
static __always_inline u8 letter_of_state(u32 state)
{
	if ((state & (TASK_UNINTERRUPTIBLE | TASK_NOLOAD)) == (TASK_UNINTERRUPTIBLE | TASK_NOLOAD))
		return 'I';
	if (state & TASK_UNINTERRUPTIBLE)
		return 'D';
	if (state & TASK_INTERRUPTIBLE)
		return 'S';
	if (state & TASK_STOPPED_BIT)
		return 'T';
	if (state & TASK_TRACED_BIT)
		return 't';
	if (state & TASK_PARKED)
		return 'P';
	if (state & TASK_FROZEN)
		return 'F';
	/* Born but not woken for the first time yet: it is on its way to a CPU. */
	if (state & TASK_NEW)
		return 0;
	return state ? 'D' : 0;
}

#endif
