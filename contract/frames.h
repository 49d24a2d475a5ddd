/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Kernel stacks by learnt rules. A rule says of a return address where the next one lies. User
 * space learns the rules from lessons, which are stacks that the kernel itself has walked, and
 * writes them into a table; the kernel side walks by the table (bpf/frames.bpf.h).
 */
#ifndef DWELL_CONTRACT_FRAMES_H
#define DWELL_CONTRACT_FRAMES_H

#ifndef __VMLINUX_H__
#include <linux/types.h>
#endif

/* A power of two. */
#define FRAME_SETS 8192
#define FRAME_SET_BITS 13
#define FRAME_WAYS 2

struct frame_table {
	__u64 ways[FRAME_SETS][FRAME_WAYS];
};

/*
 * An entry is one word, so that nobody ever sees half of it. Its key: the low half of the address,
 * whose high half is all ones, and whether the address is where an exception hit, which is no
 * return address. 0: empty.
 */
#define FRAME_HIT_BY_EXCEPTION (1ULL << 32)
#define FRAME_KEY ((1ULL << 33) - 1)
/* The set that a key is in. */
#define FRAME_SET(key)                                                                             \
	(((__u32)(key) + (__u32)((key) >> 32)) * 0x9e3779b1U >> (32 - FRAME_SET_BITS))
#define FRAME_RULE_SHIFT 33
#define FRAME_RULE_MASK 7
#define FRAME_KINDS_SHIFT 36
#define FRAME_KINDS_MASK 0x1f
#define FRAME_SIZE_SHIFT 41
#define FRAME_SIZE_MASK 0xfff

/*
 * Where the next return address lies; `sp` is the stack pointer after the return to this one. The
 * bottom is the place of the outermost return address, below the registers with which the thread
 * came into the kernel.
 */
enum frame_rule {
	FRAME_NO_RULE,   /* the address is known, where it goes on is not */
	FRAME_FIXED,     /* `size` words above sp */
	FRAME_SAVED,     /* as said by a saved stack pointer: see FRAME_SAVED_* */
	FRAME_AT_BOTTOM, /* at the bottom: a frame of random size, the last but one */
	FRAME_EITHER,    /* `size` words above sp or one more, whichever is text: aligned frames */
	FRAME_EXCEPTION, /* registers lie at sp: their ip is next, and goes on at their sp */
};

/* FRAME_SAVED: it is in the `place`-th word above sp, and the address `offset` words from there. */
#define FRAME_SAVED_PLACES 64
#define FRAME_SAVED_OFFSETS 32
#define FRAME_SAVED_SIZE(place, offset) ((__u32)(place) | (__u32)((offset) + 32) << 6)
#define FRAME_SAVED_PLACE(size) ((size)&63)
#define FRAME_SAVED_OFFSET(size) ((__s64)((size) >> 6) - 32)

/* What a frame shows. */
enum frame_kind {
	FRAME_INTERRUPT = 1, /* entry of an interrupt */
	FRAME_SOFTIRQ = 2,
	FRAME_SIGNAL = 4,
	FRAME_WAKE = 8,
	FRAME_SCHEDULE = 16,
};

/* Functions that run softirqs: enough for those of kernels 6.1 to 6.18. */
#define TEXT_ACTIONS 16

/* Words of struct pt_regs, as they lie on the stack. */
#define FRAME_REGS_IP 16
#define FRAME_REGS_SP 19

/* Whose stack: each of these programs is called by another function. */
enum frame_asker {
	FRAME_OF_SWITCH,
	FRAME_OF_WAKE,
	FRAME_OF_FIRST_WAKE,
	FRAME_OF_WORK,
	FRAME_ASKERS,
};

/* Tracer frames before the scheduler's: 2 to 4 seen, one more for each BPF subprogram. */
#define FRAME_TRACER_MOST 12

/* Deeper stacks are the unwinder's: it may have to cut them. */
#define FRAMES_BY_RULE 64

/* Words of one piece of a stack in a lesson: a power of two. */
#define LESSON_WORDS 1024
#define LESSON_FRAMES 128
/* A stack is sent so often, until user space forgets what was sent. */
#define LESSONS_EACH 8
#define LESSON_SLOTS 4096

/*
 * A stack as the kernel walked it, and the words that it lies in: those from the program's context
 * on, or to the end of the interrupts' stack, and then those of the thread's own stack.
 */
struct lesson {
	__u32 asker;
	__u32 is_wrong; /* an audit has found that the rules lead elsewhere */
	__u32 depth;
	__u32 pad;
	__u64 from;   /* address of the first word */
	__u64 second; /* of the first word on the thread's own stack, if that is a second piece */
	__u32 word_count;
	__u32 second_count;
	__u64 frames[LESSON_FRAMES];
	__u64 words[2 * LESSON_WORDS];
};

#endif
