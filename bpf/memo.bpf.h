/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A stack that need not be walked because it is the last one. What a walk finds follows from the
 * registers that it begins with, from the tables, and from the words that it goes by: return
 * addresses, and frame pointers where one was used. If all of these are what they were, so is the
 * stack. A walk notes where its words are and their hash; the next one loads them all, none of
 * which has to wait for another. A part of unwind.bpf.h.
 */
#ifndef DWELL_MEMO_BPF_H
#define DWELL_MEMO_BPF_H

#include "pages.bpf.h"

/* walk.fp_from: where the frame pointer was read, unless it is one of these. */
#define FP_IN_REGISTER 0
#define FP_NOTED 1

static __always_inline void memo_begin(struct walk *walk)
{
	struct memo *noted = &walk->noted;

	noted->sum = 0;
	noted->count = 0;
	noted->uses_fp = 0;
	walk->noted_cut = 0;
	walk->fp_from = FP_IN_REGISTER;
}

/*
 * The walk goes by that word, if `mask` is all ones and not 0. No branch: the verifier would follow
 * both ways at each step.
 */
static __always_inline void memo_note(struct walk *walk, __u64 at, __u64 word, __u64 mask)
{
	struct memo *noted = &walk->noted;
	__u64 bytes = at - walk->first_sp, place = bytes / sizeof(__u64);
	__u64 count = noted->count, sum = noted->sum;

	walk->noted_cut |= (place >> 16 | count / MEMO_WORDS | bytes % sizeof(__u64)) & mask;
	noted->words[count & (MEMO_WORDS - 1)] = place;
	noted->count = count + (mask & 1);
	noted->sum = sum ^ ((mix(sum, word) ^ sum) & mask);
}

/* The walk goes by the frame pointer. */
static __always_inline void memo_note_fp(struct walk *walk, __u64 fp, __u64 mask)
{
	__u64 from = walk->fp_from, is_register, is_read;

	is_register = (__u64)((__s64)(from - FP_NOTED) >> 63);
	opaque(is_register);
	is_read = ~(__u64)((__s64)(from - FP_NOTED - 1) >> 63);
	opaque(is_read);
	walk->noted.uses_fp |= is_register & mask & 1;
	memo_note(walk, from, fp, is_read & mask);
	walk->fp_from = from ^ ((from ^ FP_NOTED) & mask);
}

/* Are all words that the memo's walk went by what they were? */
__noinline int memo_holds(struct walk *walk, const struct memo *memo)
{
	__u64 sum = 0, at, from = ~0ULL, to = 0;
	__u32 count;

	if (!walk || !memo)
		return 0;
	count = memo->count;
	for (__u32 i = 0; i < MEMO_WORDS; i++) {
		if (i >= count)
			break;
		at = walk->first_sp + memo->words[i] * sizeof(__u64);
		if (at - from >= PAGE_BYTES) {
			if (find_page(&walk->pages, at))
				return 0;
			from = walk->pages.at;
			to = walk->pages.to;
		}
		sum = mix(sum, load_word(to + (at - from)));
	}
	check_page(&walk->pages);
	return sum == memo->sum && !walk->pages.has_moved;
}

/* Is the stack that the walk would find the memo's? Before its first step. */
static __always_inline bool memo_is_of(struct walk *walk, const struct memo *memo)
{
	return memo->pc == walk->pc && memo->sp == walk->sp && memo->steps_of == walk->steps_of &&
	       memo->image == walk->image && (!memo->uses_fp || memo->fp == walk->fp) &&
	       memo_holds(walk, memo);
}

/* Can the walk that is over be had again by what was noted? Only steps that are kept note words. */
static __always_inline bool memo_is_whole(const struct walk *walk)
{
	return walk->pages.root && walk->steps_of && !walk->steps_missed &&
	       !walk->pages.has_moved && !walk->noted_cut;
}

/* Keeps the walk that is over, and has begun with these registers. */
static __always_inline void memo_keep(
	struct memo *memo, struct walk *walk, __u64 pc, __u64 fp, __u64 id)
{
	struct memo *noted = &walk->noted;

	noted->pc = pc;
	noted->sp = walk->first_sp;
	noted->fp = fp;
	noted->steps_of = walk->steps_of;
	noted->id = id;
	noted->image = walk->image;
	noted->stop = walk->stop;
	*memo = *noted;
}

#endif
