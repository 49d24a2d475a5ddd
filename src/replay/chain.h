/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Who woke whom, and how the time of a wait divides among the hops: the offline twin of
 * bpf/chain.bpf.h. Each thread carries, by value, the hops that led to its own last wake; a wake
 * copies those of the waker behind itself. When the woken thread runs, its wait [b, w) is explained
 * hop by hop inside ever narrower windows: from the waker's own last wake on it was awake (it ran,
 * or had no CPU), the wait before that is left to the next hop, and what it did before that wait is
 * recalled from its past (past.h). Each step divides its window, so the segments tile the wait.
 *
 * Segments that follow each other and have the same chain are a part of the wait. All of them
 * become the thread's own past, for those who wait for it. So at any moment of the wait the chain
 * goes from a waker that slept then to the one that it slept for, up to one that was awake, or
 * metal; only what nobody remembers any more is "earlier".
 *
 * Times count from the log's start; a thread that was awake then has been so for ever.
 */
#ifndef DWELL_REPLAY_CHAIN_H
#define DWELL_REPLAY_CHAIN_H

#include <stdbool.h>
#include <stdint.h>

#include "replay/chain_table.h"
#include "replay/past.h"

/* chain_hop.waited of a thread that fell asleep before the log. */
#define CHAIN_STACK_EARLIER UINT32_MAX

/* A waker at the moment of its wake, and what was known of it then. */
struct chain_hop {
	struct replay_waker waker;
	uint32_t thread;    /* index, or CHAIN_NOBODY */
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
	struct past past;
};

/* A piece of a wait that one chain explains. */
struct chain_part {
	uint64_t from_ns;
	uint64_t to_ns;
	uint32_t chain; /* number in the table */
	bool is_last;
	uint32_t share_count; /* hop_count + 1; they add up to the piece */
	struct rec_share shares[CONTRACT_MAX_HOPS + 1];
};

struct chains {
	uint32_t depth; /* 1 to CONTRACT_MAX_HOPS */
	struct chain_table *table;
	VEC(struct chain_thread) threads;
	struct past_segment list[PAST_ENTRIES]; /* of the wait that was explained last */
	uint32_t list_count;
	uint64_t mismatches; /* waits whose segments did not tile them, or their threads' past */
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
/* `thread` is known, and awake, since at_ns: before anything else is told of it. */
void chains_meet(struct chains *chains, uint32_t thread, uint64_t at_ns);
/*
 * Explains the wait [from_ns, to_ns), which is not empty and which a wake has ended; before
 * chains_run_woken(). has_waker: a wake was seen.
 */
void chains_explain(
	struct chains *chains, uint32_t thread, uint64_t from_ns, uint64_t to_ns, bool has_waker);
/* A wait that had not ended with the log. */
void chains_not_woken(struct chains *chains, uint64_t from_ns, uint64_t to_ns);
/*
 * The parts of the wait that was explained last, in the order of time: false if there are no more.
 * at: 0 at first, then as this function left it.
 */
bool chains_next_part(const struct chains *chains, uint32_t *at, struct chain_part *ret);
/* It runs from at_ns on, after the wait [from_ns, wake_ns) in `stack`, which was explained unless
 * it was empty... */
void chains_run_woken(struct chains *chains, uint32_t thread, uint32_t stack, uint64_t from_ns,
	uint64_t wake_ns, uint64_t at_ns);
/* ...or after having had no CPU since from_ns. */
void chains_run_queued(struct chains *chains, uint32_t thread, uint64_t from_ns, uint64_t at_ns);

#endif
