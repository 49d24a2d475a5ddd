// SPDX-License-Identifier: GPL-2.0-or-later
/* Programs that user space runs by itself: the window's ends, and a barrier. */
#include "credit.bpf.h"

/*
 * When it has run on a CPU, no program that began before is still running there. Puts the rows that
 * the CPU has gathered into the table that it is told of, counted from 1; 0: they stay. For a CPU
 * that is offline another one does it, and is told whose, counted from 1, too.
 */
SEC("raw_tp/sched_switch")
int on_barrier(const u64 *ctx)
{
	u32 table = ctx[0], of_cpu = ctx[1];

	for (u32 i = 0; i < GATHERED_ROWS && table; i++)
		let_go(i, table - 1, of_cpu);
	return 0;
}

/*
 * The window's ends are set here, not by user space, which may lose its CPU between reading the
 * clock and telling the moment: then that is over already. Here nobody comes between the two.
 */
SEC("raw_tp/sched_switch")
int on_open(const u64 *ctx)
{
	u64 ahead = ctx[0], length = ctx[1];
	u64 start = bpf_ktime_get_ns() + ahead;

	window_end = length ? start + length : ~0ULL;
	window_start = start;
	return 0;
}

/* An earlier end that was set before stays. */
SEC("raw_tp/sched_switch")
int on_close(const u64 *ctx)
{
	u64 end = bpf_ktime_get_ns() + ctx[0];

	if (end < window_end)
		window_end = end;
	return 0;
}
