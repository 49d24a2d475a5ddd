/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Samples of perf's events summed into the rows of measures: by measure, thread, slice and stack.
 * Private to src/format/.
 */
#ifndef DWELL_FORMAT_IMPORT_COUNTS_H
#define DWELL_FORMAT_IMPORT_COUNTS_H

#include "recording/recording.h"
#include "replay/replay.h"
#include "util/map64.h"
#include "util/vec.h"

struct import_count {
	struct rec_count row; /* the measure is the log's number, the thread an index */
	uint32_t stack;       /* in the log's table */
};

/* All zero is a valid empty table. */
struct import_counts {
	VEC(struct import_count) rows;
	VEC(char *) names;   /* of the measures that were written */
	struct map64 by_key; /* hash -> index + 1; clashes go on at hash + 1 */
	uint64_t total;      /* of all rows' values and counts */
	uint64_t overflows;  /* samples left out: the total would be more than a recording holds */
};

/* A sample that has a measure. */
void import_counts_add(
	struct import_counts *counts, uint64_t slice_ns, const struct replay_interval *sample);
void import_counts_clear(struct import_counts *counts);

#endif
