/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Blocks of memory that processes allocate and free. A block that is looked at stands for others of
 * its size: it is a row of what was allocated, and is kept in `allocations` until it is freed,
 * which is a row of what was given back, with the stack that had allocated it. What is left there
 * at the end lives.
 */
#ifndef DWELL_ALLOCATION_BPF_H
#define DWELL_ALLOCATION_BPF_H

#include "event.bpf.h"
#include "target.bpf.h"

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__uint(max_entries, 1);
	__type(key, struct allocation_key);
	__type(value, struct allocation);
} allocations SEC(".maps");

/* Numbers of the measures. */
const volatile __u32 cfg_allocated_measure;
const volatile __u32 cfg_freed_measure;
/* Of bytes allocated one in so many is looked at, where the kernel side chooses; 0 and 1: all. */
const volatile __u64 cfg_allocation_period;

static __always_inline void credit_freed(
	void *ctx, struct thread *thread, u64 now, const struct allocation *block)
{
	struct event_key key = {.user_stack = block->user_stack,
		.thread = thread->serial,
		.slice = event_slice(now),
		.measure = cfg_freed_measure};
	struct event_part part = {
		block->bytes, block->events, block->bytes / (block->events ? block->events : 1)};

	event_put(ctx, thread, now, &key, &part, EVENT_NO_STACKS);
}

static __always_inline struct allocation *known_block(struct thread *thread, u64 address)
{
	struct allocation_key key = {.address = address, .image = thread->image};

	return bpf_map_lookup_elem(&allocations, &key);
}

/*
 * Takes a block off the books, if it is in them; with `was`, only if it is that one. A call of its
 * own, as what follows: walks of stacks leave little room on that of a program before 6.9.
 */
static __noinline int free_block(
	void *ctx, struct thread *thread, u64 now, u64 address, const struct allocation *was)
{
	struct allocation_key key = {.address = address};
	struct allocation *known, block;

	if (!thread)
		return 0;
	key.image = thread->image;
	known = bpf_map_lookup_elem(&allocations, &key);
	if (!known)
		return 0;
	block = *known;
	if (was && (was->user_stack != block.user_stack || was->bytes != block.bytes ||
			   was->thread != block.thread || was->slice != block.slice))
		return 0;
	/* Freed twice by two threads, it was one block. */
	if (!bpf_map_delete_elem(&allocations, &key))
		credit_freed(ctx, thread, now, &block);
	return 0;
}

/* linux/errno.h */
#define EEXIST 17

/* Puts a block onto the books; how, BPF_NOEXIST or BPF_ANY. 0 or -errno. */
static __noinline int keep_block(struct thread *thread, const struct event_key *made,
	const struct event_part *part, u64 address, u64 how)
{
	struct allocation_key key = {.address = address};
	struct allocation block = {};

	if (!thread || !made || !part)
		return 0;
	key.image = thread->image;
	block.user_stack = made->user_stack;
	block.bytes = part->value;
	block.events = part->events;
	block.thread = made->thread;
	block.slice = made->slice;
	return bpf_map_update_elem(&allocations, &key, &block, how);
}

/* Follows a block that was counted until it is freed. False: it cannot. */
static __always_inline bool follow_block(void *ctx, struct thread *thread, u64 now, u64 address,
	const struct event_key *made, const struct event_part *part)
{
	int error = keep_block(thread, made, part, address, BPF_NOEXIST);

	if (error == -EEXIST) {
		/* The free of what was there before was not seen. */
		free_block(ctx, thread, now, address, NULL);
		error = keep_block(thread, made, part, address, BPF_ANY);
	}
	return !error;
}

static __always_inline void add_block(
	void *ctx, struct thread *thread, u64 now, u64 address, u64 bytes, u64 events)
{
	struct event_key key = {.thread = thread->serial,
		.slice = event_slice(now),
		.measure = cfg_allocated_measure};
	struct event_part part = {bytes, events, bytes / (events ? events : 1)};

	event_put(ctx, thread, now, &key, &part, EVENT_USER_STACK);
	if (!follow_block(ctx, thread, now, address, &key, &part))
		__sync_fetch_and_add(&untracked_blocks, 1);
}

/*
 * Of how many blocks of its size it is the one that is looked at; 0: it is none. It is one with the
 * chance size / period, so that it stands for period / size blocks: a fraction is rounded by
 * chance.
 */
static __always_inline u64 stands_for(u64 bytes)
{
	u64 period = cfg_allocation_period, rest;

	if (!bytes)
		bytes = 1;
	if (bytes >= period)
		return 1;
	if ((u64)bpf_get_prandom_u32() * period >= bytes << 32)
		return 0;
	rest = period % bytes;
	return period / bytes + (bpf_get_prandom_u32() % bytes < rest);
}

#endif
