/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Two call trees as one, each node with its weight before and after. Frames match by name and
 * object name, never by address, pid or build-id; digits in names of threads and processes fold
 * (pool-1-thread-7 and pool-2-thread-9 are pool-*-thread-*), unless exact names are asked for.
 */
#ifndef DWELL_PROFILE_DIFF_H
#define DWELL_PROFILE_DIFF_H

#include <stdbool.h>

#include "profile/tree.h"

enum diff_scale {
	DIFF_PER_SECOND, /* seconds per second of window: a longer recording is not a slower one */
	DIFF_SHARE,      /* share of each side's total */
	DIFF_RAW,        /* seconds, or counts, as they are */
};

/* One side: a tree, which is not changed, and the length of its window (0: unknown). */
struct diff_side {
	const struct tree *tree;
	uint64_t window_ns;
};

struct diff_options {
	enum diff_scale scale;
	bool weighs_counts;
	bool is_no_time; /* weights are events or what text counts: taken as they are */
	bool has_exact_names;
};

/* Weights of a node, in the unit of the scale. */
struct diff_weight {
	double self_before, self_after;
	double total_before, total_after; /* with all below it */
};

struct diff {
	struct tree tree;
	VEC(struct diff_weight) weights; /* by node */
};

/* What a side's weights are divided by; 0 if it has none. */
double diff_divisor(const struct diff_side *side, const struct diff_options *options);
/* The caller clears it. DIFF_PER_SECOND needs both windows: -EINVAL without. */
int diff_make(const struct diff_side *before, const struct diff_side *after,
	const struct diff_options *options, struct diff *ret);
void diff_clear(struct diff *diff);

enum diff_change {
	DIFF_SLOWER,
	DIFF_FASTER,
	DIFF_NEW,
	DIFF_GONE,
	DIFF_CHANGES,
};

const char *diff_change_name(enum diff_change change);

/*
 * A function, in all stacks. Its own weight is that of the stacks in which it is the innermost
 * frame of the program: kernel frames, marks and the C library's are its doing. Its total counts
 * each stack once, however often the function is in it.
 */
struct diff_function {
	uint32_t frame; /* in the diff's tree */
	double own_before, own_after;
	double total_before, total_after;
	enum diff_change change; /* of its own weight, or of its total if it has none of its own */
};

typedef VEC(struct diff_function) diff_functions;

/* All functions whose weight changed, the largest change of own weight first. */
void diff_rank(const struct diff *diff, diff_functions *ret);
/* The largest growth of a function's total, as a share of the total before; 0 if none grew. */
double diff_worst_growth(const struct diff *diff, const diff_functions *functions);

#endif
