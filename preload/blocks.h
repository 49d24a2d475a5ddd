/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A block's beginning and end, as the interposed functions say them. What allocates may call
 * another of them inside: libstdc++'s operator new calls malloc(), jemalloc's does not. So that one
 * block counts once, the outer one counts only if the thread's sampler stands where it stood before
 * the call. That is a comparison of numbers, with no flag that an exception would leave set. Ends
 * need no such care: whoever comes first takes the address from the set.
 */
#ifndef DWELL_PRELOAD_BLOCKS_H
#define DWELL_PRELOAD_BLOCKS_H

#include "preload/hooks.h"
#include "preload/next.h"
#include "preload/sampled.h"
#include "preload/sampler.h"

#define EXPORTED __attribute__((visibility("default")))
#define OUT_OF_LINE __attribute__((noinline, cold))

struct moment {
	uint64_t left;
	uint64_t samples;
};

static inline struct moment moment_now(void)
{
	return (struct moment){sampler.left, sampler.samples};
}

static inline bool moment_is_now(struct moment moment)
{
	return sampler.left == moment.left && sampler.samples == moment.samples;
}

/* Tells of a sampled block. Inlined, to put few frames of ours on top of the program's stack. */
static inline __attribute__((always_inline)) void block_tell(void *address, size_t bytes)
{
	size_t allocations = sampler_weight(bytes);
	enum sampled_add added = sampled_add(address);

	if (added == SAMPLED_KNOWN)
		dwell_free_sampled(address);
	dwell_alloc_sampled(address, bytes, allocations);
	if (added == SAMPLED_FULL)
		dwell_alloc_untracked(address);
}

/* For blocks that sampler_skips() did not count. */
void block_begins_slowly(void *address, size_t bytes);

/* For addresses that sampled_may_have(). */
void block_ends_slowly(void *address);

/* After the call that made it, which began at `before`. */
static inline void block_begins(struct moment before, void *address, size_t size)
{
	size_t bytes = sampler_bytes(size);

	if (address && moment_is_now(before) && !sampler_skips(bytes))
		block_begins_slowly(address, bytes);
}

/* Before the call that gives it back. */
static inline void block_ends(void *address)
{
	if (sampled_may_have(address))
		block_ends_slowly(address);
}

#endif
