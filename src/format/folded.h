/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Folded stacks: one line for each stack, "frame;frame;frame WEIGHT", root first, sorted by bytes.
 * Weights are whole units with carried rounding: they add up to the tree's total, rounded down.
 */
#ifndef DWELL_FORMAT_FOLDED_H
#define DWELL_FORMAT_FOLDED_H

#include <stdbool.h>
#include <stdio.h>

#include "profile/tree.h"

struct folded_options {
	bool weighs_counts; /* else time */
	uint64_t unit_ns;   /* of time: 1, NS_PER_US, NS_PER_MS */
};

/* Number of lines written; stacks that round to nothing have none. Errors are the stream's. */
size_t folded_write(const struct tree *tree, const struct folded_options *options, FILE *out);

#endif
