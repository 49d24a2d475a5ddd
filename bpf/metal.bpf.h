/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Names of metal: which interrupt, softirq or timer each CPU is in, kept as a small stack of
 * contexts. The innermost is the top. An interrupt may come in the middle of a push or a pop; it
 * leaves the depth as it found it, so nothing is torn. Entries whose exit was missed are swept away
 * by the next switch, which no interrupt can make.
 */
#ifndef DWELL_METAL_BPF_H
#define DWELL_METAL_BPF_H

#include "state.bpf.h"

/* include/linux/interrupt.h */
enum {
	SOFTIRQ_HI = 0,
	SOFTIRQ_NET_TX = 2,
	SOFTIRQ_NET_RX = 3,
	SOFTIRQ_TASKLET = 6,
	SOFTIRQ_HRTIMER = 8,
};

static __always_inline struct context *innermost(struct cpu *cpu)
{
	u64 depth = cpu->metal.depth;

	if (!depth || depth > MAX_CONTEXTS)
		return NULL;
	/* The mask is for the verifier: clang computes the address before the test. */
	depth = (depth - 1) & (MAX_CONTEXTS - 1);
	barrier_var(depth);
	return &cpu->metal.at[depth & (MAX_CONTEXTS - 1)];
}

static __always_inline int enter(u8 kind, bool is_soft, u64 value)
{
	struct cpu *cpu = this_cpu();
	u64 began = 0;
	u32 depth;

	if (!cpu)
		return 0;
	/* There are many and they are short: most do not even read the clock. */
	if (window_start != ~0ULL) {
		if (!(cpu->counters[COUNTER_METAL] % (2 * COST_EVERY)))
			began = bpf_ktime_get_ns();
		count(cpu, COUNTER_METAL, 2);
	}
	depth = cpu->metal.depth;
	if (depth < MAX_CONTEXTS) {
		struct context *context = &cpu->metal.at[depth];
		context->value = value;
		context->disk = 0;
		context->kind = kind;
		context->is_soft = is_soft;
	}
	cpu->metal.depth = depth + 1;
	if (began) {
		count(cpu, COUNTER_METAL_TIMED, 1);
		count(cpu, COUNTER_METAL_TIMED_NS, bpf_ktime_get_ns() - began);
	}
	return 0;
}

static __always_inline int leave(void)
{
	struct cpu *cpu = this_cpu();

	if (cpu && cpu->metal.depth)
		cpu->metal.depth--;
	return 0;
}

SEC("?tp_btf/irq_handler_entry")
int BPF_PROG(on_irq_entry, int irq, struct irqaction *action)
{
	return enter(HOP_IRQ, false, (u64)action);
}

SEC("?tp_btf/irq_handler_exit")
int BPF_PROG(on_irq_exit)
{
	return leave();
}

SEC("?tp_btf/softirq_entry")
int BPF_PROG(on_softirq_entry, unsigned int vector)
{
	return enter(HOP_SOFTIRQ, true, vector);
}

SEC("?tp_btf/softirq_exit")
int BPF_PROG(on_softirq_exit)
{
	return leave();
}

SEC("?tp_btf/hrtimer_expire_entry")
int BPF_PROG(on_hrtimer_entry, struct hrtimer *timer)
{
	struct cpu *cpu = this_cpu();
	struct context *outer = cpu ? innermost(cpu) : NULL;
	/* Most expire in the interrupt itself, some in a softirq of their own. */
	bool is_soft = outer && outer->kind == HOP_SOFTIRQ && outer->value == SOFTIRQ_HRTIMER;

	return enter(HOP_TIMER, is_soft, (u64)BPF_CORE_READ(timer, function));
}

SEC("?tp_btf/hrtimer_expire_exit")
int BPF_PROG(on_hrtimer_exit)
{
	return leave();
}

SEC("?tp_btf/timer_expire_entry")
int BPF_PROG(on_timer_entry, struct timer_list *timer)
{
	return enter(HOP_TIMER, true, (u64)BPF_CORE_READ(timer, function));
}

SEC("?tp_btf/timer_expire_exit")
int BPF_PROG(on_timer_exit)
{
	return leave();
}

/* Comes before the wakes that the request's end makes, in the same interrupt or softirq. */
SEC("?tp_btf/block_rq_complete")
int BPF_PROG(on_request_done, struct request *request)
{
	struct cpu *cpu = this_cpu();
	struct context *context = cpu ? innermost(cpu) : NULL;

	if (context)
		context->disk = (u64)BPF_CORE_READ(request, q, disk);
	return 0;
}

/*
 * Interrupts without a handler of their own. A stack shows them by their entry; these are for wakes
 * whose stack is not taken (--waker-stacks-from). x86 only.
 */
#define VECTOR(name, kind)                                                                         \
	SEC("?tp_btf/" #name "_entry")                                                             \
	int BPF_PROG(on_##name##_entry)                                                            \
	{                                                                                          \
		return enter(kind, false, 0);                                                      \
	}                                                                                          \
	SEC("?tp_btf/" #name "_exit")                                                              \
	int BPF_PROG(on_##name##_exit)                                                             \
	{                                                                                          \
		return leave();                                                                    \
	}

VECTOR(reschedule, HOP_IPI)
VECTOR(call_function, HOP_IPI)
VECTOR(call_function_single, HOP_IPI)
VECTOR(irq_work, HOP_IRQ)
VECTOR(local_timer, HOP_IRQ)

#endif
