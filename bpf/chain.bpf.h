/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What a thread carries of its chain: the hops that led to its own last wake, by value. Hop 0 is
 * its waker, the others are what the waker itself carried at that moment. A waker writes the spare
 * one of two buffers; the thread's switch-in makes it the current one if the thread was blocked.
 * The wake runs with the thread's pi_lock held, and a blocked thread cannot come onto a CPU before
 * that wake is through: so nobody reads a buffer that is being written.
 *
 * Built for the kernel (carry.bpf.h) and for the host (src/replay/chain.c), as are segments.bpf.h,
 * past.bpf.h, recall.bpf.h and explain.bpf.h, which stand on it. Who includes this has u8, u32 and
 * u64, struct thread with `serial`, `wake` and `past_number`, and says how times
 * are kept that need not be exact: in a coarse_time, by COARSE_NS.
 */
#ifndef DWELL_CHAIN_BPF_H
#define DWELL_CHAIN_BPF_H

#include "contract/contract.h"

/* A waker at the moment of its wake. */
struct hop {
	u64 who;       /* record_hop.id; the low bits are its kind */
	u64 woken;     /* when it had been woken itself; 0: never, it was awake all the time */
	u64 off;       /* when the wait began that this ended; 0: there was none. Never woken: since
			  when it is known */
	u64 waited;    /* record_waited.id, or a stack id: in what it waited */
	u64 queued_ns; /* how long it had no CPU since `woken` */
	u64 queue_from; /* the last time of that */
	coarse_time queue;
	u32 thread; /* its serial; 0: metal */
};

/* hop.woken of a waker of which nothing is known. */
#define NOTHING_KNOWN (~0ULL)

/*
 * With 8 hops it fills the kernel's 1 KiB of memory to the byte, with 80 bytes of the kernel's own.
 * `queue` is the only time that is not exact: see queued_within().
 */
struct chain {
	u64 woken; /* as in struct hop, of the thread itself */
	u64 off;
	u64 waited;
	u64 queued_ns;
	u64 queue_from;
	coarse_time queue; /* length of that */
	u8 pending;        /* mark of the wake that filled the spare buffer; 0: it holds nothing */
	u8 buffer;         /* the current one, 0 or 1 */
	u8 counts[2];
	/* Two buffers of as many hops as are kept. */
	struct hop hops[2 * CONTRACT_MAX_HOPS];
};

static __always_inline bool is_metal(u32 kind)
{
	return kind == HOP_IRQ || kind == HOP_SOFTIRQ || kind == HOP_TIMER || kind == HOP_IPI ||
	       kind == HOP_DISK;
}

/* A clash would need a wake that could not be noted here, after one that ended nothing. */
static __always_inline u8 mark_of(u64 wake)
{
	return (wake ^ wake >> 8) | 1;
}

/* Do the hops in the spare buffer tell of the wake that ended the thread's wait? */
static __always_inline bool chain_is_pending(const struct chain *chain, const struct thread *thread)
{
	return thread->wake && chain->pending == mark_of(thread->wake);
}

/*
 * The thread's own last wake, at its switch-in at `at`; it had waited in `waited`. Its pending hops
 * count from now on.
 */
static __always_inline void chain_commit(
	struct chain *chain, const struct thread *thread, u64 waited, u64 since, u64 wake, u64 at)
{
	if (chain_is_pending(chain, thread))
		chain->buffer = !chain->buffer;
	else
		chain->counts[chain->buffer & 1] = 0;
	chain->pending = 0;
	chain->woken = wake;
	chain->off = since;
	chain->waited = waited;
	chain->queue_from = wake;
	chain->queue = (at - wake) / COARSE_NS;
	chain->queued_ns = at - wake;
}

/* Of what the thread has waited for nothing is known until it waits the next time. */
static __always_inline void chain_forget(struct chain *chain)
{
	chain->woken = NOTHING_KNOWN;
	chain->off = 0;
	chain->waited = 0;
	chain->queued_ns = 0;
	chain->queue_from = 0;
	chain->queue = 0;
	chain->pending = 0;
	chain->counts[0] = 0;
	chain->counts[1] = 0;
}

/* The thread was runnable from `since` on, and has a CPU now. */
static __always_inline void chain_queued(struct chain *chain, u64 since, u64 at)
{
	chain->pending = 0;
	chain->queue_from = since;
	chain->queue = (at - since) / COARSE_NS;
	chain->queued_ns += at - since;
}

#endif
