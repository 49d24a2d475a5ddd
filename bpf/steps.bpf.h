/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The quick half of the walk by table. A step depends on the pc and on the tables alone, so that
 * what was found for a pc is kept, and words are taken from pieces of the stack that are read in
 * one go. Whatever is unusual is left to unwind_step(), which keeps the steps that can be taken
 * here. A part of unwind.bpf.h; who includes that has step_table_of(), NULL if no steps are kept.
 */
#ifndef DWELL_STEPS_BPF_H
#define DWELL_STEPS_BPF_H

#include "memo.bpf.h"

/* Steps that one call takes, and calls; the verifier looks at one. */
#define STEPS_AT_ONCE 4
#define STEP_CALLS 16
/* More of them may be known. */
#define STEPS_GO_ON (-2)

/* `exact` is UNWIND_FRAME_EXACT or 0: user addresses leave that bit free. */
static __always_inline __u64 step_key(__u64 steps_of, __u64 pc, __u64 exact)
{
	return mix(steps_of, pc | exact);
}

static __always_inline bool is_usual(const struct unwind_rule *rule)
{
	switch (rule->cfa_kind) {
	case UNWIND_CFA_SP:
	case UNWIND_CFA_FP:
		return rule->fp_kind == UNWIND_FP_SAME || rule->fp_kind == UNWIND_FP_AT_CFA;
	case UNWIND_CFA_FRAMEPTR:
	case UNWIND_CFA_STOP:
		return true;
	}
	return false;
}

/* Keeps what the tables say of the walk's pc. */
static __always_inline void keep_step(
	struct walk *walk, __u64 pc, __u64 frame, const struct unwind_rule *rule)
{
	struct step_table *table = walk->steps_of ? step_table_of(walk) : 0;
	struct step *step;
	__u64 key, word;

	if (!table || !is_usual(rule))
		return;
	key = step_key(walk->steps_of, pc, walk->is_exact ? UNWIND_FRAME_EXACT : 0);
	word = (__u64)rule->cfa_kind | (__u64)rule->fp_kind << 8 |
	       (__u64)(__u16)rule->fp_offset << 16 | (__u64)(__u32)rule->cfa_offset << 32;
	step = &table->steps[(key >> 32) & (STEP_COUNT - 1)];
	step->check = key ^ frame ^ word;
	step->frame = frame;
	step->rule = word;
}

/* The copy is the piece at hand. */
static __always_inline void take_copy(struct walk *walk, __u64 at, __u32 bytes)
{
	/* Stored and loaded again it is a number. */
	walk->piece_to = (__u64)walk->copy;
	walk->piece_at = at;
	walk->piece_bytes = bytes;
}

/* Makes the piece of the stack that is at hand hold the word at `at`; 0 if it does. */
__noinline int take_piece(struct walk *walk, __u64 at)
{
	if (!walk)
		return 1;
	walk->piece_bytes = 0;
	if (walk->pages.root) {
		if (find_page(&walk->pages, at))
			return 1;
		walk->piece_at = walk->pages.at;
		walk->piece_to = walk->pages.to;
		walk->piece_bytes = PAGE_BYTES;
		return 0;
	}
	take_copy(walk, at, sizeof(walk->copy));
	if (!read_user(walk, walk->copy, sizeof(walk->copy), at))
		return 0;
	/* Near the stack's end. */
	walk->piece_bytes = 128;
	if (!read_user(walk, walk->copy, 128, at))
		return 0;
	walk->piece_bytes = 0;
	return 1;
}

/* Reads as much of the stack as is thought to be needed. */
static __always_inline void copy_first(struct walk *walk)
{
	__u64 at = walk->sp & ~7ULL;
	__u32 bytes = walk->copy_wanted;

	opaque(bytes);
	if (bytes > sizeof(walk->copy))
		bytes = sizeof(walk->copy);
	if (read_user(walk, walk->copy, bytes, at))
		return;
	take_copy(walk, at, bytes & ~7U);
}

/* What the walk of a stack like this one will need. */
static __always_inline __u32 copy_needed(const struct walk *walk)
{
	__u64 bytes = walk->sp - walk->first_sp;

	return bytes < sizeof(walk->copy) ? (__u32)bytes : sizeof(walk->copy);
}

/* Where a walk is: kept in registers while steps are taken. */
struct stepper {
	__u64 pc;
	__u64 sp;
	__u64 fp;
};

