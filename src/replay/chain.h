/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Who woke whom, and how the time of a wait divides among the hops: the offline twin of
 * bpf/chain.bpf.h. Each thread carries, by value, the hops that led to its own last wake; a wake
 * copies those of the waker behind itself. When the woken thread runs, its wait [b, w) is explained
 * hop by hop inside ever narrower windows: from the waker's own last wake on it was awake (it ran,
 * or had no CPU), before its last wait it did something "earlier", and the wait between is left to
 * the next hop. Each step divides its window, so the shares add up to the wait.
 *
 * Times count from the log's start; a thread that was awake then has been so for ever.
 */
#ifndef DWELL_REPLAY_CHAIN_H
#define DWELL_REPLAY_CHAIN_H

#include <stdbool.h>
#include <stdint.h>

#include "recording/recording.h"
#include "util/vec.h"

/* chain_hop.waited of a thread that fell asleep before the log. */
#define CHAIN_STACK_EARLIER UINT32_MAX

/* Numbers of names and stacks are the caller's. */
struct replay_waker {
	enum hop_kind kind;
	uint32_t name;
	uint32_t stack;
};

/* What became of a wait. */
struct replay_link {
	struct replay_waker waker;
	uint32_t waited; /* stack in which the waker of the link before had been blocked */
};

struct replay_chain {
	uint32_t hop_count;
	enum chain_end end;
	struct replay_link links[CONTRACT_MAX_HOPS];
	struct rec_share shares[CONTRACT_MAX_HOPS + 1];
};

/* A waker at the moment of its wake, and what was known of it then. */
struct chain_hop {
	struct replay_waker waker;
	uint32_t waited;    /* stack of its own last wait */
	uint64_t woken_ns;  /* end of that; 0: it has always been awake */
	uint64_t off_ns;    /* beginning of that; 0: it had not been waiting (born) */
	uint64_t queued_ns; /* without a CPU since woken_ns, and the last piece of it */
	uint64_t queue_from_ns;
	uint64_t queue_to_ns;
};

struct chain_thread {
	struct chain_hop self;
	uint32_t buffer;        /* the current one */
	uint32_t counts[2];     /* hops in each */
	bool has_pending;       /* a wake wrote the other buffer */
	struct chain_hop *hops; /* two buffers of `depth` */
};

struct chains {
	uint32_t depth; /* 1 to CONTRACT_MAX_HOPS */
	VEC(struct chain_thread) threads;
	struct replay_chain explained;
	uint64_t mismatches; /* waits whose shares did not add up */
	uint64_t truncated;
	uint64_t truncated_ns;
};

#define CHAIN_NOBODY UINT32_MAX

void chains_clear(struct chains *chains);
/* `thread` was woken by `waker` (an index; CHAIN_NOBODY: metal, or one never seen otherwise). */
void chains_wake(struct chains *chains, uint32_t thread, uint32_t waker, struct replay_waker how);
/* `thread` was created by `creator`. */
void chains_birth(struct chains *chains, uint32_t thread, uint32_t creator, struct replay_waker how,
	uint64_t at_ns);
/*
 * Explains the wait [from_ns, to_ns) that a wake has ended; before chains_run(). Borrowed until
 * the next call. has_waker: a wake was seen.
 */
const struct replay_chain *chains_explain(
	struct chains *chains, uint32_t thread, uint64_t from_ns, uint64_t to_ns, bool has_waker);
/* A wait that had not ended with the log. */
const struct replay_chain *chains_not_woken(struct chains *chains, uint64_t ns);
/* It runs from at_ns on, after a wait [from_ns, wake_ns) in `stack`... */
void chains_run_woken(struct chains *chains, uint32_t thread, uint32_t stack, uint64_t from_ns,
	uint64_t wake_ns, uint64_t at_ns);
/* ...or after having had no CPU since from_ns. */
void chains_run_queued(struct chains *chains, uint32_t thread, uint64_t from_ns, uint64_t at_ns);

#endif
