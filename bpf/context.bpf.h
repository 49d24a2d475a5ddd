/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Where a wake is made: in a thread, or in an interrupt that came upon it. The kernel stack
 * decides. The innermost frame of an interrupt's entry hides everything outside of it, so the
 * thread that was interrupted is never blamed and its frames never show; exceptions (page faults)
 * are the thread's own doing. A softirq inside a system call is the thread's doing, too, if it is
 * of the kind that a thread raises for itself (network, tasklets), as opposed to what is merely due
 * (timers, completed requests, RCU).
 */
#ifndef DWELL_CONTEXT_BPF_H
#define DWELL_CONTEXT_BPF_H

#include "metal.bpf.h"
#include "kernel_stack.bpf.h"

enum {
	IN_TASK,
	IN_SOFTIRQ, /* within a thread's own run through the kernel */
	ON_IRQ_RETURN,
	IN_IRQ,
	IN_UNKNOWN,
	IN_MASK = 7,
	IN_SIGNAL = 8, /* flag: a signal is being sent */
};

/* What a frame shows. Global: in a loop over frames its branches would multiply. */
__noinline int kind_of_frame(u64 frame)
{
	if (is_within(frame, text_interrupts))
		return FRAME_INTERRUPT;
	if (is_within(frame, text_softirqs))
		return FRAME_SOFTIRQ;
	if (is_within_any(frame, text_signals))
		return FRAME_SIGNAL;
	return is_within_any(frame, text_wakes) ? FRAME_WAKE : 0;
}

/* Frames that one call looks at. So the verifier has little to do. */
#define LOOKED_AT_ONCE 16

/* What the next frames from `first` on show; the stack is cut at the interrupt. */
__noinline int kinds_of_some(struct walk *walk, u32 first)
{
	u32 kinds = 0;

	if (!walk)
		return 0;
	for (u32 i = 0; i < LOOKED_AT_ONCE && first + i < walk->depth; i++) {
		kinds |= kind_of_frame(walk->frames[(first + i) & (UNWIND_MAX_FRAMES - 1)]);
		if (kinds & FRAME_INTERRUPT)
			walk->depth = first + i + 1;
	}
	return kinds;
}

/* Finds where a wake was made and cuts the stack at the interrupt. */
__noinline int find_context(struct walk *walk)
{
	u32 seen_kinds = 0;

	if (!walk)
		return IN_UNKNOWN;
	for (u32 i = 0; i < CONTRACT_MAX_FRAMES && i < walk->depth; i += LOOKED_AT_ONCE) {
		seen_kinds |= kinds_of_some(walk, i);
		if (seen_kinds & FRAME_INTERRUPT)
			return seen_kinds & FRAME_SOFTIRQ ? ON_IRQ_RETURN : IN_IRQ;
	}
	/* The entry may be behind the last frame that fits. */
	if (walk->depth >= cfg_max_frames)
		return IN_UNKNOWN;
	if (seen_kinds & FRAME_SOFTIRQ)
		return IN_SOFTIRQ;
	return seen_kinds & FRAME_SIGNAL ? IN_TASK | IN_SIGNAL : IN_TASK;
}

/* The same of a walk by rules, which ends at the interrupt. */
static __always_inline u32 context_of_kinds(u32 kinds)
{
	if (kinds & FRAME_INTERRUPT)
		return kinds & FRAME_SOFTIRQ ? ON_IRQ_RETURN : IN_IRQ;
	if (kinds & FRAME_SOFTIRQ)
		return IN_SOFTIRQ;
	return kinds & FRAME_SIGNAL ? IN_TASK | IN_SIGNAL : IN_TASK;
}

/* The vector of an address in a softirq's function; -1 if it is in none. */
__noinline int vector_of_action(u64 address)
{
	for (u32 i = 0; i < TEXT_ACTIONS; i++)
		if (is_within(address, &text_softirq_actions[2 * i]))
			return text_softirq_vectors[i];
	return -1;
}

/* Which of the next frames from `first` on is the caller of softirqs' functions; -1: none. */
__noinline int softirqs_among_some(struct walk *walk, u32 first)
{
	if (!walk)
		return -1;
	for (u32 i = 0; i < LOOKED_AT_ONCE && first + i < walk->depth; i++)
		if (is_within(walk->frames[(first + i) & (UNWIND_MAX_FRAMES - 1)], text_softirqs))
			return first + i;
	return -1;
}

/*
 * The vector of the innermost softirq on a stack; -1 if that cannot be told. Between the softirq's
 * function and its caller there may be a tracer's frame.
 */
