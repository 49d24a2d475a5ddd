// SPDX-License-Identifier: GPL-2.0-or-later
/* Who woke whom, and how a wait divides among its hops: known sequences, and any at all. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "chain_log.h"
#include "replay/sums.h"

static void a_chain_goes_back_to_the_timer(void **state)
{
	/* C sleeps until a timer, runs 10, wakes B, which runs 20 after 5 without CPU, wakes A. */
	struct replay_event events[] = {IN(0, 'A'), IN(0, 'B'), IN(0, 'C'), OUT(10, 'A'),
		OUT(20, 'B'), OUT(30, 'C'), TIMER(130, 'X', 'C'), IN(131, 'C'), WAKE(141, 'C', 'B'),
		OUT(142, 'C'), IN(146, 'B'), WAKE(166, 'B', 'A'), OUT(167, 'B'), IN(170, 'A')};
	(void)state;

	EXPECT(events, 'A',
		"10-20 < B 10 awake, 20-30 < B 0 < C(B) 10 awake, "
		"30-166 < B 20+5q < C(B) 10+1q < t(C) 100 metal; ");
}

static void a_waker_that_was_awake_all_the_time_is_the_whole_cause(void **state)
{
	struct replay_event events[] = {IN(0, 'B'), IN(0, 'A'), OUT(10, 'A'), PREEMPTED(50, 'B'),
		IN(60, 'B'), WAKE(110, 'B', 'A'), IN(111, 'A'), OUT(120, 'B')};
	(void)state;

	EXPECT(events, 'A', "10-110 < B 90+10q awake; ");
}

static void an_interrupt_does_not_blame_the_task_it_hit(void **state)
{
	struct replay_event events[] = {IN(0, 'B'), IN(0, 'A'), OUT(10, 'A'), TIMER(110, 'B', 'A'),
		IN(111, 'A'), OUT(120, 'B')};
	(void)state;

	EXPECT(events, 'A', "10-110 < t 100 metal; ");
}

/* A waits for B while B and C play ping-pong: as many of the last rounds are told as fit. */
static void of_ping_pong_the_last_rounds_are_told(void **state)
{
	struct replay_event events[400] = {
		IN(0, 'A'), IN(0, 'B'), IN(0, 'C'), OUT(1, 'A'), OUT(2, 'C')};
	size_t count = 5;
	uint64_t at = 10;
	(void)state;

	for (int round = 0; round < 50; round++, at += 20) {
		struct replay_event one[] = {WAKE(at, 'B', 'C'), OUT(at + 1, 'B'), IN(at + 2, 'C'),
			WAKE(at + 10, 'C', 'B'), OUT(at + 11, 'C'), IN(at + 12, 'B')};
		memcpy(events + count, one, sizeof(one));
		count += 6;
	}
	struct replay_event end[] = {WAKE(at + 3, 'B', 'A'), IN(at + 4, 'A'), OUT(at + 5, 'B')};
	memcpy(events + count, end, sizeof(end));
	count += 3;
	expect(events, count, 'A', 8,
		"1-391 < B 177+38q+175e earlier, 391-1013 < B 281+62q < C(B) 248+31q awake; ");
}

/* A ring of k threads passes a token; the chain of each wait goes once around. */
static void a_ring_of_five_has_four_hops_and_a_long_one_is_cut(void **state)
{
	(void)state;
	for (uint32_t size = 5; size <= 20; size += 15) {
		struct replay_event events[2000];
		size_t count = 0;
		uint64_t at = 0;
		struct log *log;
		for (uint32_t i = 0; i < size; i++) {
			events[count++] = (struct replay_event)IN(at, 'A' + i);
			if (i)
				events[count++] = (struct replay_event)OUT(at + 1, 'A' + i);
		}
		for (uint32_t hop = 0; hop < 10 * size; hop++) {
			uint32_t from = 'A' + hop % size, to = 'A' + (hop + 1) % size;
			at += 10;
			events[count++] = (struct replay_event)WAKE(at, from, to);
			events[count++] = (struct replay_event)OUT(at + 1, from);
			events[count++] = (struct replay_event)IN(at + 2, to);
		}
		log = replay(events, count, 'B', 8);
		assert_int_equal(log->longest, size == 5 ? 4 : 8);
		assert_int_equal(strstr(log->text, "depth limit") != NULL, size == 20);
		assert_int_equal(log->result.chain_truncated != 0, size == 20);
		replay_clear(&log->result);
		free(log);
	}
}

