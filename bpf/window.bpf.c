// SPDX-License-Identifier: GPL-2.0-or-later
/* Programs that user space runs by itself: the window's ends, and a barrier. */
#include "credit.bpf.h"
#include "pages.bpf.h"
#include "tables.bpf.h"

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

/*
 * Where does the kernel have physical address 0? It is told a guess: so many GiB below the page
 * tables of who asks, and what these begin with. 1 if a word of the caller's is found by that: then
 * walks go by it from now on.
 */
SEC("?raw_tp/sched_switch")
int on_direct_map(const u64 *ctx)
{
	u64 at = ctx[0], word = ctx[1], below = ctx[2], shift = ctx[3];
	struct task_struct *task = bpf_get_current_task_btf();
	struct pages pages = {};

	if (!has_loads())
		return 0;
	/* Stored and loaded again it is a number. */
	direct_base = (u64)task->mm->pgd;
	pages.root = direct_base;
	direct_base = (pages.root & ~((1ULL << 30) - 1)) - (below << 30);
	direct_shift = shift;
	if (!find_page(&pages, at) && load_word(pages.to + (at & (PAGE_BYTES - 1))) == word)
		return 1;
	direct_base = 0;
	return 0;
}
