/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The quick half of the walk by table. A step depends on the pc and on the tables alone, so that
 * what was found for a pc is kept, and words are taken from pieces of the stack that are read in
 * one go. Whatever is unusual is left to unwind_step(), which keeps the steps that can be taken
 * here. A part of unwind.bpf.h; who includes that has step_table_of(), NULL if no steps are kept.
 */
#ifndef DWELL_STEPS_BPF_H
#define DWELL_STEPS_BPF_H

/* Steps that one call takes; a walk goes on with the next call. */
#define STEPS_AT_ONCE 64

static __always_inline __u64 step_key(const struct walk *walk, __u64 pc)
{
	/* User addresses leave the highest bit free. */
	return mix(walk->steps_of, pc | (__u64)walk->is_exact << 63);
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
	key = step_key(walk, pc);
	word = (__u64)rule->cfa_kind | (__u64)rule->fp_kind << 8 |
	       (__u64)(__u16)rule->fp_offset << 16 | (__u64)(__u32)rule->cfa_offset << 32;
	step = &table->steps[(key >> 32) & (STEP_COUNT - 1)];
	step->check = key ^ frame ^ word;
	step->frame = frame;
	step->rule = word;
}

/* Makes the piece of the stack that is at hand hold 16 bytes at `at`; 0 if it does. */
__noinline int copy_stack(struct walk *walk, __u64 at)
{
	if (!walk)
		return 1;
	walk->copy_at = at;
	walk->copy_bytes = sizeof(walk->copy);
	if (!read_user(walk, walk->copy, sizeof(walk->copy), at))
		return 0;
	/* Near the stack's end. */
	walk->copy_bytes = 128;
	if (!read_user(walk, walk->copy, 128, at))
		return 0;
	walk->copy_bytes = 0;
	return 1;
}

/* The word at an address of the stack, from the piece at hand. */
static __always_inline bool stack_word(struct walk *walk, __u64 at, __u64 *ret)
{
	__u64 offset = at - walk->copy_at;

	if (at & 7)
		return false;
	if (offset + sizeof(__u64) > walk->copy_bytes || offset >= walk->copy_bytes) {
		if (copy_stack(walk, at))
			return false;
		offset = 0;
	}
	*ret = walk->copy[(offset / sizeof(__u64)) & (WALK_COPY_WORDS - 1)];
	return true;
}

/*
 * Takes steps from the walk's pc on, as far as they are known; UNWIND_GOES_ON, or why the walk is
 * over. Global: verified once.
 */
__noinline int take_steps(struct walk *walk)
{
	struct step_table *table;

	if (!walk)
		return UNWIND_GOES_ON;
	table = step_table_of(walk);
	if (!table)
		return UNWIND_GOES_ON;
	for (int i = 0; i < STEPS_AT_ONCE; i++) {
		__u64 key = step_key(walk, walk->pc), frame, rule, cfa, fp, pc;
		const volatile struct step *step = &table->steps[(key >> 32) & (STEP_COUNT - 1)];
		__u32 depth = walk->depth;
		__u8 cfa_kind, fp_kind;

		frame = step->frame;
		rule = step->rule;
		if ((step->check ^ frame ^ rule) != key || depth >= UNWIND_MAX_FRAMES)
			return UNWIND_GOES_ON;
		cfa_kind = rule;
		fp_kind = rule >> 8;
		fp = walk->fp;
		if (cfa_kind == UNWIND_CFA_STOP) {
			add_frame(walk, frame);
			walk->steps_taken++;
			return UNWIND_STOP_DONE;
		}
		if (cfa_kind == UNWIND_CFA_FRAMEPTR) {
			if (fp < walk->sp)
				return UNWIND_GOES_ON;
			cfa = fp + 16;
			fp_kind = UNWIND_FP_AT_CFA;
			rule = (__u64)(__u16)-16 << 16;
		} else {
			cfa = (cfa_kind == UNWIND_CFA_FP ? fp : walk->sp) +
			      (__u64)((__s64)rule >> 32);
			if (cfa <= walk->sp)
				return UNWIND_GOES_ON;
		}
		if (fp_kind == UNWIND_FP_AT_CFA &&
			!stack_word(walk, cfa + (__u64)(__s64)(__s16)(rule >> 16), &fp))
			return UNWIND_GOES_ON;
		if (!stack_word(walk, cfa - sizeof(__u64), &pc))
			return UNWIND_GOES_ON;
		add_frame(walk, frame);
		walk->steps_taken++;
		walk->fp = fp;
		walk->sp = cfa;
		walk->pc = pc;
		walk->is_exact = 0;
		walk->has_bx = 0;
		if (!pc)
			return UNWIND_STOP_ZEROPC;
	}
	return UNWIND_GOES_ON;
}

#endif
