// SPDX-License-Identifier: GPL-2.0-or-later
/* Switches and wakes into intervals: the same rules as in the kernel, and time that adds up. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "replay/replay.h"
#include "replay/sums.h"

/* Times are small numbers from 1000 on. */
#define T0 1000

#define SWITCH(at, from, state_letter, to)                                                         \
	{                                                                                          \
		.time_ns = T0 + (at), .kind = REPLAY_SWITCH, .tid = (from), .other_tid = (to),     \
		.letter = (state_letter), .is_dead = (state_letter) == 'X', .stack = (from)        \
	}
#define WAKING(at, whom)                                                                           \
	{                                                                                          \
		.time_ns = T0 + (at), .kind = REPLAY_WAKING, .tid = (whom)                         \
	}

struct log {
	char text[2000];
	struct sums sums;
	struct replay_result result;
};

static void note(const struct replay_interval *interval, void *context)
{
	struct log *log = context;
	size_t used = strlen(log->text);

	sums_add(&log->sums, interval);
	snprintf(log->text + used, sizeof(log->text) - used, "%u %s %d-%d%s%s; ", interval->thread,
		state_name(interval->state), (int)interval->from_ns, (int)interval->to_ns,
		interval->is_open ? " open" : "", interval->is_earlier ? " earlier" : "");
}

static void check_books(const struct log *log)
{
	vec_each (thread, &log->result.threads) {
		uint64_t total = 0;
		for (int i = 0; i < TIME_STATES; i++)
			total += thread->total_ns[i];
		assert_int_equal(total, thread->end_ns - thread->start_ns);
	}
}

static void replay(struct replay_event *events, size_t count, struct log *log)
{
	*log = (struct log){.sums = {.slice_ns = 100}};
	replay_run(events, count, 8, note, log, &log->result);
	check_books(log);
}

static void expect(struct replay_event *events, size_t count, const char *text)
{
	struct log log;

	replay(events, count, &log);
	assert_string_equal(log.text, text);
	sums_clear(&log.sums);
	replay_clear(&log.result);
}

static void a_sleep_is_blocked_then_runnable(void **state)
{
	struct replay_event events[] = {SWITCH(0, 5, 'S', 0), WAKING(30, 5), SWITCH(40, 0, 'R', 5),
		SWITCH(70, 5, 'R', 0), SWITCH(75, 0, 'R', 5)};
	(void)state;

	expect(events, 5, "0 blocked 0-30; 0 woken 30-40; 0 running 40-70; 0 preempted 70-75; ");
}

static void a_preempted_thread_is_not_blocked_whatever_its_state(void **state)
{
	struct replay_event events[] = {SWITCH(0, 5, 'S', 6), SWITCH(10, 6, 'S', 5)};
	(void)state;

	events[0].is_preempted = true;
	expect(events, 2, "1 running 0-10; 0 preempted 0-10; ");
}

static void the_last_wake_counts(void **state)
{
	struct replay_event events[] = {
		SWITCH(0, 5, 'S', 0), WAKING(10, 5), WAKING(20, 5), SWITCH(25, 0, 'R', 5)};
	(void)state;

	expect(events, 4, "0 blocked 0-20; 0 woken 20-25; ");
}

static void a_thread_woken_on_its_way_to_sleep_does_not_sleep(void **state)
{
	struct replay_event events[] = {
		SWITCH(0, 0, 'R', 5), WAKING(10, 5), SWITCH(12, 5, 'S', 0), SWITCH(20, 0, 'R', 5)};
	(void)state;

	expect(events, 4, "0 running 0-12; 0 woken 12-20; ");
}

static void a_thread_asleep_at_the_start_is_blocked_since_then(void **state)
{
	struct replay_event events[] = {
		SWITCH(0, 1, 'R', 2), WAKING(50, 7), SWITCH(60, 2, 'S', 7), SWITCH(80, 7, 'S', 1)};
	(void)state;

	expect(events, 4,
		"1 running 0-60; 2 blocked 0-50 earlier; 2 woken 50-60 earlier; 2 running 60-80; "
		"0 preempted 0-80; 1 blocked 60-80 open; ");
}

