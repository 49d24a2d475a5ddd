/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What both sides agree on about events: rows of what is counted beside thread time, and the claims
 * by which a program that can be interrupted or preempted keeps its scratch and its table.
 */
#ifndef DWELL_CONTRACT_EVENT_H
#define DWELL_CONTRACT_EVENT_H

#ifndef __VMLINUX_H__
#include <linux/types.h>
#endif

/* Events that one CPU can be in the middle of with their stacks: in a thread, in those that
 * preempted it, in an interrupt, in an NMI. */
#define CONTRACT_EVENT_SLOTS 8

/* The cookie of an event's link: the number of its measure, at most 255, and what one counts. */
#define CONTRACT_EVENT_COOKIE(measure, value) ((__u64)(value) << 8 | (measure))
#define CONTRACT_EVENT_MEASURE(cookie) ((__u32)(cookie)&0xff)
#define CONTRACT_EVENT_VALUE(cookie) ((cookie) >> 8)

/* Events of one thread in one slice with the same stacks. */
struct event_key {
	__u64 kernel_stack; /* stack id */
	__u64 user_stack;   /* stack id */
	__u32 thread;       /* serial */
	__u32 slice;
	__u32 measure; /* number of the recording's measure */
	__u32 pad;
};

struct event_sum {
	__u64 count;
	__u64 value;
	__u64 max_value;
};

/* The claims of one CPU. */
struct event_claims {
	__u32 by_slot[CONTRACT_EVENT_SLOTS]; /* 0: free; else 1 + the table that is written */
	__u32 bare_writers[2];               /* by table: events that found no slot */
	__u64 bare;                          /* so many were written without stacks */
	__u64 refused;                       /* so many not even so */
};

#endif
