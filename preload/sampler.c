// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The rare half of sampler.h: drawing the distance to the next point, and what a sample stands for.
 * It has a logarithm and an exponential function of its own, because libm is not in every process
 * and is none of the library's business.
 */
#include <time.h>
#include <unistd.h>

#include "preload/sampler.h"

#define LN2 0.693147180559945309
#define SQRT2 1.41421356237309505

__thread struct sampler sampler;

/* 0 until sampler_start(). Written once, before there are threads. */
static uint64_t sampler_period;

/* splitmix64: every state is a good one. */
static uint64_t random_next(void)
{
	uint64_t bits = sampler.random += 0x9e3779b97f4a7c15;

	bits = (bits ^ (bits >> 30)) * 0xbf58476d1ce4e5b9;
	bits = (bits ^ (bits >> 27)) * 0x94d049bb133111eb;
	return bits ^ (bits >> 31);
}

/* In (0, 1]. */
static double random_fraction(void)
{
	return ((double)(random_next() >> 11) + 1) / (double)(1ULL << 53);
}

static void random_seed(void)
{
	struct timespec now = {0};

	clock_gettime(CLOCK_MONOTONIC, &now);
	sampler.random = (uint64_t)(uintptr_t)&sampler ^ ((uint64_t)now.tv_nsec << 32) ^
			 (uint64_t)now.tv_sec ^ ((uint64_t)getpid() << 16);
	random_next();
}

/* -ln(x) for x in (0, 1], to a few parts in a thousand million. */
static double minus_log(double x)
{
	union {
		double number;
		uint64_t bits;
	} split = {.number = x};
	int exponent = (int)(split.bits >> 52) - 1023;
	double ratio, square;

	split.bits = (split.bits & 0xfffffffffffffULL) | 1023ULL << 52;
	if (split.number > SQRT2) {
		split.number /= 2;
		exponent++;
	}
	/* ln m = 2 artanh((m - 1) / (m + 1)), and the ratio is 0.172 at most. */
	ratio = (split.number - 1) / (split.number + 1);
	square = ratio * ratio;
	ratio *= 1 + square * (1.0 / 3 + square * (1.0 / 5 + square * (1.0 / 7 + square / 9)));
	return -(exponent * LN2 + 2 * ratio);
}

/* 1 - exp(-x) for x >= 0, exact to as many digits for small x. */
static double one_minus_exp(double x)
{
	double halves, rest, sum = 1, power = 1;
	int count;

	if (x > 40)
		return 1;
	count = (int)(x / LN2 + 0.5);
	rest = x - count * LN2;
	/* 1 - exp(-r) = r (1 - r/2 (1 - r/3 (1 - ...))), |r| is 0.35 at most. */
	for (int i = 10; i > 1; i--)
		sum = 1 - rest / i * sum;
	halves = rest * sum;
	for (int i = 0; i < count; i++)
		power /= 2;
	return 1 - power + power * halves;
}

static uint64_t draw_distance(void)
{
	uint64_t whole;
	double distance;

	if (sampler_period == 1)
		return 1;
	distance = minus_log(random_fraction()) * (double)sampler_period;
	/* Rounded up: it is at most s with the probability of the exact one for whole s. */
	whole = (uint64_t)distance;
	return whole + (distance > (double)whole || !whole);
}

void sampler_start(const char *text)
{
	uint64_t period = 0;

	for (; text && *text >= '0' && *text <= '9' && period < SAMPLER_PERIOD_MAX; text++)
		period = period * 10 + (uint64_t)(*text - '0');
	if (!period || *text)
		period = SAMPLER_PERIOD_DEFAULT;
	sampler_period = period < SAMPLER_PERIOD_MAX ? period : SAMPLER_PERIOD_MAX;
}

void sampler_restart(void)
{
	sampler.left = 0;
}

bool sampler_takes(size_t bytes)
{
	if (!sampler_period)
		return false;
	if (!sampler.left) {
		random_seed();
		sampler.left = draw_distance();
		if (sampler_skips(bytes))
			return false;
	}
	sampler.samples++;
	sampler.left = draw_distance();
	return true;
}

size_t sampler_weight(size_t bytes)
{
	double exact;
	size_t whole;

	if (sampler_period == 1)
		return 1;
	exact = 1 / one_minus_exp((double)bytes / (double)sampler_period);
	whole = (size_t)exact;
	return whole + (random_fraction() <= exact - (double)whole);
}