static void a_thread_asleep_at_the_end_is_open(void **state)
{
	struct replay_event events[] = {
		SWITCH(0, 5, 'D', 0), SWITCH(10, 0, 'R', 6), WAKING(15, 5), SWITCH(20, 6, 'S', 0)};
	(void)state;

	/* Nobody woke 6, but there are wakes in the log: it was waiting for a CPU. */
	expect(events, 4,
		"1 woken 0-10 earlier; 1 running 10-20; 0 blocked 0-15; 0 woken 15-20 open; ");
}

static void an_exit_closes_the_thread_and_its_tid_is_free(void **state)
{
	struct log log;
	struct replay_event events[] = {SWITCH(0, 5, 'X', 0), SWITCH(50, 0, 'R', 5),
		SWITCH(60, 5, 'X', 0), SWITCH(90, 0, 'R', 6)};
	(void)state;

	events[1].time_ns++;
	replay(events, 4, &log);
	assert_int_equal(log.result.threads.count, 3);
	assert_int_equal(log.result.threads.at[0].end_ns, 0);
	assert_int_equal(log.result.threads.at[1].start_ns, 51);
	assert_int_equal(log.result.threads.at[1].end_ns, 60);
	sums_clear(&log.sums);
	replay_clear(&log.result);
}

static void a_new_thread_lives_from_its_birth(void **state)
{
	struct replay_event events[] = {SWITCH(0, 1, 'R', 2),
		{.time_ns = T0 + 10, .kind = REPLAY_FORK, .tid = 2, .other_tid = 9},
		{.time_ns = T0 + 12, .kind = REPLAY_NEW, .tid = 9}, SWITCH(15, 2, 'S', 9),
		SWITCH(20, 9, 'X', 1)};
	(void)state;

	expect(events, 5,
		"1 running 0-15; 2 woken 10-15; 2 running 15-20; 0 preempted 0-20; 1 blocked 15-20 "
		"open; ");
}

static void a_missing_switch_is_healed(void **state)
{
	struct log log;
	struct replay_event events[] = {
		SWITCH(0, 0, 'R', 5), WAKING(40, 5), SWITCH(50, 6, 'S', 5), SWITCH(60, 5, 'S', 0)};
	(void)state;

	/* 5 left its CPU unseen, and 6 came unseen: 6 ran since the CPU's last switch, 5 slept. */
	replay(events, 4, &log);
	assert_string_equal(log.text,
		"1 running 0-50; 0 blocked 0-40; 0 woken 40-50; 0 running 50-60; 1 blocked 50-60 "
		"open; ");
	assert_int_equal(log.result.missed_switches, 1);
	sums_clear(&log.sums);
	replay_clear(&log.result);
}

static void a_thread_that_turns_up_on_another_cpu_runs_there(void **state)
{
	struct log log;
	struct replay_event events[] = {SWITCH(0, 0, 'R', 5), SWITCH(0, 0, 'R', 7),
		SWITCH(40, 7, 'S', 5), SWITCH(50, 6, 'S', 0), SWITCH(60, 5, 'S', 0)};
	(void)state;

	/* 5 left the first CPU unseen; what happens there later says nothing about it. */
	events[1].cpu = events[2].cpu = events[4].cpu = 1;
	replay(events, 5, &log);
	assert_string_equal(log.text,
		"1 running 0-40; 0 running 0-40; 2 running 0-50; 0 running 40-60; 1 blocked 40-60 "
		"open; 2 blocked 50-60 open; ");
	assert_int_equal(log.result.missed_switches, 1);
	sums_clear(&log.sums);
	replay_clear(&log.result);
}

static void a_cpu_whose_log_begins_late_is_a_switch_missed(void **state)
{
	struct log log;
	struct replay_event events[] = {
		SWITCH(0, 5, 'S', 0), WAKING(10, 5), SWITCH(30, 5, 'S', 0), SWITCH(30, 8, 'S', 0)};
	(void)state;

	/* 5 came onto the second CPU before anybody looked there; 8 was on the third all along. */
	events[2].cpu = 1;
	events[3].cpu = 2;
	replay(events, 4, &log);
	assert_string_equal(log.text, "0 blocked 0-10; 0 running 10-30; 1 running 0-30; ");
	assert_int_equal(log.result.missed_switches, 1);
	sums_clear(&log.sums);
	replay_clear(&log.result);
}

