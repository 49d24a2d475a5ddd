/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * User stacks of threads that fell asleep before the recording, or before their process's tables
 * were there, and so have none: from the registers that the kernel keeps for them and their memory,
 * read from outside. A stack counts only if its thread did not run from before the reading until
 * after it.
 */
#ifndef DWELL_KERNEL_SLEEPERS_H
#define DWELL_KERNEL_SLEEPERS_H

#include "contract/walk.h"
#include "kernel/kernel.h"

struct outside;

/*
 * Calls with each stack that a thread was given; the walk begins like struct record_stack. How many
 * still lack tables goes to ret_left; those who have no stack at all get such a one only if this is
 * the last time. 0 or -errno.
 */
int sleepers_walk(struct kernel *kernel, struct outside *outside, const struct unwind_areas *areas,
	bool is_last, void (*each)(void *context, const struct walk *walk), void *context,
	size_t *ret_left);

#endif
