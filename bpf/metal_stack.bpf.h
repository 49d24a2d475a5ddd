/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The interrupts, softirqs and timers that a CPU is in, outermost first. An interrupt may come in
 * the middle of a push or a pop: a push takes its place before it fills it, so that the interrupt's
 * own entry lies above and is gone again when the push goes on.
 *
 * Built for the kernel and for the host, where a unit test is the interrupt. The includer has u8,
 * u32, u64, bool, __always_inline, barrier() and barrier_var().
 */
#ifndef DWELL_METAL_STACK_BPF_H
#define DWELL_METAL_STACK_BPF_H

struct context {
	u64 value; /* struct irqaction *, softirq vector or timer function */
	u64 disk;  /* struct gendisk * whose request completed in it; 0: none */
	u8 kind;   /* HOP_IRQ, HOP_SOFTIRQ, HOP_TIMER, HOP_IPI */
	bool is_soft;
};

#define MAX_CONTEXTS 8

struct metal {
	u32 depth; /* beyond MAX_CONTEXTS they are counted, not kept */
	struct context at[MAX_CONTEXTS];
};

static __always_inline struct context *metal_top(struct metal *metal)
{
	u64 depth = metal->depth;

	if (!depth || depth > MAX_CONTEXTS)
		return 0;
	/* The mask is for the verifier: clang computes the address before the test. */
	depth = (depth - 1) & (MAX_CONTEXTS - 1);
	barrier_var(depth);
	return &metal->at[depth & (MAX_CONTEXTS - 1)];
}

static __always_inline void metal_push(struct metal *metal, u8 kind, bool is_soft, u64 value)
{
	u32 depth = metal->depth;

	metal->depth = depth + 1;
	barrier();
	if (depth < MAX_CONTEXTS) {
		struct context *context = &metal->at[depth];
		context->value = value;
		context->disk = 0;
		context->kind = kind;
		context->is_soft = is_soft;
	}
}

static __always_inline void metal_pop(struct metal *metal)
{
	if (metal->depth)
		metal->depth--;
}

#endif
