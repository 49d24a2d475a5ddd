/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Holds what a recording costs to a share of the machine's CPU time, by how many stacks are left
 * out: bpf/thin.bpf.h does that, this says how many. Knows neither the kernel side nor a clock.
 */
#ifndef DWELL_KERNEL_BUDGET_H
#define DWELL_KERNEL_BUDGET_H

#include <stdint.h>

/* How long one look at the cost has to wait for the next. */
#define BUDGET_EVERY_NS 200000000ULL
/* At the least, one stack of so many is kept. */
#define BUDGET_MOST_EVERY 256

struct budget {
	double share; /* of all CPUs */
	uint32_t cpus;
	uint64_t start_ns;
	uint64_t first_cost_ns;
	uint64_t last_ns;
	uint64_t last_cost_ns;
	double rate; /* share that the last seconds took; 0: not known yet */
	double every;
};

/* The cost is the CPU time spent since any moment before. */
void budget_begin(
	struct budget *budget, double share, uint32_t cpus, uint64_t now_ns, uint64_t cost_ns);
/* One of how many stacks is to be kept, 1 to BUDGET_MOST_EVERY. */
uint32_t budget_every(const struct budget *budget);
/* From now on. Does nothing before BUDGET_EVERY_NS are over. */
uint32_t budget_step(struct budget *budget, uint64_t now_ns, uint64_t cost_ns);

#endif
