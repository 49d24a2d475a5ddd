/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A stack on its way: the head of the record that user space gets, room for its frames, and what a
 * walk by table keeps from one frame to the next. The kernel side and the host build of the walk
 * share it.
 */
#ifndef DWELL_CONTRACT_WALK_H
#define DWELL_CONTRACT_WALK_H

#include "contract/contract.h"
#include "contract/unwind.h"

/* A power of two. One read of so much costs little more than one of a word. */
#define WALK_COPY_WORDS 128

/* A page of a user stack, and the page tables that it was found by (bpf/pages.bpf.h). */
struct pages {
	__u64 root;     /* the first of them; 0: none is looked for */
	__u64 at;       /* the user's address of the page */
	__u64 to;       /* where the kernel has it; 0: none is at hand */
	__u64 entry_at; /* what says so */
	__u64 entry;
	__u64 region; /* the addresses that `table` is for */
	__u64 table;  /* the last of them; 0: none yet */
	__u64 has_moved;
};

/* A power of two. */
#define MEMO_WORDS 32

/* What a thread's last stack was taken for. */
enum memo_kind { MEMO_NONE, MEMO_OF_SWITCH, MEMO_OF_WAKE, MEMO_KINDS };

/* A stack, and all that a walk depends on that would find it (bpf/memo.bpf.h). */
struct memo {
	__u64 pc; /* 0: empty */
	__u64 sp;
	__u64 fp;
	__u64 steps_of;
	__u64 sum; /* of the words that the walk goes by */
	__u64 id;
	__u32 image;
	__u8 count;
	__u8 stop;
	__u8 uses_fp; /* the walk goes by the first frame pointer, too */
	__u8 pad;
	__u16 words[MEMO_WORDS]; /* their places, counted from sp */
};

struct walk {
	/* As struct record_stack. */
	__u32 kind;
	__u32 image;
	__u32 depth;
	__u32 skip;
	__u32 has_callee;
	__u8 stop;
	__u8 is_packed;
	__u8 pad[2];
	__u64 id;
	__u64 frames[UNWIND_MAX_FRAMES + 1];

	/* The registers of the frame that is looked at. */
	__u64 pc;
	__u64 sp;
	__u64 fp;
	__u64 first_argument; /* rdi, in the first frame */
	__u64 bx;
	/* The mapping that the last frame was in, as vma_start and length, so that one look
	 * suffices. */
	__u64 vma_start;
	__u64 vma_bytes;
	__u64 vma_bias;
	__u32 vma_page0;
	__u32 vma_object_kind;
	/* The process's mappings. */
	__u32 vma_base;
	__u32 vma_count;
	__u64 hash;
	__u64 first_sp;
	__u64 missing;    /* the address that ended the walk: not mapped, or not readable */
	__u8 is_exact;    /* pc is no return address: the first frame, or one that a signal hit */
	__u8 has_raw;     /* some frame is a plain address: means something in this image only */
	__u8 has_bx;      /* bx is this frame's: it is followed in few files only */
	__u8 is_doubtful; /* some frame's caller may have been missed */
	__u8 is_of_event; /* in the walks of event slots, whose owner may be preempted amid it */
	__u8 is_by_rule; /* a kernel stack: hash and kinds are there, the tracer's frames are not */
	__u8 memo_kind;  /* enum memo_kind; 0: interrupts may be on, there is none */
	__u8 is_recalled;  /* by a memo: the frames are not there */
	__u32 kinds;       /* of a kernel stack's frames, enum frame_kind */
	__u32 whole_depth; /* of a kernel stack, before it is cut at an interrupt */
	__u64 foreseen;    /* what the rules said of a stack that is audited; 0: none */
	__u64 place[2];    /* addresses, where the verifier takes them for numbers */
	/* What is taken from steps that were made before (bpf/steps.bpf.h). */
	__u64 steps_of;     /* whose tables, at which time; 0: none is taken, none is kept */
	__u32 steps_missed; /* those that had to be looked up */
	__u32 pad4;
	/* A piece of the stack: a page, or a copy that was read in one go. */
	__u64 piece_at;
	__u64 piece_to;
	__u32 piece_bytes;
	__u32 copy_wanted; /* bytes to read first */
	struct pages pages;
	struct memo noted; /* what the walk went by so far */
	__u64 noted_cut;   /* not 0: there were more words, or some are too far away */
	__u64 fp_from;     /* where the frame pointer was read, or FP_* */
	__u64 copy[WALK_COPY_WORDS];
};

#endif