/* The word at an address of the stack, from the piece at hand. */
static __always_inline bool stack_word(struct walk *walk, __u64 address, __u64 *ret)
{
	__u64 offset = address - walk->piece_at;

	if (offset >= walk->piece_bytes || address & 7) {
		if (address & 7 || take_piece(walk, address))
			return false;
		offset = address - walk->piece_at;
	}
	*ret = piece_word(walk, walk->piece_to, offset);
	return true;
}

/* The caller's place by a usual rule; false if that cannot be told here. */
static __always_inline bool step_up(struct walk *walk, struct stepper *at, __u64 rule)
{
	__u8 cfa_kind = rule, fp_kind = rule >> 8;
	__s16 fp_offset = (__s16)(rule >> 16);
	__u64 cfa, pc, fp = at->fp, uses_sp;

	if (cfa_kind == UNWIND_CFA_FRAMEPTR) {
		if (at->fp < at->sp)
			return false;
		cfa = at->fp + 16;
		fp_kind = UNWIND_FP_AT_CFA;
		fp_offset = -16;
	} else {
		cfa = (cfa_kind == UNWIND_CFA_FP ? at->fp : at->sp) + (__u64)((__s64)rule >> 32);
		if (cfa <= at->sp)
			return false;
	}
	uses_sp = cfa_kind ^ UNWIND_CFA_SP;
	opaque(uses_sp);
	uses_sp = (__u64)((__s64)(uses_sp - 1) >> 63);
	opaque(uses_sp);
	memo_note_fp(walk, fp, ~uses_sp);
	if (fp_kind == UNWIND_FP_AT_CFA) {
		walk->fp_from = cfa + (__u64)(__s64)fp_offset;
		if (!stack_word(walk, cfa + (__u64)(__s64)fp_offset, &fp))
			return false;
	}
	if (!stack_word(walk, cfa - sizeof(__u64), &pc))
		return false;
	memo_note(walk, cfa - sizeof(__u64), pc, ~0ULL);
	at->fp = fp;
	at->pc = pc;
	at->sp = cfa;
	return true;
}

/*
 * Takes steps from the walk's pc on, as far as they are known; UNWIND_GOES_ON, STEPS_GO_ON, or why
 * the walk is over. Global: verified once.
 */
__noinline int take_some_steps(struct walk *walk)
{
	struct step_table *table;
	struct stepper at;
	__u64 exact, hash;
	__u32 first, number;
	int stop = UNWIND_GOES_ON, i;

	if (!walk)
		return UNWIND_GOES_ON;
	table = step_table_of(walk);
	if (!table)
		return UNWIND_GOES_ON;
	if (!walk->piece_bytes && !walk->pages.root)
		copy_first(walk);
	at = (struct stepper){.pc = walk->pc, .sp = walk->sp, .fp = walk->fp};
	exact = walk->is_exact ? UNWIND_FRAME_EXACT : 0;
	first = walk->depth;
	hash = walk->hash;
	for (i = 0; i < STEPS_AT_ONCE; i++) {
		__u64 key = step_key(walk->steps_of, at.pc, exact), frame, rule;
		const volatile struct step *step = &table->steps[(key >> 32) & (STEP_COUNT - 1)];

		frame = step->frame;
		rule = step->rule;
		if ((step->check ^ frame ^ rule) != key || first + i >= UNWIND_MAX_FRAMES)
			break;
		if ((__u8)rule == UNWIND_CFA_STOP)
			stop = UNWIND_STOP_DONE;
		else if (!step_up(walk, &at, rule))
			break;
		frame |= exact;
		walk->has_raw |= frame >> 63;
		number = first + i;
		opaque(number);
		walk->frames[number & (UNWIND_MAX_FRAMES - 1)] = frame;
		hash = mix(hash, frame);
		exact = 0;
		if (!at.pc)
			stop = UNWIND_STOP_ZEROPC;
		if (stop != UNWIND_GOES_ON) {
			i++;
			break;
		}
	}
	if (!i)
		return UNWIND_GOES_ON;
	if (i == STEPS_AT_ONCE && stop == UNWIND_GOES_ON)
		stop = STEPS_GO_ON;
	walk->pc = at.pc;
	walk->sp = at.sp;
	walk->fp = at.fp;
	walk->depth = first + i;
	walk->hash = hash;
	walk->is_exact = 0;
	walk->has_bx = 0;
	return stop;
}

/* Takes all steps that are known; UNWIND_GOES_ON, or why the walk is over. */
static __always_inline int take_steps(struct walk *walk)
{
	int stop = STEPS_GO_ON;

	for (int i = 0; i < STEP_CALLS && stop == STEPS_GO_ON; i++)
		stop = take_some_steps(walk);
	return stop == STEPS_GO_ON ? UNWIND_GOES_ON : stop;
}

#endif
