/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Pieces of an array that programs in the kernel read while we write: who takes a piece gets it
 * whole, and one that is given back rests for a while before it is used again, because a program
 * may still be reading it.
 */
#ifndef DWELL_CAPTURE_EXTENTS_H
#define DWELL_CAPTURE_EXTENTS_H

#include <stdbool.h>
#include <stdint.h>

#include "util/vec.h"

/* Programs run for microseconds; this is for ones that were preempted by a hypervisor. */
#define EXTENTS_REST_NS 2000000000ULL

struct extent {
	uint32_t start;
	uint32_t count;
	uint64_t given_ns; /* of one that rests */
};

struct extents {
	VEC(struct extent) free;    /* by start; neighbours are joined */
	VEC(struct extent) resting; /* by given_ns */
	uint32_t room;
	uint32_t used; /* resting ones, too */
};

void extents_init(struct extents *extents, uint32_t room);
void extents_clear(struct extents *extents);
/* The first piece that is large enough; false if there is none. */
bool extents_take(struct extents *extents, uint32_t count, uint64_t now_ns, uint32_t *ret);
void extents_give(struct extents *extents, uint32_t start, uint32_t count, uint64_t now_ns);

#endif
