/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A kernel stack by rules: from one return address to the next by what the table says, one load and
 * one look-up for each, where the kernel's own unwinder takes a search and several checks. An
 * address that the table does not have ends the walk without a result, and the kernel's unwinder is
 * asked.
 *
 * Built for the kernel and, for a unit test, for the host. Who includes this has u32, u64,
 * bool, mix(), which hashes, load_word(), is_lasting(), frame_table_of() and most_frames_by_rule().
 */
#ifndef DWELL_FRAMES_BPF_H
#define DWELL_FRAMES_BPF_H

#include "contract/frames.h"
#include "contract/walk.h"

static __always_inline u32 frame_set_of(u64 key)
{
	return ((u32)key + (u32)(key >> 32)) * 0x9e3779b1U >> (32 - FRAME_SET_BITS);
}

static __always_inline bool is_text(u64 word)
{
	return word >> 32 == 0xffffffff;
}

/* The entry of an address; `how` is FRAME_HIT_BY_EXCEPTION or 0. 0: it is not known. */
static __always_inline u64 frame_find(const struct frame_table *table, u64 address, u64 how)
{
	u64 key = (u32)address | how;
	const volatile __u64 *ways = table->ways[frame_set_of(key) & (FRAME_SETS - 1)];
	u64 entry = ways[0];

	if ((entry & FRAME_KEY) != key)
		entry = ways[1];
	if ((entry & FRAME_KEY) != key || !is_text(address))
		return 0;
	return is_lasting(address) ? entry : 0;
}

/* Which of two words is a return address, as an address; 0 if that cannot be told. */
static __always_inline u64 frame_either(u64 at)
{
	bool is_first = is_text(load_word(at)), is_second = is_text(load_word(at + 8));

	if (is_first == is_second)
		return 0;
	return is_first ? at : at + 8;
}

/* Where the next return address is, if its rule is one of those that the stack alone decides. */
static __always_inline u64 frame_next(u64 entry, u64 sp, u64 bottom)
{
	u32 rule = entry >> FRAME_RULE_SHIFT & FRAME_RULE_MASK;
	u32 size = entry >> FRAME_SIZE_SHIFT & FRAME_SIZE_MASK;

	if (rule == FRAME_FIXED)
		return sp + size * 8ULL;
	if (rule == FRAME_SAVED)
		return load_word(sp + FRAME_SAVED_PLACE(size) * 8ULL) +
		       (u64)FRAME_SAVED_OFFSET(size) * 8;
	if (rule == FRAME_EITHER)
		return frame_either(sp + size * 8ULL);
	return rule == FRAME_AT_BOTTOM ? bottom : 0;
}

/*
 * Walks from the return address at `at`. `begin` is the kind of the first frame that is not the
 * tracer's, `end` the kinds behind which nothing counts. 1: the walk has the frames, their hash and
 * kinds; 0: something is not known. Global: verified once. The two loops are separate, and the
 * frame's number is the loop's counter, so that the verifier sees few states.
 */
__noinline int frames_walk(struct walk *walk, u64 at, u64 bottom, u32 begin, u32 end)
{
	const struct frame_table *table = frame_table_of();
	u64 sp, entry = 0, address = 0, how = 0, id;
	u32 kinds = 0;

	if (!walk || !table)
		return 0;
#pragma clang loop unroll(disable)
	for (u32 i = 0; i < FRAME_TRACER_MOST; i++) {
		address = load_word(at);
		entry = frame_find(table, address, 0);
		if (!entry)
			return 0;
		if (entry >> FRAME_KINDS_SHIFT & begin)
			break;
		at = frame_next(entry, at + 8, bottom);
	}
	if (!(entry >> FRAME_KINDS_SHIFT & begin))
		return 0;
	id = mix(RECORD_KERNEL_STACK, 0);
	sp = at + 8;
	/* Deeper ones are the kernel's: it may have to cut them. */
#pragma clang loop unroll(disable)
	for (u32 i = 0; i < CONTRACT_MAX_FRAMES; i++) {
		u32 kind;

		if (i) {
			address = load_word(at);
			entry = frame_find(table, address, how);
		}
		if (!entry || i >= most_frames_by_rule())
			return 0;
		kind = entry >> FRAME_KINDS_SHIFT & FRAME_KINDS_MASK;
		kinds |= kind;
		walk->frames[i] = address;
		id = mix(id, address);
		if (kind & end || at == bottom) {
			walk->depth = i + 1;
			walk->hash = id;
			walk->kinds = kinds;
			return 1;
		}
		if ((entry >> FRAME_RULE_SHIFT & FRAME_RULE_MASK) == FRAME_EXCEPTION) {
			at = sp + FRAME_REGS_IP * 8;
			sp = load_word(sp + FRAME_REGS_SP * 8);
			how = FRAME_HIT_BY_EXCEPTION;
			continue;
		}
		at = frame_next(entry, sp, bottom);
		sp = at + 8;
		how = 0;
	}
	return 0;
}

#endif