__noinline int vector_on_stack(struct walk *walk)
{
	int at = -1, vector = -1;

	if (!walk)
		return -1;
	for (u32 i = 0; i < CONTRACT_MAX_FRAMES && at < 0; i += LOOKED_AT_ONCE)
		at = softirqs_among_some(walk, i);
	if (at >= 1)
		vector = vector_of_action(walk->frames[(at - 1) & (UNWIND_MAX_FRAMES - 1)]);
	if (at >= 2 && vector < 0)
		vector = vector_of_action(walk->frames[(at - 2) & (UNWIND_MAX_FRAMES - 1)]);
	return vector;
}

/* The softirq that the waker's stack shows, as a program at its entry would have noted it. */
static __always_inline struct context *context_on_stack(struct cpu *cpu, struct walk *walk)
{
	struct context *context = &cpu->softirq;
	int vector = vector_on_stack(walk);

	context->kind = HOP_SOFTIRQ;
	context->is_soft = true;
	context->value = (s64)vector;
	/* These wake nobody but for requests that they have completed just before. */
	context->disk = vector == SOFTIRQ_BLOCK || vector == SOFTIRQ_IRQ_POLL ? cpu->last_disk : 0;
	return context;
}

/* Where the wake's own frames begin: what lies before them is the tracer. */
__noinline int find_wake(struct walk *walk)
{
	if (!walk)
		return 0;
	for (u32 i = 0; i < FRAME_TRACER_MOST; i++) {
		if (i >= walk->depth)
			break;
		if (kind_of_frame(walk->frames[i]) & FRAME_WAKE)
			return i;
	}
	return 0;
}

/* Softirqs that a thread raises by what it does itself. */
static __always_inline bool is_own_doing(const struct context *context)
{
	if (!context || context->disk)
		return !context;
	return context->kind == HOP_SOFTIRQ &&
	       (context->value == SOFTIRQ_NET_TX || context->value == SOFTIRQ_NET_RX ||
		       context->value == SOFTIRQ_TASKLET || context->value == SOFTIRQ_HI);
}

/* The kind of hop, and of metal its name. */
static __always_inline u32 name_metal(
	struct record_hop *record, const struct context *context, u32 level, u64 entry)
{
	u32 kind = level == IN_IRQ ? HOP_IRQ : HOP_SOFTIRQ;

	/* An interrupt without a handler of its own, on top of what it interrupted. */
	if (context && context->is_soft != (level != IN_IRQ))
		context = NULL;
	if (!context) {
		record->value = level == IN_IRQ ? entry : ~0ULL;
		return is_within_any(entry, text_ipis) ? HOP_IPI : kind;
	}
	if (context->disk) {
		bpf_probe_read_kernel_str(record->name, sizeof(record->name),
			(void *)context->disk + bpf_core_field_offset(struct gendisk, disk_name));
		return HOP_DISK;
	}
	record->value = context->value;
	if (context->kind == HOP_IRQ) {
		struct irqaction *action = (void *)context->value;
		bpf_probe_read_kernel_str(
			record->name, sizeof(record->name), BPF_CORE_READ(action, name));
		record->value = 0;
	}
	return context->kind;
}

/*
 * Where the wake is made: what the walk shows, without one what the contexts say. The innermost
 * context may be one that only the walk shows.
 */
static __always_inline u32 level_of(struct cpu *cpu, struct walk *walk, struct context **innermost,
	u32 pid, u32 *kind, u64 *entry)
{
	struct context *context = *innermost;
	u32 level = IN_TASK, found, last;

	/* Without symbols frames tell nothing. */
	if (walk->depth && text_interrupts[1]) {
		found = walk->is_by_rule ? context_of_kinds(walk->kinds) : find_context(walk);
		level = found & IN_MASK;
		if (found & IN_SIGNAL && *kind == HOP_TASK)
			*kind = HOP_SIGNAL;
		last = walk->depth - 1;
		if (last < CONTRACT_MAX_FRAMES)
			*entry = walk->frames[last];
	} else if (context) {
		level = context->is_soft ? IN_UNKNOWN : IN_IRQ;
	} else if (stacks_show_softirqs) {
		level = IN_UNKNOWN;
	}
	if (stacks_show_softirqs && (level == IN_SOFTIRQ || level == ON_IRQ_RETURN) &&
		(!context || !context->is_soft))
		*innermost = context = context_on_stack(cpu, walk);
	if (level == IN_SOFTIRQ && (!pid || !is_own_doing(context)))
		return ON_IRQ_RETURN;
	/* The idle thread wakes nobody of its own accord. */
	if (level == IN_TASK && !pid)
		return IN_UNKNOWN;
	return level;
}

#endif
