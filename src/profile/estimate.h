/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * How sure a sum is of which only some events were looked at: of n samples its relative standard
 * error is 1/sqrt(n). Where every event was looked at there is nothing to be unsure of.
 */
#ifndef DWELL_PROFILE_ESTIMATE_H
#define DWELL_PROFILE_ESTIMATE_H

#include <math.h>
#include <stdint.h>
#include <stdio.h>

#define ESTIMATE_ROOM 24

/* One standard error as a share of the sum; 0 where all were looked at. */
static inline double estimate_error(uint64_t events, uint64_t samples)
{
	return samples && events > samples ? 1 / sqrt((double)samples) : 0;
}

/* " ± 4 %", " ± < 1 %"; "" where all were looked at. */
static inline const char *estimate_text(
	uint64_t events, uint64_t samples, char room[static ESTIMATE_ROOM])
{
	double percent = 100 * estimate_error(events, samples);

	if (percent <= 0)
		room[0] = 0;
	else if (percent < 1)
		snprintf(room, ESTIMATE_ROOM, " \u00b1 < 1 %%");
	else
		snprintf(room, ESTIMATE_ROOM, " \u00b1 %.0f %%", percent);
	return room;
}

#endif
