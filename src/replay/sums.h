/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Intervals summed into the rows of a recording: by thread, state, stack, chain, band and slices,
 * with the time of those that span slices divided as bpf/credit.bpf.h does it. All zero but
 * slice_ns is a valid empty table.
 */
#ifndef DWELL_REPLAY_SUMS_H
#define DWELL_REPLAY_SUMS_H

#include "recording/recording.h"
#include "replay/replay.h"
#include "util/map64.h"
#include "util/vec.h"

struct sums_row {
	struct rec_sum sum; /* kernel_stack is 0; the thread is an index */
	uint32_t stack;     /* the caller's number */
	uint32_t chain;     /* number in the replay's table of chains, 0: none */
	size_t shares;      /* sum.share_count of them in sums.shares, from here on */
	bool is_earlier;
	bool is_open;
};

struct sums {
	uint64_t slice_ns;
	VEC(struct sums_row) rows;
	VEC(struct rec_share) shares;
	struct map64 by_key; /* hash -> index + 1; clashes go on at hash + 1 */
	uint64_t overflows;  /* intervals left out: a sum would have passed 63 bits */
};

void sums_add(struct sums *sums, const struct replay_interval *interval);
void sums_clear(struct sums *sums);

#endif
