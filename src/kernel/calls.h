/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Calls on the kernel side: what is watched, its probes, and the rows that come of it. Functions
 * have numbers, from 0 on, by which rows name them.
 */
#ifndef DWELL_KERNEL_CALLS_H
#define DWELL_KERNEL_CALLS_H

#include "kernel/call_place.h"
#include "kernel/kernel.h"

/* Which programs are needed: enum program_use. */
unsigned int calls_uses(const struct call_plan *plan);
/* What is watched; none before kernel_find_events(). */
const struct call_function *kernel_call_functions(const struct kernel *kernel, size_t *ret_count);
/* Functions of patterns that are not watched because their code is not understood. */
size_t kernel_calls_left_out(const struct kernel *kernel);
/* From now on calls are known, and from the window's start on they are timed. */
int kernel_attach_calls(struct kernel *kernel, struct why *why);
/* How many calls of targets have begun before the window, and whosever: to be asked twice. */
uint64_t kernel_calls_begun(const struct kernel *kernel, uint64_t *ret_all);
/* Calls from there on are slow. */
void kernel_set_slow(struct kernel *kernel, uint32_t function, uint64_t from_ns);
/* What became of calls that are in no row. */
void kernel_call_counts(const struct kernel *kernel, uint32_t function, struct call_counts *ret);
/* Calls in rows of several threads; waits of slow ones that lost their stacks, or are in no row. */
void kernel_call_losses(const struct kernel *kernel, uint64_t *ret_bare, uint64_t *ret_bare_waits,
	uint64_t *ret_lost_waits);

#endif