static void a_sample_of_one_that_came_unseen_runs_since_the_last_switch(void **state)
{
	struct log log;
	struct replay_event events[] = {SWITCH(0, 6, 'R', 7), SWITCH(50, 7, 'S', 8),
		{.time_ns = T0 + 60, .kind = REPLAY_SAMPLE, .tid = 5},
		{.time_ns = T0 + 70, .kind = REPLAY_SAMPLE, .tid = REPLAY_NO_TID | 3},
		SWITCH(80, 5, 'S', 7),
		{.time_ns = T0 + 90, .kind = REPLAY_SAMPLE, .tid = REPLAY_NO_TID | 3},
		{.time_ns = T0 + 90, .kind = REPLAY_SAMPLE, .tid = REPLAY_NO_TID | 3, .cpu = 1}};
	(void)state;

	/* Who has no tid any more is who the CPU was given to. */
	replay(events, 7, &log);
	assert_string_equal(log.text,
		"1 running 0-50; 2 blocked 0-50 earlier; 3 blocked 0-50 earlier; 3 sample 60-60; 2 "
		"sample 70-70; 3 running 50-80; 1 blocked 50-80; 1 sample 90-90; 0 preempted 0-90 "
		"open; 1 running 80-90 open; 2 blocked 50-90 open; 3 blocked 80-90 open; ");
	assert_int_equal(log.result.missed_switches, 1);
	assert_int_equal(log.result.unplaced, 1);
	sums_clear(&log.sums);
	replay_clear(&log.result);
}

static void a_wake_of_one_that_never_came_was_on_its_way_to_sleep(void **state)
{
	struct replay_event events[] = {SWITCH(0, 6, 'R', 7), WAKING(10, 5),
		{.time_ns = T0 + 20, .kind = REPLAY_SAMPLE, .tid = 5, .cpu = 1}, WAKING(25, 8),
		SWITCH(40, 5, 'S', 0), SWITCH(50, 8, 'S', 0)};
	(void)state;

	/* Nobody came onto the other CPUs, so both ran there from the beginning. */
	events[4].cpu = 1;
	events[5].cpu = 2;
	expect(events, 6,
		"2 sample 20-20; 2 running 0-40; 3 running 0-50; 0 preempted 0-50 open; 1 running "
		"0-50 open; 2 blocked 40-50 open; ");
}

static void events_out_of_order_are_sorted(void **state)
{
	struct replay_event events[] = {SWITCH(40, 0, 'R', 5), SWITCH(0, 5, 'S', 0), WAKING(30, 5)};
	(void)state;

	expect(events, 3, "0 blocked 0-30; 0 woken 30-40; ");
}

static void without_switches_lives_are_what_is_known(void **state)
{
	struct log log;
	struct replay_event events[] = {
		{.time_ns = T0, .kind = REPLAY_SAMPLE, .tid = 5, .ns = 10, .stack = 1},
		{.time_ns = T0 + 50, .kind = REPLAY_SAMPLE, .tid = 5, .ns = 10, .stack = 2},
		/* Longer than the log: only what lies in it counts. */
		{.time_ns = T0 + 60,
			.kind = REPLAY_WAITED,
			.tid = 6,
			.ns = 500,
			.state = TIME_BLOCKED,
			.letter = 'S'},
		{.time_ns = T0 + 60,
			.kind = REPLAY_WAITED,
			.tid = 7,
			.ns = 5,
			.state = TIME_BLOCKED,
			.letter = 'D'},
		{.time_ns = T0 + 60,
			.kind = REPLAY_WAITED,
			.tid = 7,
			.ns = 5,
			.state = TIME_BLOCKED,
			.letter = 'D',
			.is_iowait = true},
	};
	(void)state;

	replay(events, 5, &log);
	assert_true(log.result.is_partial);
	assert_int_equal(log.result.samples, 2);
	assert_int_equal(log.result.threads.at[0].total_ns[TIME_RUNNING], 20);
	assert_int_equal(log.result.threads.at[1].total_ns[TIME_BLOCKED], 60);
	assert_int_equal(log.result.threads.at[2].total_ns[TIME_BLOCKED], 5);
	sums_clear(&log.sums);
	replay_clear(&log.result);
}

