/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Logs in short, for the tests of chains, and their waits as text. Checks of every wait, too: its
 * parts follow each other and tile it, and the shares of each add up. Include after cmocka.
 */
#ifndef DWELL_TESTS_CHAIN_LOG_H
#define DWELL_TESTS_CHAIN_LOG_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "replay/replay.h"

#define T0 1000

/* Threads are 'A', 'B', ...; their names and stacks are the same numbers. Each has its own CPU. */
#define OUT(at, who)                                                                               \
	{                                                                                          \
		.time_ns = T0 + (at), .kind = REPLAY_SWITCH, .tid = (who), .letter = 'S',          \
		.stack = (who), .comm = (who), .cpu = (who) - 'A'                                  \
	}
#define PREEMPTED(at, who)                                                                         \
	{                                                                                          \
		.time_ns = T0 + (at), .kind = REPLAY_SWITCH, .tid = (who), .letter = 'R',          \
		.stack = (who), .comm = (who), .cpu = (who) - 'A'                                  \
	}
#define IN(at, who)                                                                                \
	{                                                                                          \
		.time_ns = T0 + (at), .kind = REPLAY_SWITCH, .other_tid = (who),                   \
		.other_comm = (who), .letter = 'R', .cpu = (who) - 'A'                             \
	}
#define WAKE(at, waker, whom)                                                                      \
	{                                                                                          \
		.time_ns = T0 + (at), .kind = REPLAY_WAKING, .tid = (whom), .comm = (whom),        \
		.other_tid = (waker), .other_comm = (waker), .stack = 100 + (waker)                \
	}
#define BIRTH(at, creator, whom)                                                                   \
	{                                                                                          \
		.time_ns = T0 + (at), .kind = REPLAY_NEW, .tid = (whom), .comm = (whom),           \
		.other_tid = (creator), .other_comm = (creator), .cpu = (creator) - 'A'            \
	}
#define TIMER(at, interrupted, whom)                                                               \
	{                                                                                          \
		.time_ns = T0 + (at), .kind = REPLAY_WAKING, .tid = (whom), .comm = (whom),        \
		.other_tid = (interrupted), .other_comm = (interrupted), .hop_kind = HOP_TIMER,    \
		.hop_name = 't'                                                                    \
	}

struct log {
	char text[4000];
	char wanted; /* whose waits are told */
	uint64_t blocked_ns;
	uint64_t shared_ns;
	uint64_t earlier_ns;
	uint64_t part_ns; /* of the wait whose parts are coming; 0: none */
	uint64_t part_to_ns;
	uint64_t part_wait_ns;
	uint32_t part_thread;
	uint32_t depth;
	uint32_t longest;
	struct replay_result result;
};

static inline void say(struct log *log, const char *format, ...)
{
	size_t used = strlen(log->text);
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(log->text + used, sizeof(log->text) - used, format, arguments);
	va_end(arguments);
}

static inline void tell_chain(struct log *log, const struct replay_interval *interval)
{
	const struct chain_table *table = &log->result.chains;
	const struct table_chain *chain = chain_table_get(table, interval->chain);

	say(log, "%d-%d", (int)interval->from_ns, (int)interval->to_ns);
	for (uint32_t i = 0; i < chain->hop_count; i++) {
		const struct rec_share *share = &interval->shares[i];
		const struct replay_link *link = &table->links.at[chain->first + i];
		say(log, " < %c", link->waker.name ? (int)link->waker.name : '?');
		if (link->waited)
			say(log, "(%c)",
				link->waited == CHAIN_STACK_EARLIER ? '-' : (int)link->waited);
		say(log, " %d", (int)share->ran_ns);
		if (share->no_cpu_ns)
			say(log, "+%dq", (int)share->no_cpu_ns);
		if (share->earlier_ns)
			say(log, "+%de", (int)share->earlier_ns);
	}
	say(log, " %s", chain_end_name(chain->end));
	if (interval->shares[chain->hop_count].ran_ns)
		say(log, " %d", (int)interval->shares[chain->hop_count].ran_ns);
	/* Parts of one wait are parted by commas. */
	say(log, interval->is_part ? ", " : "; ");
}

/* The parts of a wait follow each other, and the last one ends it. */
static inline void check_parts(struct log *log, const struct replay_interval *interval)
{
	uint64_t ns = interval->to_ns - interval->from_ns;

	if (log->part_ns) {
		assert_int_equal(interval->thread, log->part_thread);
		assert_int_equal(interval->from_ns, log->part_to_ns);
		assert_int_equal(interval->wait_ns, log->part_wait_ns);
	}
	log->part_ns += ns;
	log->part_to_ns = interval->to_ns;
	log->part_thread = interval->thread;
	log->part_wait_ns = interval->wait_ns;
	if (interval->is_part)
		return;
	assert_int_equal(log->part_ns, interval->wait_ns);
	log->part_ns = 0;
}

static inline void note(const struct replay_interval *interval, void *context)
{
	struct log *log = context;

	if (interval->state != TIME_BLOCKED) {
		assert_int_equal(interval->chain, 0);
		assert_int_equal(log->part_ns, 0);
		return;
	}
	assert_true(interval->chain > 0);
	const struct table_chain *chain = chain_table_get(&log->result.chains, interval->chain);
	assert_true(chain->hop_count <= log->depth);
	assert_int_equal(interval->share_count, chain->hop_count + 1);
	assert_true(recording_shares_add_up(
		interval->shares, interval->share_count, interval->to_ns - interval->from_ns));
	assert_true(chain_end_has_rest(chain->end) || !interval->shares[chain->hop_count].ran_ns);
	check_parts(log, interval);
	log->blocked_ns += interval->to_ns - interval->from_ns;
	for (uint32_t i = 0; i <= chain->hop_count; i++) {
		log->shared_ns += interval->shares[i].ran_ns + interval->shares[i].no_cpu_ns +
				  interval->shares[i].earlier_ns;
		log->earlier_ns += interval->shares[i].earlier_ns;
	}
	if (chain->hop_count > log->longest)
		log->longest = chain->hop_count;
	if (log->result.threads.at[interval->thread].tid == (uint32_t)log->wanted)
		tell_chain(log, interval);
}

/* The waits of one thread, as text. */
static inline struct log *replay(
	struct replay_event *events, size_t count, char wanted, uint32_t depth)
{
	struct log *log = calloc(1, sizeof(*log));

	log->wanted = wanted;
	log->depth = depth;
	replay_run(events, count, depth, note, log, &log->result);
	assert_int_equal(log->blocked_ns, log->shared_ns);
	assert_int_equal(log->result.chain_mismatches, 0);
	return log;
}

static inline void expect(
	struct replay_event *events, size_t count, char wanted, uint32_t depth, const char *text)
{
	struct log *log = replay(events, count, wanted, depth);

	assert_string_equal(log->text, text);
	replay_clear(&log->result);
	free(log);
}

#define EXPECT(events, wanted, text)                                                               \
	expect(events, sizeof(events) / sizeof((events)[0]), wanted, 8, text)

#endif
