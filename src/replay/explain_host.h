/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * bpf/explain.bpf.h and the headers below it, built for the host: what they ask their includer for.
 * Threads are those of a log, ids of wakers and stacks are numbers of the log's, chains are put
 * into a table as soon as they are sent, and times are exact. Included by chain.c alone.
 */
#ifndef DWELL_REPLAY_EXPLAIN_HOST_H
#define DWELL_REPLAY_EXPLAIN_HOST_H

#include <string.h>

#include "model/state.h"
#include "replay/chain_table.h"
#include "util/hash.h"
#include "util/map64.h"
#include "util/vec.h"

#undef __always_inline
#define __always_inline inline __attribute__((always_inline))
#define __noinline static __attribute__((noinline))
/* Nobody else reads a ring while it is written, and nobody verifies. */
#define barrier()
#define barrier_var(value)
/* The shared headers have pragmas of clang's, for loops that the verifier goes through. */
#pragma GCC diagnostic ignored "-Wunknown-pragmas"

typedef __u8 u8;
typedef __u32 u32;
typedef __u64 u64;
typedef u64 coarse_time;
#define COARSE_NS 1ULL

struct thread {
	u64 wake; /* 0: no wake since it ran */
	u64 kernel_stack;
	u32 serial; /* its index + 1 */
	u32 past_number;
};

struct cpu {
	u64 counters[COUNTERS];
};

static void count(struct cpu *cpu, enum counter counter, u64 amount)
{
	cpu->counters[counter] += amount;
}

static u64 mix(u64 hash, u64 word)
{
	return hash_add(hash, word);
}

#include "bpf/segments.bpf.h"

/* Grows to its size: most threads of a log wait but a few times. */
struct past_ring {
	u32 thread;
	u32 head;
	u32 room;
	struct past *at;
	struct history history;
};

struct chain_thread {
	struct thread self;
	struct past_ring past;
	struct chain *chain; /* only as much of it as two buffers of `depth` need */
};

/* The wait is the first member: the functions below find the rest from it. */
struct replay_chains {
	struct wait_scratch wait;
	struct cpu cpu;
	u32 depth;
	struct chain_table *table;
	VEC(struct chain_thread) threads;
	VEC(struct replay_waker) wakers; /* hop.who is an index here, and the kind */
	struct map64 by_waker;           /* name and stack -> index there */
	struct map64 by_id;              /* id of a chain -> number in the table */
};

static struct replay_chains *chains_of(const struct wait_scratch *wait)
{
	return (struct replay_chains *)wait;
}

static struct past_ring *past_ring_of(const struct wait_scratch *wait, u32 serial)
{
	return serial ? &chains_of(wait)->threads.at[serial - 1].past : NULL;
}

static u32 depth_of(const struct wait_scratch *wait)
{
	return chains_of(wait)->depth;
}

static void copy_hops(struct hop *to, u32 hops, const struct hop *from)
{
	memcpy(to, from, hops * sizeof(*to));
}

static u64 scaled(u64 ns, u64 part, u64 whole)
{
	return (u64)((unsigned __int128)ns * part / whole);
}

/* The number of a chain in the table. Every chain that a segment has was sent. */
static u32 number_of(const struct replay_chains *chains, u64 id)
{
	struct replay_chain without_hops = {0};

	if (id >= CONTRACT_FIRST_CHAIN)
		return (u32)*map64_find(&chains->by_id, id);
	without_hops.end = (enum chain_end)(id - CONTRACT_CHAIN_OF_END(0));
	return chain_table_put(chains->table, &without_hops);
}

/* The chain goes on with the hops of another, whose first waker ended a wait in `waited`. */
static void append(
	const struct replay_chains *chains, struct replay_chain *chain, u64 suffix_id, u64 waited)
{
	const struct table_chain *suffix =
		chain_table_get(chains->table, number_of(chains, suffix_id));
	const struct replay_link *links = chains->table->links.at + suffix->first;
	u32 room = chains->depth - chain->hop_count;

	chain->end = suffix->hop_count > room ? CHAIN_DEPTH_LIMIT : suffix->end;
	for (u32 i = 0; i < suffix->hop_count && i < room; i++) {
		struct replay_link *link = &chain->links[chain->hop_count++];
		*link = links[i];
		if (!i)
			link->waited = (u32)waited;
	}
}

/* Puts a chain, and the one that it goes on with, into one, as src/capture/chains.c does. */
static u32 put_chain(const struct replay_chains *chains, const struct record_chain *record)
{
	struct replay_chain chain = {
		.hop_count = record->hop_count, .end = (enum chain_end)record->end};

	for (u32 i = 0; i < record->hop_count; i++) {
		const struct chain_link *link = &record->links[i];
		struct replay_waker waker = chains->wakers.at[link->hop >> CONTRACT_HOP_KIND_BITS];
		waker.kind = (enum hop_kind)(link->hop & ((1 << CONTRACT_HOP_KIND_BITS) - 1));
		chain.links[i] = (struct replay_link){waker, (u32)link->waited};
	}
	if (record->suffix)
		append(chains, &chain, record->suffix, record->suffix_waited);
	return chain_table_put(chains->table, &chain);
}

static void send_chain(struct cpu *cpu, struct wait_scratch *wait)
{
	struct replay_chains *chains = chains_of(wait);
	bool is_new;
	uint64_t *number = map64_put(&chains->by_id, wait->record.id, &is_new);

	(void)cpu;
	if (is_new)
		*number = put_chain(chains, &wait->record);
}

#include "bpf/explain.bpf.h"

#endif
