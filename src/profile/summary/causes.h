/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The chains of a report's waits, by names: chains that differ only in the stacks of wakers are
 * one. Hops are known by kind, name and what the waker before them had slept in; each has its share
 * of the waits' time. All zero is a valid empty collection.
 */
#ifndef DWELL_PROFILE_SUMMARY_CAUSES_H
#define DWELL_PROFILE_SUMMARY_CAUSES_H

#include "profile/family.h"
#include "profile/selection.h"
#include "util/intern.h"
#include "util/map64.h"

struct cause_hop {
	enum hop_kind kind;
	const char *name;      /* of the family; the recording's or the families' */
	bool has_waited;       /* from the second hop on: */
	enum reason reason;    /* what the waker before it had slept in */
	const char *operation; /* or NULL */
	const char *spot;      /* the function that wanted it, or NULL */
	bool is_lock;          /* somebody held it */
	uint32_t thing;        /* what it had waited for: of the selection, or REC_NONE */
};

struct cause_chain {
	uint32_t owner;     /* the caller's: a wait, then a line */
	uint32_t named;     /* the same for chains of the same hops */
	uint32_t hop_count; /* hops from first_hop on, shares from first_share on, one more */
	enum chain_end end;
	size_t first_hop;
	size_t first_share;
	uint64_t total_ns;
	uint64_t count; /* waits, unended ones included; 0: parts of waits that others end */
};

struct causes {
	VEC(struct cause_chain) chains;
	VEC(struct cause_hop) hops;
	VEC(struct rec_share) shares;
	const struct families *families; /* set before anything is added */
	/* How they are found again while they are gathered. */
	struct intern texts;
	VEC(uint32_t) by_recorded; /* chain of the recording -> number of its named chain + 1 */
	VEC(struct cause_chain) named;
	struct map64 named_by_hash; /* -> number + 1; clashes go on at hash + 1 */
	struct map64 by_owner;      /* owner << 32 | named chain -> index into chains + 1 */
};

/* Adds the row's chain, if it has one, to the chains of its owner. */
void causes_add(struct causes *causes, const struct recording *recording,
	struct selection *selection, const struct selection_row *row, uint32_t owner);
/*
 * Joins chains whose hops differ only in numbers of what was waited for (things_family()); then
 * gives every chain the owner that `owners` has for its old one (UINT32_MAX: drops it), joins those
 * of one owner that are alike, and sorts: by owner, the largest first.
 */
void causes_settle(struct causes *causes, struct selection *selection, const uint32_t *owners);
/* The chains of an owner, after causes_settle(). */
const struct cause_chain *causes_of(const struct causes *causes, uint32_t owner, size_t *ret_count);
void causes_clear(struct causes *causes);

#endif
