// SPDX-License-Identifier: GPL-2.0-or-later
/* Programs of events; the cookie of a link says by which rule its events count. */
#include "event_rule.bpf.h"

/* A function of a program in user space, or a mark in it, was reached; or it returned. Preemptible.
 */
SEC("?uprobe")
int on_call(void *ctx)
{
	event_now(ctx, bpf_get_attach_cookie(ctx), 1, 0);
	return 0;
}

/* A function of the kernel was reached, or returned. In any context. */
SEC("?kprobe")
int on_kernel_call(void *ctx)
{
	event_now(ctx, bpf_get_attach_cookie(ctx), 1, 0);
	return 0;
}

SEC("?tp")
int on_tracepoint(void *ctx)
{
	u32 rule = bpf_get_attach_cookie(ctx);

#pragma clang loop unroll(disable)
	for (int i = 0; i < CONTRACT_EVENT_SHARERS; i++) {
		event_now(ctx, rule, 1, 0);
		rule = cfg_event_rules[rule & (CONTRACT_EVENT_RULES - 1)].next;
		if (!rule)
			break;
		rule--;
	}
	return 0;
}

/* What perf's programs are given: linux/bpf_perf_event.h, on x86-64. */
struct perf_context {
	u64 registers[21];
	u64 sample_period;
	u64 address;
};

/*
 * An event of the kernel's perf: page faults, with interrupts on; a clock, in its interrupt; a PMU,
 * in an NMI. Each stands for as many as its period says.
 */
SEC("?perf_event")
int on_perf_event(struct perf_context *ctx)
{
	event_now(ctx, bpf_get_attach_cookie(ctx), ctx->sample_period, ctx->address);
	return 0;
}