static void a_waker_that_was_awake_before_its_last_wait_ran(void **state)
{
	struct replay_event events[] = {IN(0, 'A'), IN(0, 'B'), OUT(10, 'A'), OUT(50, 'B'),
		TIMER(60, 'X', 'B'), IN(60, 'B'), WAKE(70, 'B', 'A'), IN(70, 'A'), OUT(80, 'B')};
	(void)state;

	EXPECT(events, 'A', "10-50 < B 40 awake, 50-70 < B 10 < t(B) 10 metal; ");
}

static void a_wait_on_the_way_without_a_wake_ends_the_chain(void **state)
{
	/* B came back without a wake; that of A is in the log. */
	struct replay_event events[] = {IN(0, 'A'), IN(0, 'B'), OUT(10, 'A'), OUT(5, 'B'),
		IN(60, 'B'), WAKE(70, 'B', 'A'), IN(70, 'A'), OUT(80, 'B')};
	(void)state;

	EXPECT(events, 'A', "10-70 < B 10 no waker 50; ");
	EXPECT(events, 'B', "5-60 no waker 55; ");
}

/* C wakes B while B runs; later B comes back from a wait without a wake: C is not its waker. */
static void hops_of_a_wake_that_ended_nothing_are_dropped(void **state)
{
	struct replay_event events[] = {IN(0, 'A'), IN(0, 'B'), IN(0, 'C'), OUT(5, 'A'),
		WAKE(10, 'C', 'B'), IN(12, 'B'), OUT(20, 'B'), IN(40, 'B'), WAKE(50, 'B', 'A'),
		IN(50, 'A'), OUT(60, 'B'), OUT(60, 'C')};
	(void)state;

	/* It turns up on another CPU, and its leaving of the first was not logged. */
	events[5].cpu = 20;
	EXPECT(events, 'A', "5-20 < B 15 awake, 20-50 < B 10 no waker 20; ");
}

static void a_wait_that_does_not_end_is_not_woken(void **state)
{
	struct replay_event events[] = {
		IN(0, 'A'), IN(0, 'B'), OUT(10, 'A'), WAKE(20, 'B', 'C'), OUT(50, 'B')};
	(void)state;

	EXPECT(events, 'A', "10-50 not woken 40; ");
}

static void the_creator_of_a_waker_explains_the_time_before_its_birth(void **state)
{
	struct replay_event events[] = {IN(0, 'A'), IN(0, 'B'), OUT(10, 'A'), BIRTH(60, 'B', 'N'),
		IN(65, 'N'), WAKE(90, 'N', 'A'), IN(91, 'A'), OUT(92, 'B')};
	(void)state;

	EXPECT(events, 'A', "10-90 < N 25+5q < B 50 awake; ");
}

static void a_sleeper_from_before_the_log_says_so(void **state)
{
	struct replay_event events[] = {IN(0, 'A'), OUT(10, 'A'), TIMER(30, 'X', 'B'), IN(31, 'B'),
		WAKE(40, 'B', 'A'), IN(40, 'A'), OUT(50, 'B')};
	(void)state;

	EXPECT(events, 'A', "10-40 < B 9+1q < t(-) 20 metal; ");
	EXPECT(events, 'B', "0-30 < t 30 metal; ");
}

static void an_unknown_context_copies_nobodys_chain(void **state)
{
	struct replay_event events[] = {IN(0, 'A'), IN(0, 'B'), OUT(10, 'A'), WAKE(40, 'B', 'A'),
		IN(40, 'A'), OUT(50, 'B')};
	(void)state;

	events[3].hop_kind = HOP_UNKNOWN;
	EXPECT(events, 'A', "10-40 < B 0 no waker 30; ");
}

