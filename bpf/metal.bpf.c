// SPDX-License-Identifier: GPL-2.0-or-later
/* Entries and exits of interrupts, softirqs and timers, and ends of block requests: metal.bpf.h
 * keeps them. */
#include "metal.bpf.h"

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

/* Softirqs are many; these are for wakes whose stack does not tell (context.bpf.h). */
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
	/* Most expire in the interrupt itself, some in a softirq of their own. */
	bool is_soft = bpf_core_field_exists(timer->is_soft) && timer->is_soft;

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
	u64 disk = (u64)BPF_CORE_READ(request, q, disk);

	if (context)
		context->disk = disk;
	else if (cpu)
		cpu->last_disk = disk;
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
