/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Calls of functions that two recordings watched, side by side. */
#ifndef DWELL_PROFILE_DIFF_CALLS_H
#define DWELL_PROFILE_DIFF_CALLS_H

#include <stdbool.h>
#include <stdint.h>

#include "profile/filter.h"
#include "recording/reader.h"
#include "util/vec.h"

struct diff_calls_side {
	uint64_t count;
	uint64_t p50_ns;
	uint64_t p99_ns;
	uint64_t wall_ns;
	uint64_t blocked_ns;
	uint64_t range_ns; /* that they were watched for */
};

struct diff_call {
	char *name; /* clean; owned */
	struct diff_calls_side before;
	struct diff_calls_side after; /* range_ns 0: not watched there, as of before */
};

typedef VEC(struct diff_call) diff_calls;

/*
 * Adds the calls of one side; none if the filter asks for what only waits have. 0, or -errno with
 * why. The caller clears the list.
 */
int diff_calls_add(diff_calls *calls, struct recording *recording, const struct view_filter *filter,
	bool is_after, struct why *why);
void diff_calls_clear(diff_calls *calls);

/* Calls a second, after to before. */
double diff_calls_rate(const struct diff_call *call);
/* Watched on both sides: was it called on one alone, or are lengths or number others than an
 * estimate may be off? */
bool diff_calls_changed(const struct diff_call *call);

#endif
