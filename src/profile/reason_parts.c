// SPDX-License-Identifier: GPL-2.0-or-later
/* Weights by node and reason. */
#include "profile/reason_parts.h"

void reason_parts_add(struct reason_parts *parts, uint32_t node, unsigned int why, uint64_t weight,
	uint64_t count)
{
	bool is_new;
	uint64_t *place = map64_put(&parts->place_of, (uint64_t)node << 32 | why, &is_new);

	if (is_new) {
		struct reason_part made = {.node = node, .why = why};
		*place = parts->at.count;
		vec_push(&parts->at, made);
	}
	parts->at.at[*place].weight += weight;
	parts->at.at[*place].count += count;
}

void reason_parts_clear(struct reason_parts *parts)
{
	vec_clear(&parts->at);
	map64_clear(&parts->place_of);
}

const char *reason_part_name(unsigned int why)
{
	return why < REASONS ? reason_name((enum reason)why) : "no CPU";
}
