/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Where the kernel side keeps what chain.bpf.h and segments.bpf.h describe: hops in the storage of
 * each thread, hops on their way in the scratch of wakes, waits that are being explained in the
 * scratch of switches, and what threads remember in rings. And how records get to user space.
 */
#ifndef DWELL_CARRY_BPF_H
#define DWELL_CARRY_BPF_H

#include "stack.bpf.h"

/* How chains keep times that need not be exact: the storage of a thread is 1 KiB at most. */
typedef u32 coarse_time;
#define COARSE_NS 1000ULL

#include "segments.bpf.h"

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
	u64 place;    /* an address, where the verifier takes it for a number */
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

/* Sends a record, whose id is marked seen only when that worked: true. */
static __noinline bool send_new(struct cpu *cpu, void *record, u64 id, u64 bytes, u64 *known)
{
	if (!cpu || !record || !known)
		return false;
	if (bytes > sizeof(struct record_chain))
		bytes = sizeof(struct record_chain);
	if (bpf_ringbuf_query(&records, BPF_RB_AVAIL_DATA) > cfg_ring_for_stacks ||
		bpf_ringbuf_output(&records, record, bytes, BPF_RB_NO_WAKEUP))
		count(cpu, COUNTER_LOST_CHAINS, 1);
	else
		*known = id;
	return *known == id;
}

/* Was it sent lately? What clashes with another is sent again: user space may have forgotten it. */
static __always_inline bool was_sent(u64 id)
{
	u32 slot = (id ^ id >> 32) & cfg_seen_mask;
	u64 *known = bpf_map_lookup_elem(&seen, &slot);

	return known && *known == id;
}

/* Sends a record unless its id was seen. True if user space has it. */
static __always_inline bool send_once(struct cpu *cpu, void *record, u64 id, u64 bytes)
{
	u32 slot = (id ^ id >> 32) & cfg_seen_mask;
	u64 *known = bpf_map_lookup_elem(&seen, &slot);

	return known && (*known == id || send_new(cpu, record, id, bytes, known));
}

/* What a thread remembers, see past.bpf.h. */
struct past_ring {
	u32 thread; /* its owner's serial */
	u32 head;   /* segments written */
	struct history history;
	struct past at[PAST_ENTRIES];
};

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1);
	__type(key, u32);
	__type(value, struct past_ring);
} pasts SEC(".maps");

/* Number of rings, a power of two, less one. */
const volatile __u32 cfg_past_mask;

_Static_assert(sizeof(struct past_ring) == CONTRACT_PAST_BYTES, "as user space counts them");

static __always_inline struct past_ring *past_ring_of(const struct wait_scratch *wait, u32 thread)
{
	u32 slot = thread & cfg_past_mask;

	return cfg_depth ? bpf_map_lookup_elem(&pasts, &slot) : NULL;
}

/* Switches run with interrupts off: one scratch for each CPU. */
struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 1);
	__type(key, u32);
	__type(value, struct wait_scratch);
} wait_scratches SEC(".maps");

/* Old kernels verify global functions that nobody calls, too: without chains the map is not there.
 */
static __always_inline struct wait_scratch *wait_scratch_of_cpu(void)
{
	u32 zero = 0;

	return cfg_depth ? bpf_map_lookup_elem(&wait_scratches, &zero) : NULL;
}

static __always_inline u32 depth_of(const struct wait_scratch *wait)
{
	return cfg_depth;
}

static __always_inline void copy_hops(struct hop *to, u32 hops, const struct hop *from)
{
	bpf_probe_read_kernel(to, (u64)hops * sizeof(struct hop), from);
}

/* To a 1024th, which is without overflow for half a year. */
static __always_inline u64 scaled(u64 ns, u64 part, u64 whole)
{
	return ns * ((part << 10) / whole) >> 10;
}

/*
 * In what the thread has waited and what for, as one number: its kernel stack, and where it has one
 * its user stack, too. What cannot be sent is left out.
 */
static __always_inline u64 waited_in(
	struct cpu *cpu, struct wait_scratch *wait, const struct thread *thread)
{
	struct record_waited *record = &wait->waited_record;
	u64 kernel = thread->kernel_stack, user = thread->user_stack;

	if (user < STACK_FIRST_ID && !cpu->awaited)
		return kernel;
	record->kind = RECORD_WAITED;
	record->kernel_stack = kernel;
	record->user_stack = user;
	record->awaited = cpu->awaited;
	record->id = mix(mix(mix(RECORD_WAITED, kernel), user), cpu->awaited);
	if (record->id < STACK_FIRST_ID)
		record->id += STACK_FIRST_ID;
	return send_once(cpu, record, record->id, sizeof(*record)) ? record->id : kernel;
}

static __always_inline void send_chain(struct cpu *cpu, struct wait_scratch *wait)
{
	u64 hops = wait->record.hop_count;

	if (hops > CONTRACT_MAX_HOPS)
		hops = CONTRACT_MAX_HOPS;
	send_once(cpu, &wait->record, wait->record.id,
		__builtin_offsetof(struct record_chain, links) + hops * sizeof(struct chain_link));
}

#endif
