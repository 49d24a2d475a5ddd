// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The cost has a part that does not depend on how many stacks are kept (times are always exact) and
 * one in proportion to that, neither of which is known. So the number is moved by small factors,
 * towards the rate at which the whole recording will have kept to its budget AHEAD_NS from now:
 * what was spent too much in the beginning is saved later.
 */
#include "kernel/budget.h"

#include <math.h>

/* Before anything is known of the load: a busy machine is not to be taken by surprise. */
#define FIRST_EVERY 16
#define AHEAD_NS 3e9
/* Of a new rate, which is an estimate from few runs, so much counts. */
#define NEW_PART 0.3
#define GAIN 0.35

void budget_begin(
	struct budget *budget, double share, uint32_t cpus, uint64_t now_ns, uint64_t cost_ns)
{
	*budget = (struct budget){.share = share,
		.cpus = cpus ? cpus : 1,
		.start_ns = now_ns,
		.first_cost_ns = cost_ns,
		.last_ns = now_ns,
		.last_cost_ns = cost_ns,
		.every = FIRST_EVERY};
}

uint32_t budget_every(const struct budget *budget)
{
	return (uint32_t)lround(budget->every);
}

static double bounded(double value, double low, double high)
{
	return value < low ? low : value > high ? high : value;
}

uint32_t budget_step(struct budget *budget, uint64_t now_ns, uint64_t cost_ns)
{
	double share = budget->share, cpus = budget->cpus;

	if (now_ns < budget->last_ns + BUDGET_EVERY_NS || cost_ns < budget->last_cost_ns)
		return budget_every(budget);
	double rate = (double)(cost_ns - budget->last_cost_ns) /
		      (double)(now_ns - budget->last_ns) / cpus;
	budget->rate += (budget->rate > 0 ? NEW_PART : 1) * (rate - budget->rate);
	budget->last_ns = now_ns;
	budget->last_cost_ns = cost_ns;
	double allowed_ns = share * ((double)(now_ns - budget->start_ns) + AHEAD_NS);
	double spent_ns = (double)(cost_ns - budget->first_cost_ns) / cpus;
	double aim = bounded((allowed_ns - spent_ns) / AHEAD_NS, share / 4, share * 2);
	budget->every = bounded(budget->every * pow(bounded(budget->rate / aim, 0.05, 20), GAIN), 1,
		BUDGET_MOST_EVERY);
	return budget_every(budget);
}
