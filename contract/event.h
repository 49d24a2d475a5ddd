/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What both sides agree on about events: how each is read, rows of what is counted beside thread
 * time, blocks of memory that are allocated, and the claims by which a program that can be
 * interrupted or preempted keeps its scratch and its table.
 */
#ifndef DWELL_CONTRACT_EVENT_H
#define DWELL_CONTRACT_EVENT_H

#ifndef __VMLINUX_H__
#include <linux/types.h>
#endif

/* Events that one CPU can be in the middle of with their stacks: in a thread, in those that
 * preempted it, in an interrupt, in an NMI. */
#define CONTRACT_EVENT_SLOTS 8
/* The cookie of an event's link is the number of its rule. A power of two: several places of one
 * probe may each say differently where its arguments are. */
#define CONTRACT_EVENT_RULES 64
/* So many rules may be of one tracepoint, to which a program can be attached once. */
#define CONTRACT_EVENT_SHARERS 16
/* An event whose number is larger counts with none: it is an address, most likely. */
#define CONTRACT_EVENT_MOST (1ULL << 46)

/* Where a number of an event is. */
enum event_source {
	NUMBER_NONE,
	NUMBER_OF_CONTEXT, /* in what the program is given, at `offset`: a tracepoint's field, a
			      register */
	NUMBER_OF_MEMORY,  /* in user memory: where that register and `plus` say */
	NUMBER_CONSTANT,   /* `plus` */
};

struct event_number {
	__u8 source; /* enum event_source */
	__u8 bytes;  /* 1, 2, 4 or 8 */
	__u8 is_signed;
	__u8 pad;
	__u32 offset;
	__s64 plus;
};

enum event_condition {
	CONDITION_NONE,
	CONDITION_EQUAL,
	CONDITION_UNEQUAL,
	CONDITION_LESS,
	CONDITION_MOST,
	CONDITION_MORE,
	CONDITION_LEAST,
	CONDITION_BITS, /* any of these bits */
};

/* What one link's events count as. */
struct event_rule {
	__u32 measure;
	__u8 condition;       /* enum event_condition, of `tested` and `limit` */
	__u8 is_in_user_code; /* there is no kernel stack */
	__u8 has_own_period;  /* each says how many it stands for */
	__u8 has_thing;       /* it is about an address: in which file? */
	__u32 one_of;         /* one of so many is looked at, by chance; 0 and 1: each */
	__u32 next;           /* rule of the same place, counted from 1; 0: there is no other */
	__u32 is_clock;       /* its period is time, and it is one event */
	__u64 events;         /* that one which is looked at stands for */
	__u64 each;           /* its value counts so many times */
	struct event_number value; /* NUMBER_NONE: 1 */
	struct event_number tested;
	__s64 limit;
};

/* Events of one thread in one slice with the same stacks. */
struct event_key {
	__u64 kernel_stack; /* stack id */
	__u64 user_stack;   /* stack id */
	__u64 thing;        /* what it was on: record_awaited.id; 0: not told */
	__u32 thread;       /* serial */
	__u32 slice;
	__u32 measure; /* number of the recording's measure */
	__u32 pad;
};

struct event_sum {
	__u64 count; /* that were looked at */
	__u64 value;
	__u64 max_value;
	__u64 events; /* that these stand for */
};

/* A block of memory that is allocated, and stands for others that are like it. */
struct allocation_key {
	__u32 image;
	__u32 pad;
	__u64 address;
};

struct allocation {
	__u64 user_stack; /* that allocated it */
	__u64 bytes;      /* of all that it stands for */
	__u64 events;     /* how many that are */
	__u32 thread;
	__u32 slice;
};

/* How a function says what it allocates: the cookie of its probe. */
enum allocation_call {
	ALLOCATION_SIZE,        /* malloc(size), operator new(size) */
	ALLOCATION_PRODUCT,     /* calloc(count, size) */
	ALLOCATION_AGAIN,       /* realloc(old, size) */
	ALLOCATION_AGAIN_ARRAY, /* reallocarray(old, count, size) */
	ALLOCATION_THROUGH,     /* posix_memalign(&block, alignment, size) */
	ALLOCATION_ALIGNED,     /* aligned_alloc(alignment, size), memalign() */
};

/* System calls that change an address space: the cookie of their tracepoints. */
enum memory_call { MEMORY_BRK, MEMORY_MMAP, MEMORY_MUNMAP, MEMORY_MREMAP };

/* The claims of one CPU. */
struct event_claims {
	__u32 by_slot[CONTRACT_EVENT_SLOTS]; /* 0: free; else 1 + the table that is written */
	__u32 bare_writers[2];               /* by table: events that found no slot */
	__u64 bare;                          /* so many were written without stacks */
	__u64 refused;                       /* so many not even so */
};

#endif
