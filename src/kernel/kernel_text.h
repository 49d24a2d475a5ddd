/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Ranges of kernel text that stacks are read by: which frames are an interrupt's entry, a softirq
 * or the sending of a signal, where a wake and a switch begin. Where a symbol is missing the range
 * is empty, and that kind is not told apart.
 */
#ifndef DWELL_KERNEL_TEXT_H
#define DWELL_KERNEL_TEXT_H

#include <linux/types.h>

#include "contract/frames.h"
#include "symbol/kernel.h"

/* More of them than any of these has; the rest is empty. */
#define TEXT_RANGES 12

struct text_range {
	uint64_t start;
	uint64_t end;
};

struct kernel_text {
	struct text_range core; /* all of the kernel's own */
	struct text_range interrupts;
	struct text_range exceptions; /* entries that are the thread's own doing */
	struct text_range softirqs;
	struct text_range actions[TEXT_ACTIONS]; /* what softirqs run; some may be empty */
	unsigned char action_vectors[TEXT_ACTIONS];
	bool has_own_actions; /* those are known that threads raise for themselves */
	struct text_range schedule;
	struct text_range signals[3];
	struct text_range wakes[3];
	struct text_range ipis[3];
	/* What tracers put on a stack in place of a return address. */
	struct text_range trampolines[3];
	struct text_range callers[TEXT_RANGES]; /* of our programs: bpf_trace_run1() and on */
};

/* All ranges are empty if symbols is NULL. */
void kernel_text_find(const struct kernel_symbols *symbols, struct kernel_text *ret);
bool kernel_text_is_within(const struct text_range *ranges, size_t count, uint64_t address);
/* Is it what a tracer puts on a stack in place of a return address? */
bool kernel_text_is_trampoline(const struct kernel_text *text, uint64_t address);
/* enum frame_kind of a return address. */
unsigned int kernel_text_kinds(const struct kernel_text *text, uint64_t address);

#endif
