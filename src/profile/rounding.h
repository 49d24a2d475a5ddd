/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Rounding that keeps sums: what is printed adds up to what is printed as its total. */
#ifndef DWELL_PROFILE_ROUNDING_H
#define DWELL_PROFILE_ROUNDING_H

#include <stddef.h>
#include <stdint.h>

/*
 * Carried rounding for streams: the results for values v1, v2, ... add up to floor(sum / unit).
 * All zero is a valid start.
 */
struct carry {
	uint64_t rest;
};

static inline uint64_t carry_divide(struct carry *carry, uint64_t value, uint64_t unit)
{
	uint64_t whole = value / unit;

	carry->rest += value % unit;
	if (carry->rest >= unit) {
		carry->rest -= unit;
		whole++;
	}
	return whole;
}

/*
 * Largest remainder: shares of `whole` in proportion to the values, whole numbers that add up to
 * exactly `whole` (to 0 if all values are 0).
 */
void apportion(const uint64_t *values, size_t count, uint64_t whole, uint64_t *ret_shares);

/* value / unit, rounded to the nearest. */
static inline uint64_t round_to(uint64_t value, uint64_t unit)
{
	return value / unit + (value % unit >= unit - unit / 2);
}

#endif
