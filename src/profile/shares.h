/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The shares of a row's hops, for the part of its time that lies in a range. Shares are of whole
 * waits; of a part each hop gets the same share, with the rounding carried, so that they still add
 * up to it.
 */
#ifndef DWELL_PROFILE_SHARES_H
#define DWELL_PROFILE_SHARES_H

#include "profile/selection.h"

struct share_scale {
	uint64_t whole_ns;
	uint64_t part_ns;
	uint64_t so_far;
	uint64_t given;
};

static inline uint64_t share_scale(struct share_scale *scale, uint64_t ns)
{
	uint64_t due;

	scale->so_far += ns;
	due = scale->part_ns == scale->whole_ns ? scale->so_far
						: (uint64_t)((unsigned __int128)scale->part_ns *
							     scale->so_far / scale->whole_ns);
	ns = due - scale->given;
	scale->given = due;
	return ns;
}

/* Fills ret[0 .. share_count - 1], which add up to row->ns. Nothing for a row without a chain. */
static inline void shares_in_range(
	const struct selection_row *row, struct rec_share ret[static CONTRACT_MAX_HOPS + 1])
{
	const struct rec_sum *sum = &row->row->sum;
	struct share_scale scale = {.whole_ns = sum->ns, .part_ns = row->ns};

	for (uint32_t i = 0; i < sum->share_count; i++) {
		ret[i].ran_ns = share_scale(&scale, sum->shares[i].ran_ns);
		ret[i].no_cpu_ns = share_scale(&scale, sum->shares[i].no_cpu_ns);
		ret[i].earlier_ns = share_scale(&scale, sum->shares[i].earlier_ns);
	}
}

static inline uint64_t share_ns(const struct rec_share *share)
{
	return share->ran_ns + share->no_cpu_ns + share->earlier_ns;
}

#endif
