// SPDX-License-Identifier: GPL-2.0-or-later
/* How many stacks a budget lets be kept, of loads that cost this and that. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "kernel/budget.h"

#define STEP_NS BUDGET_EVERY_NS
#define S 1000000000ULL
#define CPUS 4

/* Shares of the machine: what exact times cost, and what all stacks would cost. */
struct load {
	double times;
	double stacks;
	double noise; /* of the estimate of a step, as a part of it */
};

static double chance(unsigned int *seed)
{
	return (double)rand_r(seed) / RAND_MAX * 2 - 1;
}

/* The share that the whole recording cost; *ret_every is what was kept at the end. */
static double record(const struct load *load, double budget, uint64_t seconds, uint32_t *ret_every)
{
	struct budget state;
	uint64_t now = 5 * S, cost = 77 * S;
	unsigned int seed = 1;

	budget_begin(&state, budget, CPUS, now, cost);
	for (uint64_t i = 0; i < seconds * S / STEP_NS; i++) {
		double share = load->times + load->stacks / budget_every(&state);
		share *= 1 + load->noise * chance(&seed);
		now += STEP_NS;
		cost += (uint64_t)(share * STEP_NS * CPUS);
		*ret_every = budget_step(&state, now, cost);
		assert_in_range(*ret_every, 1, BUDGET_MOST_EVERY);
	}
	return (double)(cost - 77 * S) / ((double)(now - 5 * S) * CPUS);
}

static void a_dear_load_is_held_to_its_budget(void **context)
{
	static const struct load loads[] = {{0.001, 0.4, 0}, {0.001, 0.4, 0.5}, {0.005, 0.08, 0.3},
		{0.015, 0.3, 0.5}, {0.018, 0.05, 0.2}};
	uint32_t every;

	(void)context;
	for (size_t i = 0; i < sizeof(loads) / sizeof(loads[0]); i++) {
		double share = record(&loads[i], 0.02, 20, &every);
		assert_true(share > 0.016 && share < 0.024);
		assert_true(every > 1);
	}
}

static void a_cheap_load_keeps_all_stacks(void **context)
{
	struct load load = {0.001, 0.004, 0.2};
	uint32_t every;

	(void)context;
	record(&load, 0.02, 10, &every);
	assert_int_equal(every, 1);
}

static void times_that_cost_more_than_the_budget_leave_few_stacks(void **context)
{
	struct load load = {0.05, 0.2, 0.2};
	uint32_t every;

	(void)context;
	record(&load, 0.02, 10, &every);
	assert_int_equal(every, BUDGET_MOST_EVERY);
}

static void a_look_too_early_changes_nothing(void **context)
{
	struct budget state;
	uint32_t every;

	(void)context;
	budget_begin(&state, 0.01, 1, S, 0);
	every = budget_every(&state);
	assert_int_equal(budget_step(&state, S + STEP_NS / 2, 100 * S), every);
	/* Nor does a cost that goes backwards, as an estimate may. */
	budget_begin(&state, 0.01, 1, S, 10 * S);
	assert_int_equal(budget_step(&state, 2 * S, 9 * S), every);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_dear_load_is_held_to_its_budget),
		cmocka_unit_test(a_cheap_load_keeps_all_stacks),
		cmocka_unit_test(times_that_cost_more_than_the_budget_leave_few_stacks),
		cmocka_unit_test(a_look_too_early_changes_nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
