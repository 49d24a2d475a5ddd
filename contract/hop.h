/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The links of a wake chain as both sides number them. A chain is a list of hops, the direct waker
 * first; each hop says who woke the one before it. model/hop.h has the words.
 *
 * The numbers are part of the recording format: append only.
 */
#ifndef DWELL_CONTRACT_HOP_H
#define DWELL_CONTRACT_HOP_H

/* No chain is longer, whatever --depth says. */
#define CONTRACT_MAX_HOPS 16

enum hop_kind {
	HOP_TASK = 0,            /* a thread, in its own context */
	HOP_IRQ = 1,             /* a device's interrupt; metal, as the others marked so */
	HOP_SOFTIRQ = 2,         /* a softirq on the way out of an interrupt; metal */
	HOP_SOFTIRQ_IN_TASK = 3, /* a softirq inside a thread's system call: the thread is the
				    cause */
	HOP_TIMER = 4,           /* metal; the name is the timer's function */
	HOP_IPI = 5,             /* an interrupt from another CPU; metal */
	HOP_DISK = 6,     /* the completion of a block request; metal, named after the disk */
	HOP_FORK = 7,     /* the thread was woken for the first time, by its creator */
	HOP_SIGNAL = 8,   /* a thread sent a signal */
	HOP_WORK = 9,     /* a thread queued the work that a kernel worker did */
	HOP_UNKNOWN = 10, /* its context could not be told */
	HOP_KINDS,
};

/* Where a chain ends, and what the share behind its last hop means. */
enum chain_end {
	CHAIN_METAL = 0,       /* the last hop is metal: nobody woke it; no rest */
	CHAIN_AWAKE = 1,       /* the last waker was awake through what was left; no rest */
	CHAIN_DEPTH_LIMIT = 2, /* more hops than are kept */
	CHAIN_NO_WAKER = 3,    /* a wait on the way ended without a wake seen */
	CHAIN_NOT_WOKEN = 4,   /* the window ended first */
	CHAIN_EARLIER = 5,     /* the last waker's own wake was before the recording */
	CHAIN_OVERFLOW = 6,    /* a table was full */
	CHAIN_ENDS,
};

#endif
