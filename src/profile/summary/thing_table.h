/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Blocked time by what it was for: for each thing who waited, how long, and who ended the waits.
 * The rows and what is not told add up to the blocked time that passes the filter, to the
 * nanosecond.
 */
#ifndef DWELL_PROFILE_SUMMARY_THING_TABLE_H
#define DWELL_PROFILE_SUMMARY_THING_TABLE_H

#include "profile/family.h"
#include "profile/selection.h"

/* Threads of one name that waited for a thing. */
struct thing_waiter {
	const char *name; /* of the family */
	uint64_t ns;
	uint32_t threads;
};

/* Those of one name who ended waits for it. */
struct thing_ender {
	enum hop_kind kind;
	const char *name; /* of the family; of metal its own */
	bool is_nobody;   /* no waker is known, because: */
	enum chain_end end;
	uint64_t ns; /* of the waits that it ended */
};

struct thing_row {
	uint32_t thing; /* into things; REC_NONE: not told */
	uint64_t total_ns;
	uint64_t waits;        /* unended ones included */
	uint64_t unended;      /* of them */
	uint64_t uncounted_ns; /* of total_ns: how many waits that was is not known */
	uint64_t max_ns;
	uint32_t
		owner; /* index into threads: who had it when the longest wait began, or REC_NONE */
	uint64_t owner_max_ns;            /* the longest wait that has an owner */
	VEC(struct thing_waiter) waiters; /* most time first */
	VEC(struct thing_ender) enders;   /* likewise */
};

struct thing_table {
	struct things things;
	struct families families;
	VEC(struct thing_row) rows; /* largest first, those that are not told last */
	uint64_t total_ns;
	uint64_t waits;
	uint64_t told_ns;
	uint64_t from_ns; /* the range after rounding to slices */
	uint64_t to_ns;
	bool has_range;
	bool has_chains;
};

/* Of all blocked time that passes the filter. 0, or -errno with why. The caller frees the table. */
int thing_table_new(struct recording *recording, const struct view_filter *filter,
	struct thing_table **ret, struct why *why);
void thing_table_free(struct thing_table *table);

#endif
