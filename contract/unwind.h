/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * How user stacks are walked by table: the rule that leads from one frame to its caller, the rows
 * that say which rule holds from which address on, the page words that make rows quick to find, and
 * why a walk ended. Both sides compile this file. User space writes rows, page words and rules into
 * arrays that the kernel side reads; it has checked every number before.
 */
#ifndef DWELL_CONTRACT_UNWIND_H
#define DWELL_CONTRACT_UNWIND_H

#ifndef __VMLINUX_H__
#include <linux/types.h>
#endif

/*
 * How the CFA (the caller's stack pointer at the call) is found. The return address is the word
 * below it, unless said otherwise. Numbers are part of the cache's format.
 */
enum unwind_cfa {
	UNWIND_CFA_GAP = 0,  /* nobody describes this code; all zero is this rule */
	UNWIND_CFA_SP,       /* SP + offset */
	UNWIND_CFA_FP,       /* FP + offset */
	UNWIND_CFA_SP_DEREF, /* *(SP + low) + high: the two halves of the offset, signed */
	UNWIND_CFA_FP_DEREF, /* *(FP + low) + high */
	UNWIND_CFA_PLT,    /* SP + 8, and 8 more if (pc & 15) >= offset: a PLT's entry has pushed */
	UNWIND_CFA_SIGNAL, /* a signal frame: all registers are in the sigcontext; see below */
	UNWIND_CFA_STOP,   /* the thread's first function: there is no caller */
	UNWIND_CFA_FRAMEPTR, /* a large hole without description: step by frame pointer */
	UNWIND_CFA_RA_REG, /* SP + offset; the return address is in rdi, so only in the first frame
			    */
	UNWIND_CFA_BAD,    /* described in a way that we do not follow */
	/*
	 * rbx + low half of the offset: the dynamic linker's frame while it looks for a function
	 * that is called the first time. rbx is followed in files that have such a rule only: there
	 * SP_BX is in place of SP. The caller's is at CFA + high half; 0: unchanged.
	 */
	UNWIND_CFA_BX,
	UNWIND_CFA_SP_BX, /* SP + low half, and rbx as above */
	/*
	 * What it calls runs on another stack. With the offset UNWIND_SWITCH_FOR_EVER it is never
	 * returned to, so there is no caller.
	 */
	UNWIND_CFA_SWITCH,
	UNWIND_CFA_KINDS,
};

#define UNWIND_SWITCH_FOR_EVER 1

/* Where the caller's frame pointer is. */
enum unwind_fp {
	UNWIND_FP_SAME = 0, /* unchanged */
	UNWIND_FP_AT_CFA,   /* *(CFA + fp_offset) */
	UNWIND_FP_AT_FP,    /* *(FP + fp_offset) */
	UNWIND_FP_LOST,     /* not to be had: 0 from here on, so that a rule that needs it fails */
	UNWIND_FP_KINDS,
};

struct unwind_rule {
	__u8 cfa_kind;   /* enum unwind_cfa */
	__u8 fp_kind;    /* enum unwind_fp */
	__s16 fp_offset; /* 0 where the kind needs none, so that equal rules are equal bytes */
	__s32 cfa_offset;
};

/* x86-64: where SP is inside the handler's return code, the kernel's ucontext begins. */
#define UNWIND_SIGNAL_FP 120
#define UNWIND_SIGNAL_SP 160
#define UNWIND_SIGNAL_PC 168

/* The two halves of the offset of DEREF and BX rules. */
#define UNWIND_DEREF_LOW(offset) ((__s16)((__u32)(offset)&0xffff))
#define UNWIND_DEREF_HIGH(offset) ((__s16)((__u32)(offset) >> 16))
#define UNWIND_DEREF_OFFSET(low, high) ((__s32)((__u32)(__u16)(low) | (__u32)(__u16)(high) << 16))

/*
 * A row: from this address on, until the next row, this rule. The upper half is the address in its
 * 4 KiB page, the lower half the number of the rule. Rows of a page ascend strictly.
 */
#define UNWIND_PAGE_SHIFT 12
#define UNWIND_PAGE_BYTES (1U << UNWIND_PAGE_SHIFT)
#define UNWIND_ROW(address, rule) (((__u32)(address) & (UNWIND_PAGE_BYTES - 1)) << 16 | (rule))
#define UNWIND_ROW_ADDRESS(row) ((__u32)(row) >> 16)
#define UNWIND_ROW_RULE(row) ((__u32)(row)&0xffff)