/* Any events at all, and the books still add up and the rows with them. */
static void time_is_conserved_whatever_the_log_says(void **state)
{
	enum { EVENTS = 400 };
	uint32_t chance = 12345;
	(void)state;

	for (int round = 0; round < 300; round++) {
		struct replay_event events[EVENTS];
		struct log log;
		uint64_t rows = 0, threads = 0;
		for (int i = 0; i < EVENTS; i++) {
			uint32_t bits = chance = chance * 1664525u + 1013904223u;
			events[i] =
				(struct replay_event){.time_ns = T0 + (uint64_t)i * 7 - bits % 5,
					.kind = (bits >> 8) % 8,
					.tid = (bits >> 11) % 6,
					.other_tid = (bits >> 14) % 6,
					.cpu = (bits >> 17) % 3,
					.letter = "SRDR"[(bits >> 20) % 4],
					.is_preempted = (bits >> 22) % 8 == 0,
					.is_dead = (bits >> 25) % 16 == 0};
		}
		replay(events, EVENTS, &log);
		vec_each (row, &log.sums.rows) {
			const struct rec_sum *sum = &row->sum;
			uint64_t between = sum->slice_last - sum->slice_first;
			rows += sum->ns;
			if (between)
				assert_int_equal(sum->ns, sum->first_ns + sum->last_ns +
								  (sum->count ? sum->count : 1) *
									  100 * (between - 1));
			else
				assert_int_equal(sum->ns, sum->first_ns);
		}
		vec_each (thread, &log.result.threads)
			threads += thread->end_ns - thread->start_ns;
		assert_int_equal(rows, threads);
		sums_clear(&log.sums);
		replay_clear(&log.result);
	}
}

static void an_interval_over_slices_is_divided(void **state)
{
	struct sums sums = {.slice_ns = 100};
	struct replay_interval interval = {
		.state = TIME_BLOCKED, .letter = 'S', .from_ns = 90, .to_ns = 320};
	(void)state;

	sums_add(&sums, &interval);
	sums_add(&sums, &interval);
	assert_int_equal(sums.rows.count, 1);
	assert_int_equal(sums.rows.at[0].sum.count, 2);
	assert_int_equal(sums.rows.at[0].sum.first_ns, 20);
	assert_int_equal(sums.rows.at[0].sum.last_ns, 40);
	assert_int_equal(sums.rows.at[0].sum.slice_last, 3);
	assert_int_equal(sums.rows.at[0].sum.ns, 460);
	sums_clear(&sums);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_sleep_is_blocked_then_runnable),
		cmocka_unit_test(a_preempted_thread_is_not_blocked_whatever_its_state),
		cmocka_unit_test(the_last_wake_counts),
		cmocka_unit_test(a_thread_woken_on_its_way_to_sleep_does_not_sleep),
		cmocka_unit_test(a_thread_asleep_at_the_start_is_blocked_since_then),
		cmocka_unit_test(a_thread_asleep_at_the_end_is_open),
		cmocka_unit_test(an_exit_closes_the_thread_and_its_tid_is_free),
		cmocka_unit_test(a_new_thread_lives_from_its_birth),
		cmocka_unit_test(a_missing_switch_is_healed),
		cmocka_unit_test(a_thread_that_turns_up_on_another_cpu_runs_there),
		cmocka_unit_test(a_cpu_whose_log_begins_late_is_a_switch_missed),
		cmocka_unit_test(a_sample_of_one_that_came_unseen_runs_since_the_last_switch),
		cmocka_unit_test(a_wake_of_one_that_never_came_was_on_its_way_to_sleep),
		cmocka_unit_test(events_out_of_order_are_sorted),
		cmocka_unit_test(without_switches_lives_are_what_is_known),
		cmocka_unit_test(time_is_conserved_whatever_the_log_says),
		cmocka_unit_test(an_interval_over_slices_is_divided),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
