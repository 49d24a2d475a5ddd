// SPDX-License-Identifier: GPL-2.0-or-later
/* What the preloaded library samples: distances and weights are right on average, whatever the
 * sizes. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <math.h>
#include <stdlib.h>

#include "preload/sampler.c"

#define SIGMAS 5 /* once in two million runs by chance */

/* Starts anew with a mean distance; the random numbers are the same in every run. */
static void start(const char *period, uint64_t random)
{
	sampler_start(period);
	sampler = (struct sampler){.random = random};
	sampler.left = draw_distance();
}

static void assert_near(double value, double expected, double tolerance)
{
	if (!(fabs(value - expected) <= tolerance))
		fail_msg("%.10g is not %.10g to %.3g", value, expected, tolerance);
}

static void the_logarithm_is_libms(void **state)
{
	(void)state;
	assert_true(minus_log(1) == 0);
	for (int exponent = 0; exponent < 53; exponent++)
		for (int i = 0; i < 1000; i++) {
			double x = ldexp(1 + i / 1000.0, -exponent - 1);
			assert_near(minus_log(x), -log(x), 1e-8);
		}
}

static void the_exponential_is_libms(void **state)
{
	(void)state;
	assert_true(one_minus_exp(0) == 0);
	for (double x = 1e-12; x < 1000; x *= 1.01)
		assert_near(one_minus_exp(x) / -expm1(-x), 1, 1e-8);
}

static void distances_are_exponential(void **state)
{
	const int count = 1000000;
	double sum = 0, squares = 0;
	int beyond = 0;

	(void)state;
	start("524288", 1);
	for (int i = 0; i < count; i++) {
		double distance = (double)draw_distance() / 524288;
		sum += distance;
		squares += distance * distance;
		beyond += distance > 2;
	}
	assert_near(sum / count, 1, SIGMAS / sqrt(count));
	/* The fourth moment is 24. */
	assert_near(squares / count, 2, SIGMAS * sqrt((24 - 4) / (double)count));
	assert_near(beyond / (double)count, exp(-2), SIGMAS * sqrt(exp(-2) / count));
}

static void distances_are_never_zero(void **state)
{
	(void)state;
	start("2", 1);
	for (int i = 0; i < 100000; i++)
		assert_true(draw_distance() > 0);
}

/* Blocks of one size: how many of them a run estimates, for each that there was. */
static void estimates_are_right(uint64_t period, size_t size)
{
	double probability = -expm1(-(double)size / (double)period), estimate = 0;
	/* At least 20,000 samples; the deviation of a sum of (sampled ? 1/p : 0). */
	double count = ceil(20000 / probability);
	double tolerance = SIGMAS * sqrt((1 / probability - 1) / count + 0.25 / count);

	for (double i = 0; i < count; i++)
		if (!sampler_skips(size) && sampler_takes(size))
			estimate += (double)sampler_weight(size);
	assert_near(estimate / count, 1, tolerance);
}

static void estimates_are_right_for_all_sizes(void **state)
{
	(void)state;
	start("65536", 2);
	for (size_t size = 8; size <= 8 << 20; size *= 4)
		estimates_are_right(65536, size);
	estimates_are_right(65536, 65536);
	estimates_are_right(65536, 40000);
}

static void weights_are_right_on_average(void **state)
{
	const int count = 200000;

	(void)state;
	start(NULL, 3);
	for (size_t size = 8; size <= 8 << 20; size *= 2) {
		double exact = -1 / expm1(-(double)size / SAMPLER_PERIOD_DEFAULT), sum = 0;

		for (int i = 0; i < count; i++) {
			size_t weight = sampler_weight(size);
			assert_true(weight >= 1 && fabs((double)weight - exact) <= 1);
			sum += (double)weight;
		}
		assert_near(sum / count, exact, SIGMAS * 0.5 / sqrt(count) + exact * 1e-8);
	}
}

static void a_mixture_of_sizes_is_estimated_by_size(void **state)
{
	static const size_t sizes[] = {24, 1000, 30000, 400000, 1};
	double estimates[5] = {0};
	const int count = 2000000;

	(void)state;
	start("65536", 4);
	for (int i = 0; i < count; i++)
		if (!sampler_skips(sizes[i % 5]) && sampler_takes(sizes[i % 5]))
			estimates[i % 5] += (double)sampler_weight(sizes[i % 5]);
	for (int i = 0; i < 5; i++) {
		double probability = -expm1(-(double)sizes[i] / 65536), made = count / 5.0;
		assert_near(estimates[i] / made, 1, SIGMAS * sqrt(1 / probability / made));
	}
}

static void a_period_of_one_samples_everything_once(void **state)
{
	(void)state;
	start("1", 5);
	for (size_t size = 0; size < 1000; size++) {
		size_t bytes = sampler_bytes(size);
		assert_false(sampler_skips(bytes));
		assert_true(sampler_takes(bytes));
		assert_int_equal(sampler_weight(bytes), 1);
	}
	assert_int_equal(sampler.samples, 1000);
}

static void nothing_is_sampled_before_the_start(void **state)
{
	(void)state;
	sampler_period = 0;
	sampler = (struct sampler){0};
	assert_false(sampler_skips(1 << 30));
	assert_false(sampler_takes(1 << 30));
	assert_int_equal(sampler.left, 0);
}

static void absurd_sizes_are_counted_once(void **state)
{
	(void)state;
	start(NULL, 6);
	assert_false(sampler_skips(SIZE_MAX));
	assert_true(sampler_takes(SIZE_MAX));
	assert_int_equal(sampler_weight(SIZE_MAX), 1);
	assert_true(sampler.left > 0 && sampler.left < 100ULL * SAMPLER_PERIOD_DEFAULT);
}

static void periods_are_numbers_or_the_default(void **state)
{
	static const char *const wrong[] = {"", "0", "-1", "12k", "x", " 1", "1 "};

	(void)state;
	for (size_t i = 0; i < sizeof(wrong) / sizeof(*wrong); i++) {
		sampler_start(wrong[i]);
		assert_int_equal(sampler_period, SAMPLER_PERIOD_DEFAULT);
	}
	sampler_start(NULL);
	assert_int_equal(sampler_period, SAMPLER_PERIOD_DEFAULT);
	sampler_start("4096");
	assert_int_equal(sampler_period, 4096);
	sampler_start("1099511627777");
	assert_int_equal(sampler_period, SAMPLER_PERIOD_MAX);
}

static void a_restart_draws_other_numbers(void **state)
{
	uint64_t random, left;

	(void)state;
	start(NULL, 7);
	random = sampler.random;
	left = sampler.left;
	sampler_restart();
	assert_false(sampler_skips(1));
	sampler_takes(1);
	assert_true(sampler.random != random && sampler.left != left && sampler.left > 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_logarithm_is_libms),
		cmocka_unit_test(the_exponential_is_libms),
		cmocka_unit_test(distances_are_exponential),
		cmocka_unit_test(distances_are_never_zero),
		cmocka_unit_test(estimates_are_right_for_all_sizes),
		cmocka_unit_test(weights_are_right_on_average),
		cmocka_unit_test(a_mixture_of_sizes_is_estimated_by_size),
		cmocka_unit_test(a_period_of_one_samples_everything_once),
		cmocka_unit_test(nothing_is_sampled_before_the_start),
		cmocka_unit_test(absurd_sizes_are_counted_once),
		cmocka_unit_test(periods_are_numbers_or_the_default),
		cmocka_unit_test(a_restart_draws_other_numbers),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
