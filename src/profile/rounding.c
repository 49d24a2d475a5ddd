// SPDX-License-Identifier: GPL-2.0-or-later
/* Shares that add up. */
#include "profile/rounding.h"

#include "util/mem.h"

struct remainder {
	uint64_t rest;
	size_t index;
};

static int compare_remainders(const void *left, const void *right)
{
	const struct remainder *a = left, *b = right;

	if (a->rest != b->rest)
		return a->rest > b->rest ? -1 : 1;
	return a->index < b->index ? -1 : a->index > b->index;
}

void apportion(const uint64_t *values, size_t count, uint64_t whole, uint64_t *ret_shares)
{
	_cleanup_free_ struct remainder *order = xcalloc(count + 1, sizeof(*order));
	unsigned __int128 total = 0;
	uint64_t given = 0;

	for (size_t i = 0; i < count; i++)
		total += values[i];
	for (size_t i = 0; i < count; i++) {
		unsigned __int128 exact = (unsigned __int128)values[i] * whole;
		ret_shares[i] = total ? (uint64_t)(exact / total) : 0;
		/* Scaled so that it fits; order is all that counts. */
		order[i].rest = total ? (uint64_t)(exact % total * 1000000 / total) : 0;
		order[i].index = i;
		given += ret_shares[i];
	}
	if (!total)
		return;
	qsort(order, count, sizeof(*order), compare_remainders);
	for (size_t i = 0; i < count && given < whole; i++, given++)
		ret_shares[order[i].index]++;
}
