/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The addresses of sampled blocks that live. Every free() asks sampled_may_have(), which is one
 * byte of a filter that counts: it is wrong in one direction only, and neighbours on the heap share
 * cache lines of it. Behind it is an exact set of buckets, each a cache line; an address is in one
 * of two.
 *
 * Nothing is locked and nothing waits, so fork(), signal handlers and threads that are stopped
 * anywhere are no concern. It relies on what any program keeps to: a block's address is added
 * before anybody else has it, and taken by the one that gives the block back.
 */
#ifndef DWELL_PRELOAD_SAMPLED_H
#define DWELL_PRELOAD_SAMPLED_H

#include <stdbool.h>
#include <stdint.h>

#define SAMPLED_FILTER_BYTES (1 << 16)
#define SAMPLED_BUCKETS (1 << 14)
#define SAMPLED_BUCKET_SLOTS 8

enum sampled_add {
	SAMPLED_ADDED,
	SAMPLED_KNOWN, /* it was there: the block ended in a way that nobody saw */
	SAMPLED_FULL,
};

extern uint8_t sampled_filter[SAMPLED_FILTER_BYTES];

enum sampled_add sampled_add(void *address);

/* Whether it was there; it is not any more. */
bool sampled_take(void *address);

/* sampled_may_have() shall say yes from now on. */
void sampled_mark(void *address);

/* Blocks are at least 16 bytes apart; what is a MiB or more apart, often a round number, is mixed
 * in. */
static inline uint8_t *sampled_byte(const void *address)
{
	uintptr_t bits = (uintptr_t)address;

	return &sampled_filter[((bits >> 4) ^ (bits >> 20)) % SAMPLED_FILTER_BYTES];
}

static inline bool sampled_may_have(const void *address)
{
	return __builtin_expect(__atomic_load_n(sampled_byte(address), __ATOMIC_RELAXED) != 0, 0);
}

#endif
