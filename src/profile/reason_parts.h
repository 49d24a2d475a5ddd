/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Why the time of a tree's stacks went: for each node in which stacks end, its weight by reason.
 * Stacks of one text may wait for different reasons, so a node can have several parts.
 */
#ifndef DWELL_PROFILE_REASON_PARTS_H
#define DWELL_PROFILE_REASON_PARTS_H

#include "model/reason.h"
#include "util/map64.h"
#include "util/vec.h"

/* Behind the reasons of blocked time: ready, but without a CPU. */
#define REASON_PART_NO_CPU REASONS
#define REASON_PARTS (REASONS + 1)

struct reason_part {
	uint32_t node;
	unsigned int why; /* enum reason, or REASON_PART_NO_CPU */
	uint64_t weight;
	uint64_t count;
};

/* All zero is a valid empty one. */
struct reason_parts {
	VEC(struct reason_part) at; /* each node and reason once */
	struct map64 place_of;      /* node and reason -> index into `at` */
};

void reason_parts_add(struct reason_parts *parts, uint32_t node, unsigned int why, uint64_t weight,
	uint64_t count);
void reason_parts_clear(struct reason_parts *parts);

/* "disk", "lock", ..., "no CPU" */
const char *reason_part_name(unsigned int why);

#endif
