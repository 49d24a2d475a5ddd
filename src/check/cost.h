/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a recording would cost, found out without making one. */
#ifndef DWELL_CHECK_COST_H
#define DWELL_CHECK_COST_H

#include "kernel/options.h"
#include "util/why.h"

struct cost {
	uint64_t window_ns;
	uint64_t switches;        /* on the whole machine */
	uint64_t target_switches; /* away from a thread of the target */
	uint64_t threads;         /* of the target */
	double bare_ns;           /* measured: a switch and its share of wakes, without stacks */
	double stack_ns;          /* measured: what the stacks add to a switch */
	double share;             /* of one CPU that recording would take, in the kernel */
};

/*
 * Watches the target for window_ns without stacks, then measures on threads of our own what stacks
 * add. 0, or -errno with why as capture_new().
 */
int cost_measure(const struct capture_options *target, uint64_t window_ns, struct cost *ret,
	struct why *why);

#endif
