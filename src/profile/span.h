/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * How the time of one row lies in the slices: first_ns in its first, last_ns in its last, the rest
 * in equal parts between them. Numbers of a damaged file cannot make time appear or vanish: parts
 * over a partition of the slices always add up to the row's ns.
 */
#ifndef DWELL_PROFILE_SPAN_H
#define DWELL_PROFILE_SPAN_H

#include <stdint.h>

#include "recording/recording.h"

/* Time in the slices before `slice`. */
static inline uint64_t span_ns_before(const struct rec_sum *sum, uint32_t slice)
{
	uint64_t first = sum->first_ns < sum->ns ? sum->first_ns : sum->ns;
	uint64_t last = sum->last_ns < sum->ns - first ? sum->last_ns : sum->ns - first;
	uint32_t between = sum->slice_last - sum->slice_first;

	if (slice <= sum->slice_first)
		return 0;
	if (slice > sum->slice_last)
		return sum->ns;
	if (between < 2)
		return first;
	between--;
	return first + (uint64_t)((unsigned __int128)(sum->ns - first - last) *
				  (slice - sum->slice_first - 1) / between);
}

/* Time in the slices from `from` to before `to`. */
static inline uint64_t span_ns(const struct rec_sum *sum, uint32_t from, uint32_t to)
{
	return from < to ? span_ns_before(sum, to) - span_ns_before(sum, from) : 0;
}

#endif
