/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What a thread carries of its chain: the hops that led to its own last wake, by value. Hop 0 is
 * its waker, the others are what the waker itself carried at that moment. A waker writes the spare
 * one of two buffers; the thread's switch-in makes it the current one if the thread was blocked.
 * The wake runs with the thread's pi_lock held, and a blocked thread cannot come onto a CPU before
 * that wake is through: so nobody reads a buffer that is being written.
 */
#ifndef DWELL_CHAIN_BPF_H
#define DWELL_CHAIN_BPF_H

#include "stack.bpf.h"

/* A waker at the moment of its wake. */
struct hop {
	u64 who;       /* record_hop.id; the low bits are its kind */
	u64 woken;     /* when it had been woken itself; 0: never, it was awake all the time */
	u64 off;       /* when the wait began that this ended; 0: there was none. Never woken: since
			  when it is known */
	u64 waited;    /* stack id: in what it waited */
	u64 queued_ns; /* how long it had no CPU since `woken` */
	u64 queue_from; /* the last time of that */
	u32 queue_us;
	u32 thread; /* its serial; 0: metal */
};

/* hop.woken of a waker of which nothing is known. */
#define NOTHING_KNOWN (~0ULL)

/*
 * With 8 hops it fills the kernel's 1 KiB of memory to the byte, with 80 bytes of the kernel's own.
 * queue_us is the only time that is not exact: see queued_within().
 */
struct chain {
	u64 woken; /* as in struct hop, of the thread itself */
	u64 off;
	u64 waited;
	u64 queued_ns;
	u64 queue_from;
	u32 queue_us; /* length of that */
	u8 pending;   /* mark of the wake that filled the spare buffer; 0: it holds nothing */
	u8 buffer;    /* the current one, 0 or 1 */
	u8 counts[2];
	/* Two buffers of cfg_depth. */
	struct hop hops[2 * CONTRACT_MAX_HOPS];
};

#define CHAIN_SMALL 8

/* As much of it as a smaller depth needs. */
struct small_chain {
	u64 words[__builtin_offsetof(struct chain, hops[2 * CHAIN_SMALL]) / sizeof(u64)];
};

#define CHAIN_STORAGE(map, value_type)                                                             \
	struct {                                                                                   \
		__uint(type, BPF_MAP_TYPE_TASK_STORAGE);                                           \
		__uint(map_flags, BPF_F_NO_PREALLOC);                                              \
		__type(key, int);                                                                  \
		__type(value, value_type);                                                         \
	} map SEC(".maps")

/* Only the one that --depth needs is made. */
CHAIN_STORAGE(small_chains, struct small_chain);
CHAIN_STORAGE(chains, struct chain);

static __always_inline struct chain *chain_get(struct task_struct *task, u64 flags)
{
	struct chain *chain = NULL;

	/* Kept apart: made one call, it would refer to the map that is not there. */
	if (cfg_depth && cfg_depth <= CHAIN_SMALL) {
		chain = bpf_task_storage_get(&small_chains, task, NULL, flags);
		barrier();
	} else if (cfg_depth) {
		chain = bpf_task_storage_get(&chains, task, NULL, flags);
	}
	return chain;
}

static __always_inline bool chain_create(struct task_struct *task)
{
	struct chain *chain = chain_get(task, BPF_LOCAL_STORAGE_GET_F_CREATE);

	if (!chain)
		return false;
	/* Until it waits, this is since when it is known to be awake. */
	chain->off = bpf_ktime_get_ns();
	return true;
}

/* Hops on their way. Scratch of wakes, which run with interrupts off: one for each CPU. */
struct vector {
	struct record_hop record; /* of the first hop */
	u64 at;
	u64 begun_at; /* of work that was queued: when a worker took it; 0: not yet */
	u32 count;
	u32 pad;
	struct hop hops[CONTRACT_MAX_HOPS];
};

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 1);
	__type(key, u32);
	__type(value, struct vector);
} vectors SEC(".maps");

/* Sends a record unless its id was seen; marked seen only when that worked. */
static __noinline void send_once(struct cpu *cpu, void *record, u64 id, u64 bytes)
{
	u32 slot = (id ^ id >> 32) & cfg_seen_mask;
	u64 *known = bpf_map_lookup_elem(&seen, &slot);

	if (!cpu || !record || !known || *known == id)
		return;
	if (bytes > sizeof(struct record_chain))
		bytes = sizeof(struct record_chain);
	if (bpf_ringbuf_query(&records, BPF_RB_AVAIL_DATA) > cfg_ring_for_stacks ||
		bpf_ringbuf_output(&records, record, bytes, BPF_RB_NO_WAKEUP))
		count(cpu, COUNTER_LOST_CHAINS, 1);
	else
		*known = id;
}

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

/* The thread's own last wake, at its switch-in at `at`. Its pending hops count from now on. */
static __always_inline void chain_commit(
	struct chain *chain, const struct thread *thread, u64 since, u64 wake, u64 at)
{
	if (chain_is_pending(chain, thread))
		chain->buffer = !chain->buffer;
	else
		chain->counts[chain->buffer & 1] = 0;
	chain->pending = 0;
	chain->woken = wake;
	chain->off = since;
	chain->waited = thread->kernel_stack;
	chain->queue_from = wake;
	chain->queue_us = (at - wake) / 1000;
	chain->queued_ns = at - wake;
}

/* It was runnable from `since` on, and has a CPU now. */
static __always_inline void chain_queued(struct chain *chain, u64 since, u64 at)
{
	u64 start = window_start;

	/* Of one that was runnable at the start it is not known since when. */
	if (since < start)
		since = start < at ? start : at;
	chain->pending = 0;
	chain->queue_from = since;
	chain->queue_us = (at - since) / 1000;
	chain->queued_ns += at - since;
}

#endif