/*
 * Page words: for each 4 KiB page of an object's text, from its first executable page to its last,
 * the number of the page's first row, counted from the object's first row; one word more holds the
 * number of all rows, so a page's rows are [word, next word). Before the first row of a page the
 * last row of the pages before holds: row 0, a GAP that belongs to no page, makes that always
 * legal. So the first word is 1.
 */

/* Limits. A page has 4096 rows at most: 13 steps find one. */
#define UNWIND_ROW_STEPS 13
#define UNWIND_MAX_RULES 65536        /* of all objects */
#define UNWIND_MAX_OBJECT_RULES 8192  /* of one; about 4,700 were seen in 3,197 objects together */
#define UNWIND_MAX_ROWS (8U << 20)    /* of one object; 1.2 million were seen */
#define UNWIND_MAX_PAGES (256U << 10) /* of one object: 1 GiB of text */
#define UNWIND_MAX_FRAMES 512

/* Why a walk ended. */
enum unwind_stop {
	UNWIND_STOP_DONE = 0, /* reached the thread's first function */
	UNWIND_STOP_NOPROC,   /* the process is not known yet */
	UNWIND_STOP_NOVMA,    /* the pc is in no known mapping */
	UNWIND_STOP_ANON,     /* code without a file, and the frame pointer led nowhere */
	UNWIND_STOP_NOTABLE,  /* the file has no call frame information that we can use */
	UNWIND_STOP_GAP,      /* nobody describes the code */
	UNWIND_STOP_BADRULE,  /* described in a way that we do not follow */
	UNWIND_STOP_READ_RA,  /* the page of the return address is not there */
	UNWIND_STOP_READ_FP,  /* the page of the saved frame pointer is not there */
	UNWIND_STOP_READ_CFA, /* the page of a word that the CFA is made from is not there */
	UNWIND_STOP_SPBACK,   /* the stack did not shrink towards its root */
	UNWIND_STOP_MAXF,     /* frame limit */
	UNWIND_STOP_ZEROPC,   /* return address 0: the root of some runtimes; complete */
	UNWIND_STOP_KTHREAD,  /* not tried: no user side */
	UNWIND_STOP_EXITING,  /* not tried: its memory is gone already */
	UNWIND_STOP_COMPAT,   /* not tried: 32-bit */
	UNWIND_STOP_PENDING,  /* the file's table is being read */
	UNWIND_STOP_NOROOM,   /* the file has a table, and there is no room for it */
	UNWIND_STOP_NOOPEN,   /* the file could not be opened */
	UNWIND_STOP_DOUBT,    /* reached a root, but may have missed frames on the way */
	UNWIND_STOP_SWITCH,   /* goes on on another stack, which is not followed */
	UNWIND_STOP_PROBE,    /* in a probe's code, and what it took is not to be found */
	UNWIND_STOPS,
};

/* One executable mapping of a process; those of a process lie together, sorted by start. */
struct unwind_vma {
	__u64 start;
	__u64 end;
	__u64 bias;  /* pc - bias is the address in the object */
	__u32 page0; /* its page words: of the page with address 0, counted in the array of all
			words, so it may be below zero (wraps) */
	__u32 object_kind; /* object << 8 | enum unwind_vma_kind */
};

enum unwind_vma_kind {
	UNWIND_VMA_TABLE = 0, /* has rows */
	UNWIND_VMA_ANON,      /* no file: step by frame pointer, addresses stay plain */
	UNWIND_VMA_UNUSABLE,  /* known, and nothing to be done: NOTABLE */
	UNWIND_VMA_FRAMEPTR,  /* a file without any description: step by frame pointer */
	UNWIND_VMA_PENDING,   /* being read: PENDING, and addresses stay plain */
	UNWIND_VMA_CLOSED,    /* could not be read: NOTABLE, and addresses stay plain */
	UNWIND_VMA_EVICTED,   /* had a table that made room for others: NOROOM, and is asked for */
	UNWIND_VMA_NOROOM,    /* never had room: NOROOM, and addresses stay plain */
	UNWIND_VMA_UNOPENED,  /* could not be opened: NOOPEN, and addresses stay plain */
	UNWIND_VMA_PROBE,     /* the kernel's own code for uprobes: never a frame */
	/*
	 * As ANON, of a Java virtual machine. Where the byte at `bias` (0: not known) is not 1 its
	 * code keeps no frame pointers, and stepping by them may miss callers: DOUBT.
	 */
	UNWIND_VMA_JAVA,
	UNWIND_VMA_PYTHON, /* as ANON, of a process with CPython: see UNWIND_PYTHON_CALL */
};

