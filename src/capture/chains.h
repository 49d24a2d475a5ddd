/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Chains on the user side: hops and chains come from the kernel once each, by raw ids, and are
 * written to the recording by content. Those not met for a long time are forgotten.
 */
#ifndef DWELL_CAPTURE_CHAINS_H
#define DWELL_CAPTURE_CHAINS_H

#include "capture/namer.h"

struct awaited_things;
struct chains;

/* Borrows writer and namer. depth: longer chains are cut, as the kernel side does. */
struct chains *chains_new(struct recording_writer *writer, struct namer *namer,
	struct awaited_things *things, uint32_t depth);
void chains_free(struct chains *chains);

/* RECORD_HOP; its stacks must be known to the namer. Others and damaged ones are ignored. */
void chains_add_hop(struct chains *chains, const void *record, size_t length);
/* RECORD_WAITED */
void chains_add_waited(struct chains *chains, const void *record, size_t length);
/* RECORD_CHAIN */
void chains_add(struct chains *chains, const void *record, size_t length);

struct chain_found {
	uint64_t id; /* the recording's */
	uint32_t hop_count;
	bool has_rest; /* behind the last hop there may be time */
	bool has_lost; /* the record of a hop or stack of it has not come yet */
};

/* What became of a raw id, for a row; false if its record, or one that it goes on with, never came.
 */
bool chains_find(struct chains *chains, uint64_t raw_id, struct chain_found *ret);
/* The chain without hops that ends so. */
uint64_t chains_of_end(struct chains *chains, enum chain_end end);
/* To be called now and then: forgets what has not been met for long, if there is much of it. */
void chains_age(struct chains *chains);

#endif
