// SPDX-License-Identifier: GPL-2.0-or-later
/* Programs of events; the cookie of a link says which measure it is of, and what one counts. */
#include "event.bpf.h"

/* A function of a program in user space was called. Preemptible. */
SEC("?uprobe")
int on_call(void *ctx)
{
	event_now(ctx, bpf_get_attach_cookie(ctx), true);
	return 0;
}

/*
 * An event of the kernel's perf: page faults, with interrupts on; a clock, in its interrupt; a PMU,
 * in an NMI. Each stands for as many as its period says.
 */
SEC("?perf_event")
int on_perf_event(void *ctx)
{
	event_now(ctx, bpf_get_attach_cookie(ctx), false);
	return 0;
}