/*
 * What `python3 -X perf` generates for each function: sub $8,%rsp; call *%rcx; add $8,%rsp; ret
 * (CPython, Python/asm_trampoline.S), here without the ret. It keeps no frame pointer. In builds
 * for CET an endbr64 is in front of it.
 */
#define UNWIND_PYTHON_CALL 0x8348d1ff08ec8348ULL
#define UNWIND_PYTHON_CALL_END 0x08c4
#define UNWIND_PYTHON_CALL_BYTES 10
/* Where the call returns to, from its beginning. */
#define UNWIND_PYTHON_CALLED 6

/* A process's mappings are found in 14 steps; it may have more, but then those are not known. */
#define UNWIND_VMA_STEPS 14
#define UNWIND_MAX_VMAS ((1U << UNWIND_VMA_STEPS) - 1)

/*
 * Steps of user stacks that were made before: what the tables say of a pc, found by one look. Of
 * rules only the usual ones are kept. Any CPU writes and reads any step without a lock, so a step
 * carries a check over all of it: half of one and half of another is no step.
 */
#define STEP_COUNT 16384 /* a power of two */
#define STEP_SLOTS 4096  /* generations of maps, by the number of the first mapping; likewise */

struct step {
	__u64 check; /* the key ^ frame ^ rule */
	__u64 frame; /* as in a walk */
	__u64 rule;  /* struct unwind_rule, as one word */
};

struct step_table {
	struct step steps[STEP_COUNT];
};

/*
 * The mappings of an image, by its serial: a fork takes its parent's over, an exec begins a new
 * image that has none yet.
 */
struct unwind_process {
	__u32 vma_base; /* in the array of all mappings */
	__u32 vma_count;
};

/*
 * A frame: the object's number and the pc as its own address, so that stacks of all processes that
 * run it are one; where the object is not known the plain pc.
 */
#define UNWIND_FRAME_RAW (1ULL << 63)
#define UNWIND_FRAME_EXACT (1ULL << 62) /* no return address: its name is looked up as it is */
#define UNWIND_ADDRESS_BITS 40
#define UNWIND_MAX_ADDRESS ((1ULL << UNWIND_ADDRESS_BITS) - 1)
#define UNWIND_MAX_OBJECT ((1U << 22) - 1)
#define UNWIND_FRAME(object, address)                                                              \
	((__u64)(object) << UNWIND_ADDRESS_BITS | ((address)&UNWIND_MAX_ADDRESS))
#define UNWIND_FRAME_OBJECT(frame) ((__u32)((frame) >> UNWIND_ADDRESS_BITS) & UNWIND_MAX_OBJECT)
#define UNWIND_FRAME_ADDRESS(frame) ((frame)&UNWIND_MAX_ADDRESS)
#define UNWIND_FRAME_PC(frame) ((frame) & ~(UNWIND_FRAME_RAW | UNWIND_FRAME_EXACT))

/*
 * Rows, page words and mappings are in chunks, each a map of its own, so that they grow as tables
 * come. Powers of two.
 */
#define UNWIND_CHUNK_WORDS (32U << 10)
#define UNWIND_CHUNK_BYTES (UNWIND_CHUNK_WORDS * sizeof(__u32))
#define UNWIND_CHUNK_VMAS (UNWIND_CHUNK_BYTES / sizeof(struct unwind_vma))

/*
 * A uretprobe, of whatever tool, puts the address of its own code in place of a return address. The
 * kernel keeps the true one, with its place on the stack.
 */
struct unwind_taken {
	__u64 slot;
	__u64 address;
};

/* The kernel's limit on those of one thread (MAX_URETPROBE_DEPTH). */
#define UNWIND_MAX_TAKEN 64
/* The probe's code pushes three registers before its system call. */
#define UNWIND_PROBE_PUSHES 24

/* What the kernel side asks user space for: the mappings of an image. */
struct unwind_want {
	__u32 image;
	__u32 pid;    /* as dwell sees it */
	__u32 is_new; /* it has just begun with an exec: nothing can be there yet */
	__u32 pad;
	__u64 pc; /* that was in no known mapping; 0: no mapping is known */
};

/* An image may ask this often. */
#define UNWIND_WANT_EVERY_NS 5000000ULL
#define UNWIND_WANT_SLOTS 4096

#endif
