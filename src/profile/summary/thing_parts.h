/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Which things tell waits of one kind apart. A thing with a tenth or more of the kind's time is a
 * part of its own; small ones are a part together with those of their kind (files, pipes, ...) if
 * that makes a tenth; what is left, or was for nothing told, is the rest. A kind is divided only if
 * that makes two parts beside the rest.
 */
#ifndef DWELL_PROFILE_SUMMARY_THING_PARTS_H
#define DWELL_PROFILE_SUMMARY_THING_PARTS_H

#include "profile/things.h"
#include "util/map64.h"

enum thing_part {
	PART_ALL,   /* the kind is not divided */
	PART_THING, /* one thing */
	PART_KIND,  /* small things of one kind */
	PART_REST,
};

/* What one wait of a kind was for (NULL: not told), and its length. */
struct thing_weight {
	const struct thing *thing;
	uint64_t ns;
};

/* Decides for the waits of a kind, which is known by a hash, and keeps that in `parts`. */
void thing_parts_choose(struct map64 *parts, uint64_t kind, const struct thing_weight *weights,
	size_t count, uint64_t least_ns);
/* The hash of the part that such a wait of the kind is in: the kind's own if it is not divided. */
uint64_t thing_parts_find(const struct map64 *parts, uint64_t kind, const struct thing *thing,
	enum thing_part *ret_part);

#endif
