/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What both sides agree on about wake chains: rows of waits with the shares of their hops, and the
 * records that say what a chain's number means. A hop and a chain travel once each, like stacks.
 */
#ifndef DWELL_CONTRACT_CHAIN_H
#define DWELL_CONTRACT_CHAIN_H

#ifndef __VMLINUX_H__
#include <linux/types.h>
#endif

#include "contract/hop.h"

#define CONTRACT_NAME_LEN 32

/*
 * sum_key.chain below CONTRACT_FIRST_CHAIN is not a hash: 0 is "no chain recorded", the others are
 * chains without hops, whose rest is the whole wait.
 */
#define CONTRACT_CHAIN_OF_END(end) (1 + (end))
#define CONTRACT_FIRST_CHAIN 16

/* A thread remembers this many pieces of its last waits, and of older ones what they add up to. */
#define CONTRACT_PAST_ENTRIES 64
#define CONTRACT_HISTORY_LEVELS 14
#define CONTRACT_HABITS 4
#define CONTRACT_HISTORY_BYTES                                                                     \
	(8 + CONTRACT_HABITS * 56 + (1 + 2 * CONTRACT_HISTORY_LEVELS) * (24 + CONTRACT_HABITS * 4))
#define CONTRACT_PAST_BYTES (8 + CONTRACT_HISTORY_BYTES + CONTRACT_PAST_ENTRIES * 48)

/* What a hop's waker did in the window of the wait; behind the last hop stands the rest, in ran_ns.
 */
struct share {
	__u64 ran_ns;
	__u64 no_cpu_ns;
	__u64 earlier_ns;
};

/* RECORD_HOP: a waker by its content. The low bits of the id are its kind. */
#define CONTRACT_HOP_KIND_BITS 4

struct record_hop {
	__u32 kind;
	__u32 hop_kind; /* enum hop_kind */
	__u64 id;
	__u64 kernel_stack; /* stack ids */
	__u64 user_stack;
	__u64 value; /* timer: its function; softirq: its vector; irq without a name: where it
			entered */
	char name[CONTRACT_NAME_LEN]; /* comm, disk or interrupt; "" where value says it */
};

/*
 * RECORD_WAITED: where a thread had been blocked, in the kernel and in its program, and what for,
 * as one number. A thread without a user stack, of which it is not known what for, has the id of
 * its kernel stack instead, and no such record.
 */
struct record_waited {
	__u32 kind;
	__u32 pad;
	__u64 id;
	__u64 kernel_stack; /* stack ids */
	__u64 user_stack;
	__u64 awaited; /* as in struct sum_key */
};

struct chain_link {
	__u64 hop;    /* record_hop.id */
	__u64 waited; /* record_waited.id, or a stack id: where the waker of the link before had
			 been blocked */
};

/*
 * RECORD_CHAIN. With a suffix, the links are only where it begins: they go on with those of the
 * chain `suffix`, whose first waker ended a wait in suffix_waited, and it ends as that one does;
 * what is beyond --depth is cut off.
 */
struct record_chain {
	__u32 kind;
	__u32 end; /* enum chain_end; 0 with a suffix */
	__u32 hop_count;
	__u32 pad;
	__u64 id;
	__u64 suffix; /* record_chain.id, or CONTRACT_CHAIN_OF_END(); 0: none */
	__u64 suffix_waited;
	struct chain_link links[CONTRACT_MAX_HOPS]; /* only hop_count of them are sent */
};

#endif
