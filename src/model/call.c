// SPDX-License-Identifier: GPL-2.0-or-later
/* Percentiles are told by the mean of a band: its calls are all that is known of them. */
#include "model/call.h"

#include <string.h>

static const char *const kinds[CALL_KINDS] = {
	[CALL_OF_FUNCTION] = "function",
	[CALL_OF_SYSTEM] = "syscall",
	[CALL_OF_MARKS] = "marks",
	[CALL_OF_KERNEL] = "kernel",
};

const char *call_kind_name(enum call_kind kind)
{
	return (unsigned int)kind < CALL_KINDS ? kinds[kind] : "unknown";
}

enum call_kind call_kind_from_name(const char *name)
{
	for (unsigned int i = 0; i < CALL_KINDS; i++)
		if (!strcmp(name, kinds[i]))
			return (enum call_kind)i;
	return CALL_OF_FUNCTION;
}

void call_lengths_add(
	struct call_lengths *lengths, uint32_t band, uint64_t count, uint64_t ns, uint64_t max_ns)
{
	band &= CONTRACT_CALL_BANDS - 1;
	lengths->count[band] += count;
	lengths->ns[band] += ns;
	lengths->calls += count;
	if (max_ns > lengths->max_ns)
		lengths->max_ns = max_ns;
}

uint64_t call_lengths_begin(uint32_t band)
{
	return band < CONTRACT_CALL_BANDS ? call_band_begin(band) : UINT64_MAX;
}

uint32_t call_lengths_band_at(const struct call_lengths *lengths, uint32_t millionths)
{
	/* The number, from 1 on, of the call that is meant; rounded up, and in 128 bits. */
	unsigned __int128 wanted =
		((unsigned __int128)lengths->calls * millionths + 999999) / 1000000;
	uint64_t below = 0;

	for (uint32_t band = 0; band < CONTRACT_CALL_BANDS; band++) {
		below += lengths->count[band];
		if (below && below >= wanted)
			return band;
	}
	return 0;
}

uint64_t call_lengths_at(const struct call_lengths *lengths, uint32_t millionths)
{
	uint32_t band = call_lengths_band_at(lengths, millionths);

	if (!lengths->count[band])
		return 0;
	uint64_t mean = lengths->ns[band] / lengths->count[band];
	return mean < lengths->max_ns ? mean : lengths->max_ns;
}
