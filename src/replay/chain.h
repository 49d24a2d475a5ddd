/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Who woke whom, and how the time of a wait divides among the hops: the code of bpf/explain.bpf.h
 * and what it stands on, built for the host. Each thread carries, by value, the hops that led to
 * its own last wake, and a memory of its last waits; a wake copies the hops of the waker behind
 * itself. When the woken thread runs, its wait is explained, part by part.
 *
 * Times count from the log's start; a thread that was awake then has been so for ever.
 */
#ifndef DWELL_REPLAY_CHAIN_H
#define DWELL_REPLAY_CHAIN_H

#include <stdbool.h>
#include <stdint.h>

#include "model/state.h"
#include "replay/chain_table.h"

/* replay_link.waited of a thread that fell asleep before the log. */
#define CHAIN_STACK_EARLIER UINT32_MAX
#define CHAIN_NOBODY UINT32_MAX

struct replay_chains;

/* A piece of a wait that one chain explains. */
struct chain_part {
	uint64_t from_ns;
	uint64_t to_ns;
	uint32_t chain; /* number in the table */
	bool is_last;
	uint32_t share_count; /* hop_count + 1; they add up to the piece */
	struct rec_share shares[CONTRACT_MAX_HOPS + 1];
};

/* depth: hops to keep, 1 to CONTRACT_MAX_HOPS. The table is borrowed. */
struct replay_chains *replay_chains_new(struct chain_table *table, uint32_t depth);
void replay_chains_free(struct replay_chains *chains);
/* COUNTER_CHAIN_MISMATCH or COUNTER_CHAIN_TRUNCATED, or the time of these. */
uint64_t replay_chains_count(const struct replay_chains *chains, enum counter counter);

/* The next thread, whose index is one above that of the one before, is known, and awake, since
 * at_ns. */
void replay_chains_meet(struct replay_chains *chains, uint64_t at_ns);
/* `thread` was woken by `waker` (an index; CHAIN_NOBODY: metal, or one never seen otherwise). */
void replay_chains_wake(struct replay_chains *chains, uint32_t thread, uint32_t waker,
	struct replay_waker how, uint64_t at_ns);
/* `thread` was created by `creator`. */
void replay_chains_birth(struct replay_chains *chains, uint32_t thread, uint32_t creator,
	struct replay_waker how, uint64_t at_ns);
/*
 * Explains the wait [from_ns, to_ns), which is not empty and which a wake has ended; before
 * replay_chains_run_woken(). has_waker: a wake was seen.
 */
void replay_chains_explain(struct replay_chains *chains, uint32_t thread, uint64_t from_ns,
	uint64_t to_ns, bool has_waker);
/* A wait that had not ended with the log. */
void replay_chains_not_woken(struct replay_chains *chains, uint64_t from_ns, uint64_t to_ns);
/*
 * The parts of the wait that was explained last, in the order of time: false if there are no more.
 * at: 0 at first, then as this function left it.
 */
bool replay_chains_next_part(struct replay_chains *chains, uint32_t *at, struct chain_part *ret);
/* It runs from at_ns on, after the wait [from_ns, wake_ns) in `stack`, which was explained unless
 * it was empty... */
void replay_chains_run_woken(struct replay_chains *chains, uint32_t thread, uint32_t stack,
	uint64_t from_ns, uint64_t wake_ns, uint64_t at_ns);
/* ...or after having had no CPU since from_ns. */
void replay_chains_run_queued(
	struct replay_chains *chains, uint32_t thread, uint64_t from_ns, uint64_t at_ns);

#endif
