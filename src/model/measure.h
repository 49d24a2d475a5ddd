/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What values are counted in: thread time in ns, events in a unit of their own. A recording stores
 * the word; one that this dwell does not know is a number with that word behind it.
 *
 * And what kind of thing a measure counts. Those of memory belong together: what was allocated,
 * what of it was given back or not, and what of that looks like a leak.
 */
#ifndef DWELL_MODEL_MEASURE_H
#define DWELL_MODEL_MEASURE_H

#include <stdbool.h>
#include <stdint.h>

enum unit {
	UNIT_NS,
	UNIT_COUNT, /* how many; what of is the measure's to say */
	UNIT_BYTES,
	UNIT_OTHER, /* of a newer dwell */
};

enum measure_kind {
	MEASURE_EVENT,  /* whatever has no word of its own, one of a newer dwell included */
	MEASURE_ALLOC,  /* bytes allocated, in the slice in which they were */
	MEASURE_FREED,  /* bytes given back, by the stack that had allocated them, when they were */
	MEASURE_LIVE,   /* bytes allocated in the window and not freed at its end, or at their
			   process's, in the slice in which they were allocated */
	MEASURE_LEAKS,  /* the part of these that looks like a leak */
	MEASURE_FAULTS, /* page faults */
	MEASURE_GROWTH, /* bytes of address space that were mapped */
	MEASURE_SHRINK, /* or unmapped */
	MEASURE_KINDS,
};

/* "event", "alloc", "freed", "live", "leaks", "faults", "growth", "shrink" */
const char *measure_kind_name(enum measure_kind kind);
/* MEASURE_EVENT if none has that name. */
enum measure_kind measure_kind_from_name(const char *name);

/* "ns", "count", "bytes"; "" for UNIT_OTHER */
const char *unit_name(enum unit unit);
/* UNIT_OTHER if no unit has that name. */
enum unit unit_from_name(const char *name);

/* Longer than any value in words but that of a unit of a newer dwell, which is cut. */
#define UNIT_VALUE_ROOM 64
/* "12.3 s", "61,000", "1.5 GiB", or "12,345 word" where the unit is another's word. */
const char *unit_value(
	enum unit unit, const char *word, uint64_t value, char room[static UNIT_VALUE_ROOM]);

#endif