/* Any events at all: the shares of every wait add up to it, at every depth. */
static void shares_add_up_whatever_the_log_says(void **state)
{
	enum { EVENTS = 500 };
	uint32_t chance = 54321;
	(void)state;

	for (uint32_t round = 0; round < 400; round++) {
		struct replay_event events[EVENTS];
		uint32_t depth = 1 + round % CONTRACT_MAX_HOPS;
		for (uint32_t i = 0; i < EVENTS; i++) {
			uint32_t bits = chance = chance * 1664525u + 1013904223u;
			uint32_t more = chance = chance * 1664525u + 1013904223u;
			events[i] = (struct replay_event){.time_ns = T0 + i * 7 - bits % 5,
				.kind = (more >> 8) % 3 ? (bits >> 8) % 2 : (bits >> 8) % 8,
				.tid = (bits >> 11) % 9,
				.other_tid = (bits >> 14) % 9,
				.comm = 'a',
				.other_comm = 'a' + (bits >> 14) % 9,
				.hop_kind = (more >> 16) % 4 ? HOP_TASK : (more >> 20) % HOP_KINDS,
				.cpu = (bits >> 17) % 3,
				.letter = "SRDR"[(bits >> 20) % 4],
				.is_preempted = (bits >> 22) % 8 == 0,
				.is_dead = (bits >> 25) % 32 == 0};
		}
		struct log *log = replay(events, EVENTS, 0, depth);
		replay_clear(&log->result);
		free(log);
	}
}

static void add_to_sums(const struct replay_interval *interval, void *context)
{
	sums_add(context, interval);
}

static void a_log_without_waking_has_no_chains(void **state)
{
	struct replay_event events[] = {IN(0, 'A'), OUT(10, 'A'), WAKE(40, 'B', 'A'), IN(40, 'A')};
	struct replay_result result;
	struct sums sums = {.slice_ns = 1000};
	(void)state;

	events[2].kind = REPLAY_WAKEUP;
	replay_run(events, 4, 8, add_to_sums, &sums, &result);
	assert_int_equal(result.chain_depth, 0);
	assert_int_equal(result.chains.chains.count, 0);
	sums_clear(&sums);
	replay_clear(&result);
}

static void rows_of_one_chain_share_their_row(void **state)
{
	struct replay_event events[60];
	struct sums sums = {.slice_ns = 1000000};
	struct replay_result result;
	size_t count = 0, rows = 0;
	(void)state;

	events[count++] = (struct replay_event)IN(0, 'B');
	events[count++] = (struct replay_event)IN(0, 'A');
	for (uint64_t at = 10; at < 100; at += 10) {
		struct replay_event one[] = {OUT(at, 'A'), WAKE(at + 4, 'B', 'A'), IN(at + 5, 'A')};
		memcpy(events + count, one, sizeof(one));
		count += 3;
	}
	replay_run(events, count, 8, add_to_sums, &sums, &result);
	assert_int_equal(result.chain_depth, 8);
	assert_int_equal(result.chains.chains.count, 1);
	vec_each (row, &sums.rows) {
		if (row->sum.state != TIME_BLOCKED)
			continue;
		rows++;
		assert_int_equal(row->chain, 1);
		assert_int_equal(row->sum.count, 9);
		assert_int_equal(row->sum.share_count, 2);
		assert_true(recording_shares_add_up(
			sums.shares.at + row->shares, row->sum.share_count, row->sum.ns));
	}
	assert_int_equal(rows, 1);
	sums_clear(&sums);
	replay_clear(&result);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_chain_goes_back_to_the_timer),
		cmocka_unit_test(a_waker_that_was_awake_all_the_time_is_the_whole_cause),
		cmocka_unit_test(an_interrupt_does_not_blame_the_task_it_hit),
		cmocka_unit_test(of_ping_pong_the_last_rounds_are_told),
		cmocka_unit_test(a_ring_of_five_has_four_hops_and_a_long_one_is_cut),
		cmocka_unit_test(a_waker_that_was_awake_before_its_last_wait_ran),
		cmocka_unit_test(a_wait_on_the_way_without_a_wake_ends_the_chain),
		cmocka_unit_test(hops_of_a_wake_that_ended_nothing_are_dropped),
		cmocka_unit_test(a_wait_that_does_not_end_is_not_woken),
		cmocka_unit_test(the_creator_of_a_waker_explains_the_time_before_its_birth),
		cmocka_unit_test(a_sleeper_from_before_the_log_says_so),
		cmocka_unit_test(an_unknown_context_copies_nobodys_chain),
		cmocka_unit_test(a_log_without_waking_has_no_chains),
		cmocka_unit_test(shares_add_up_whatever_the_log_says),
		cmocka_unit_test(rows_of_one_chain_share_their_row),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
