/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A kernel stack by rules: from one return address to the next by what the table says, one load and
 * one look-up for each, where the kernel's own unwinder takes a search and several checks. An
 * address that the table does not have ends the walk without a result, and the kernel's unwinder is
 * asked.
 *
 * Built for the kernel and, for a unit test, for the host. Who includes this has u32, u64,
 * bool, mix(), which hashes, load_word(), frame_word(), which is for words of the stack that is
 * walked, is_lasting(), frame_table_of() and most_frames_by_rule().
 */
#ifndef DWELL_FRAMES_BPF_H
#define DWELL_FRAMES_BPF_H

#include "contract/frames.h"
#include "contract/walk.h"

static __always_inline bool is_text(u64 word)
{
	return word >> 32 == 0xffffffff;
}

/* The entry of an address; `how` is FRAME_HIT_BY_EXCEPTION or 0. 0: it is not known. */
static __always_inline u64 frame_find(const struct frame_table *table, u64 address, u64 how)
{
	u64 key = (u32)address | how;
	const volatile __u64 *ways = table->ways[FRAME_SET(key) & (FRAME_SETS - 1)];
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

/* Where the next return address is by a rule that is seldom. Global: verified once. */
__noinline u64 frame_by_rule(u64 entry, u64 sp)
{
	u32 rule = entry >> FRAME_RULE_SHIFT & FRAME_RULE_MASK;
	u32 size = entry >> FRAME_SIZE_SHIFT & FRAME_SIZE_MASK;

	if (rule == FRAME_SAVED)
		return load_word(sp + FRAME_SAVED_PLACE(size) * 8ULL) +
		       (u64)FRAME_SAVED_OFFSET(size) * 8;
	if (rule == FRAME_EITHER)
		return frame_either(sp + size * 8ULL);
	if (rule == FRAME_EXCEPTION)
		return sp + FRAME_REGS_IP * 8;
	return 0;
}

static __always_inline u64 frame_next(u64 entry, u64 sp, u64 bottom)
{
	if ((entry >> FRAME_RULE_SHIFT & FRAME_RULE_MASK) == FRAME_FIXED)
		return sp + (entry >> FRAME_SIZE_SHIFT & FRAME_SIZE_MASK) * 8;
	/* The last but one of every system call. */
	if ((entry >> FRAME_RULE_SHIFT & FRAME_RULE_MASK) == FRAME_AT_BOTTOM)
		return bottom;
	return frame_by_rule(entry, sp);
}

/* All ones if the entry is an exception's. No branch: the verifier would follow both ways. */
static __always_inline u64 exception_mask(u64 entry)
{
	u64 differs = (entry >> FRAME_RULE_SHIFT & FRAME_RULE_MASK) ^ FRAME_EXCEPTION;

	opaque(differs);
	return (u64)((s64)(differs - 1) >> 63);
}

/* Goes by the tracer's own frames, from the return address at `at`; where `begin` is, 0: not known.
 */
static __always_inline u64 frames_begin(
	const struct walk *walk, const struct frame_table *table, u64 at, u64 bottom, u32 begin)
{
#pragma clang loop unroll(disable)
	for (u32 i = 0; i < FRAME_TRACER_MOST; i++) {
		u64 entry = frame_find(table, frame_word(walk, at), 0);

		if (!entry)
			return 0;
		if (entry >> FRAME_KINDS_SHIFT & begin)
			return at;
		at = frame_next(entry, at + 8, bottom);
	}
	return 0;
}

/* Frames that one call goes by; the next one goes on. So the verifier has little to do. */
#define FRAMES_AT_ONCE 12

enum { FRAMES_UNKNOWN, FRAMES_FOUND, FRAMES_GO_ON };

/* A part of frames_walk(). Global: verified once. */
__noinline int frames_go_on(struct walk *walk, u64 bottom, u32 end)
{
	const struct frame_table *table = frame_table_of();
	u64 at, sp, entry, address, mask, id;
	u32 kinds, depth;

	if (!walk || !table)
		return FRAMES_UNKNOWN;
	at = walk->pc;
	mask = walk->sp;
	id = walk->hash;
	kinds = walk->kinds;
#pragma clang loop unroll(disable)
	for (u32 i = 0; i < FRAMES_AT_ONCE; i++) {
		u32 kind;

		address = frame_word(walk, at);
		entry = frame_find(table, address, mask & FRAME_HIT_BY_EXCEPTION);
		depth = walk->depth;
		if (!entry || depth >= most_frames_by_rule())
			return FRAMES_UNKNOWN;
		kind = entry >> FRAME_KINDS_SHIFT & FRAME_KINDS_MASK;
		kinds |= kind;
		walk->frames[depth & (FRAMES_BY_RULE - 1)] = address;
		walk->depth = depth + 1;
		id = mix(id, address);
		if (kind & end || at == bottom) {
			walk->hash = id;
			walk->kinds = kinds;
			return FRAMES_FOUND;
		}
		/* What an exception hit goes on at the stack pointer of then. */
		sp = at + 8;
		if (mask)
			sp = frame_word(walk, at + (FRAME_REGS_SP - FRAME_REGS_IP) * 8);
		mask = exception_mask(entry);
		at = frame_next(entry, sp, bottom);
	}
	walk->pc = at;
	walk->sp = mask;
	walk->hash = id;
	walk->kinds = kinds;
	return FRAMES_GO_ON;
}

/*
 * Walks from the return address at `at`. `begin` is the kind of the first frame that is not the
 * tracer's, `end` the kinds behind which nothing counts. 1: the walk has the frames, their hash
 * and kinds; 0: something is not known. Global: verified once.
 */
__noinline int frames_walk(struct walk *walk, u64 at, u64 bottom, u32 begin, u32 end)
{
	const struct frame_table *table = frame_table_of();
	int found = FRAMES_GO_ON;

	if (!walk || !table)
		return 0;
	at = frames_begin(walk, table, at, bottom, begin);
	if (!at)
		return 0;
	/* The place of a return address and how it was reached, between two calls. */
	walk->pc = at;
	walk->sp = 0;
	walk->depth = 0;
	walk->hash = mix(RECORD_KERNEL_STACK, 0);
	walk->kinds = 0;
	for (u32 i = 0; i < FRAMES_BY_RULE && found == FRAMES_GO_ON; i += FRAMES_AT_ONCE)
		found = frames_go_on(walk, bottom, end);
	return found == FRAMES_FOUND;
}

#endif
