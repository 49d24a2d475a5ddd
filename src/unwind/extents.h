/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Pieces of an array that programs in the kernel read while we write: who takes a piece gets it
 * whole, and one that is given back rests for a while before it is used again, because a program
 * may still be reading it.
 */
#ifndef DWELL_UNWIND_EXTENTS_H
#define DWELL_UNWIND_EXTENTS_H

#include <stdbool.h>
#include <stdint.h>

#include "util/vec.h"

/*
 * Programs of switches and wakes run for microseconds; this is for ones that a hypervisor put off,
 * and for those of events, which the kernel may preempt. One that is put off for longer would go on
 * in the tables of another file.
 */
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
