/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Names of metal: which interrupt, softirq or timer each CPU is in, kept as a small stack of
 * contexts. Entries whose exit was missed are swept away by the next switch, which no interrupt can
 * make.
 */
#ifndef DWELL_METAL_BPF_H
#define DWELL_METAL_BPF_H

#include "state.bpf.h"

/* include/linux/interrupt.h */
enum {
	SOFTIRQ_HI = 0,
	SOFTIRQ_NET_TX = 2,
	SOFTIRQ_NET_RX = 3,
	SOFTIRQ_BLOCK = 4,
	SOFTIRQ_IRQ_POLL = 5,
	SOFTIRQ_TASKLET = 6,
};

static __always_inline struct context *innermost(struct cpu *cpu)
{
	return metal_top(&cpu->metal);
}

static __always_inline int enter(u8 kind, bool is_soft, u64 value)
{
	struct cpu *cpu = this_cpu();
	u64 began = 0;

	if (!cpu)
		return 0;
	/* Interrupts are many and short: only every 64th reads the clock, to time this program. */
	if (window_start != ~0ULL) {
		if (!(cpu->counters[COUNTER_METAL] % (2 * COST_EVERY)))
			began = bpf_ktime_get_ns();
		count(cpu, COUNTER_METAL, 2);
	}
	metal_push(&cpu->metal, kind, is_soft, value);
	if (began) {
		count(cpu, COUNTER_METAL_TIMED, 1);
		count(cpu, COUNTER_METAL_TIMED_NS, bpf_ktime_get_ns() - began);
	}
	return 0;
}

static __always_inline int leave(void)
{
	struct cpu *cpu = this_cpu();

	if (cpu)
		metal_pop(&cpu->metal);
	return 0;
}

#endif
