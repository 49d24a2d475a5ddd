// SPDX-License-Identifier: GPL-2.0-or-later
/* Names of states and bands. */
#include "model/state.h"

#include <string.h>

static const char *const names[] = {
	[TIME_RUNNING] = "running",
	[TIME_WOKEN] = "woken",
	[TIME_PREEMPTED] = "preempted",
	[TIME_BLOCKED] = "blocked",
	[TIME_SAMPLE] = "sample",
};

const char *state_name(enum time_state state)
{
	return (unsigned int)state <= TIME_SAMPLE ? names[state] : "unknown";
}

bool state_from_name(const char *name, enum time_state *ret)
{
	for (unsigned int i = 0; i <= TIME_SAMPLE; i++)
		if (!strcmp(names[i], name)) {
			*ret = (enum time_state)i;
			return true;
		}
	return false;
}

unsigned int band_of(uint64_t ns)
{
	unsigned int band = 0;

	while (band + 1 < CONTRACT_BANDS && ns >= band_start_ns(band + 1))
		band++;
	return band;
}

uint64_t band_start_ns(unsigned int band)
{
	uint64_t start = CONTRACT_FIRST_BAND_NS;

	if (!band)
		return 0;
	while (--band)
		start *= 10;
	return start;
}

const char *band_name(unsigned int band)
{
	static const char *const bands[CONTRACT_BANDS] = {
		"< 10 us", "10-100 us", "0.1-1 ms", "1-10 ms", "10-100 ms", "0.1-1 s", ">= 1 s"};

	return band < CONTRACT_BANDS ? bands[band] : "unknown";
}
