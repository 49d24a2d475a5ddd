/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What both sides agree on about calls: runs of watched functions, system calls and pairs of marks,
 * with their wall time taken apart into the states of their thread; and what slow ones waited in.
 */
#ifndef DWELL_CONTRACT_CALL_H
#define DWELL_CONTRACT_CALL_H

#ifndef __VMLINUX_H__
#include <linux/types.h>
#endif

#include "contract/chain.h"

/* Functions that are watched at once; a power of two. */
#define CONTRACT_CALL_FUNCTIONS 1024
/* Calls of one thread that are timed at once, one within the other. */
#define CONTRACT_CALL_DEPTH 8
/* Of a call's length: 4 bands for each power of two of ns. */
#define CONTRACT_CALL_BANDS 256
/* States of a thread, as in enum time_state, which this header does not have. */
#define CONTRACT_CALL_PARTS 4
/* What a thread keeps of its calls and their waits while it is in one. */
#define CONTRACT_CALL_BOOKS_BYTES 9856
/* Above every system call's number; a power of two. */
#define CONTRACT_SYSTEM_CALLS 512

/*
 * The cookie of a call's probe: the function's number in the low 16 bits; then, in 8, the condition
 * of its argument, an event_rule counted from 1; then how its beginning and end are matched.
 */
#define CONTRACT_CALL_COOKIE(function, rule) ((__u64)(function) | (__u64)(rule) << 16)
#define CONTRACT_CALL_CONDITION(condition) ((__u64)(condition) << 32) /* contract/jump.h */
#define CALL_HAS_NO_PLACE (1ULL << 24) /* not by where its return address is */
#define CALL_IS_RETURN (1ULL << 25)    /* of an instruction: it returns nearly surely */
#define CALL_BY_RETURNS (1ULL << 26)   /* its return address stays where it is */
#define CALL_IS_OTHERS (1ULL << 27)    /* of an instruction of a function that it may jump to */
#define CALL_IS_JUMP (1ULL << 29)      /* of an instruction that is no return */
#define CALL_JUMPS_ON (1ULL << 28)     /* of a beginning: its end has such places */

/* The band of a length, and where bands begin. */
static inline __u32 call_band_of(__u64 ns)
{
	__u32 exponent = 0;
	__u64 rest = ns;

	if (ns < 4)
		return (__u32)ns;
	for (__u32 bits = 32; bits; bits >>= 1)
		if (rest >> bits) {
			rest >>= bits;
			exponent += bits;
		}
	return 4 * exponent + (__u32)(ns >> (exponent - 2) & 3);
}

static inline __u64 call_band_begin(__u32 band)
{
	/* 4 to 7 are no band's: lengths of 4 ns and more begin with 8. */
	if (band < 8)
		return band < 4 ? band : 4;
	return (4ULL + (band & 3)) << (band / 4 - 2);
}

enum call_flags {
	CALL_IS_ERROR = 1, /* it returned one: system calls only */
	CALL_IS_SLOW = 2,  /* its waits are told */
	CALL_IS_INNER = 4, /* of a function that the thread was in already: its time is in the
			      outermost one's, too */
};

/* Calls of one thread that ended in one slice. */
struct call_key {
	__u32 thread;   /* serial; 0: of many, the table was nearly full */
	__u32 slice;    /* in which they ended */
	__u16 function; /* number, from 0 on */
	__u8 band;
	__u8 flags; /* enum call_flags */
	__u32 pad;
};

struct call_sum {
	__u64 count;
	__u64 wall_ns; /* the sum of the parts */
	__u64 part_ns[CONTRACT_CALL_PARTS];
	__u64 max_ns; /* wall time of the longest */
};

/*
 * What slow calls of one thread that ended in one slice waited in or ran in: as struct sum_key and
 * struct wait_sum, but all of it is in the slice of the calls' end.
 */
struct slow_key {
	__u64 kernel_stack;
	__u64 user_stack;
	__u64 chain;
	__u64 awaited;
	__u32 thread;
	__u32 slice;
	__u16 function;
	__u8 state;
	__u8 task_letter;
	__u8 band;
	__u8 is_part;
	__u16 pad;
};

struct slow_sum {
	__u64 count;
	__u64 ns;
	__u64 max_ns;
	__u32 owner;
	__u32 pad;
	struct share shares[CONTRACT_MAX_HOPS + 1]; /* --depth + 1 are there */
};

/* Calls of a function that are in no row. */
struct call_counts {
	__u64 begun_before; /* they ended, and had begun before the window */
	__u64 left;         /* by longjmp() or an exception */
	__u64 died_inside;  /* with their thread, or by exec */
	__u64 too_deep;     /* within more than CONTRACT_CALL_DEPTH */
	__u64 unmatched;    /* they ended in a thread that had not begun them */
	__u64 in_interrupt;
	__u64 jumped_on; /* in rows: they ended by a jump to where nobody looks */
	__u64 no_room;   /* the table was full, or no storage */
	__u64 mismatch;
};

/* What an iterator tells of calls that have not ended. */
struct call_open {
	__u32 thread;
	__u32 function;
	__u64 begun_ns;                     /* 0: before the window */
	__u64 part_ns[CONTRACT_CALL_PARTS]; /* up to the interval that is open */
	__u64 since_ns;                     /* which began here */
	/* Where its return address lies, 0: not told; and what is there while it has not ended. */
	__u64 place;
	__u64 returns_to;
	__u8 is_inner;
	__u8 is_gone;   /* its frame is: it was left */
	__u8 is_asleep; /* its thread has not run since its open interval began */
	__u8 pad;
	__u32 first_wait; /* number of the first that it can have */
	__u64 switches;   /* that its thread had made, if it is asleep */
};

/* One wait of a thread that is in such calls; its function is not told. */
struct call_entry {
	__u64 until;
	__u32 number;
	__u32 pad;
	struct slow_key key;
	struct slow_sum sum;
};

#endif
