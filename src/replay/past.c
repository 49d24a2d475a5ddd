// SPDX-License-Identifier: GPL-2.0-or-later
/* A ring that grows to its size: most threads of a log wait but a few times. */
#include "replay/past.h"

#include <stdlib.h>

#include "util/mem.h"

void past_clear(struct past *past)
{
	free(past->at);
	*past = (struct past){0};
}

bool past_add(struct past *past, const struct past_segment *segment)
{
	const struct past_segment *last = past_last(past);

	if (last && segment->from_ns < last->to_ns)
		return false;
	if (past->end == past->room && past->room < PAST_ENTRIES) {
		past->room = past->room ? 2 * past->room : 4;
		past->at = xreallocarray(past->at, past->room, sizeof(*past->at));
	}
	*past_get(past, past->end) = *segment;
	past->end++;
	return true;
}

uint32_t past_find(const struct past *past, uint64_t at_ns)
{
	uint32_t low = past_begin(past), high = past->end;

	while (low < high) {
		uint32_t middle = low + (high - low) / 2;
		if (past_get(past, middle)->to_ns > at_ns)
			high = middle;
		else
			low = middle + 1;
	}
	return low;
}
