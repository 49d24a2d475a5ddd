// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What a waker did before its last wait, in known logs; and in logs of chance, compared with a slow
 * walk over all that each thread ever did.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "chain_log.h"
#include "replay/sums.h"

/* The server B waits for a timer, for C and for the timer again, all while the client A waits. */
static void every_wait_of_a_server_is_told(void **state)
{
	struct replay_event events[] = {IN(0, 'A'), IN(0, 'B'), IN(0, 'C'), OUT(5, 'A'),
		OUT(10, 'B'), TIMER(30, 'X', 'B'), IN(30, 'B'), OUT(40, 'B'), WAKE(70, 'C', 'B'),
		IN(70, 'B'), OUT(80, 'B'), TIMER(95, 'X', 'B'), IN(95, 'B'), WAKE(100, 'B', 'A'),
		IN(100, 'A'), OUT(110, 'B')};
	(void)state;

	EXPECT(events, 'A',
		"5-40 < B 15 < t(B) 20 metal, 40-80 < B 10 < C(B) 30 awake, "
		"80-100 < B 5 < t(B) 15 metal; ");
}

/* As rows: one wait, as long as it was, although two chains explain it. */
static void add_to_sums(const struct replay_interval *interval, void *context)
{
	sums_add(context, interval);
}

static void the_last_part_counts_the_wait_in_the_sums(void **state)
{
	struct replay_event events[] = {IN(0, 'A'), IN(0, 'B'), IN(0, 'C'), OUT(5, 'A'),
		OUT(10, 'B'), TIMER(30, 'X', 'B'), IN(30, 'B'), OUT(40, 'B'), WAKE(70, 'C', 'B'),
		IN(70, 'B'), WAKE(100000, 'B', 'A'), IN(100000, 'A')};
	struct sums sums = {.slice_ns = 1000000};
	struct replay_result result;
	uint64_t count = 0, ns = 0, rows = 0, longest_ns = 0;
	(void)state;

	replay_run(events, sizeof(events) / sizeof(events[0]), 8, add_to_sums, &sums, &result);
	vec_each (row, &sums.rows) {
		if (row->sum.state != TIME_BLOCKED || result.threads.at[row->sum.thread].tid != 'A')
			continue;
		rows++;
		count += row->sum.count;
		ns += row->sum.ns;
		assert_int_equal(row->sum.band, band_of(99995));
		assert_int_equal(row->sum.max_ns, row->sum.count ? 99995 : row->sum.ns);
		if (row->sum.max_ns > longest_ns)
			longest_ns = row->sum.max_ns;
		assert_true(recording_shares_add_up(
			sums.shares.at + row->shares, row->sum.share_count, row->sum.ns));
	}
	assert_int_equal(rows, 2);
	assert_int_equal(count, 1);
	assert_int_equal(ns, 99995);
	assert_int_equal(longest_ns, 99995);
	sums_clear(&sums);
	replay_clear(&result);
}

/* D holds the lock and reads a disk in it; then C, B and A get it in turn. */
static void a_convoy_is_explained_from_end_to_end(void **state)
{
	struct replay_event events[] = {IN(0, 'A'), IN(0, 'B'), IN(0, 'C'), IN(0, 'D'),
		OUT(10, 'A'), OUT(11, 'B'), OUT(12, 'C'), OUT(20, 'D'), TIMER(60, 'X', 'D'),
		IN(60, 'D'), WAKE(70, 'D', 'C'), IN(72, 'C'), WAKE(80, 'C', 'B'), IN(80, 'B'),
		WAKE(95, 'B', 'A'), IN(95, 'A'), OUT(99, 'B')};
	struct log *log = replay(events, sizeof(events) / sizeof(events[0]), 'A', 8);
	(void)state;

	assert_int_equal(log->earlier_ns, 0);
	assert_string_equal(log->text, "10-11 < B 1 awake, 11-12 < B 0 < C(B) 1 awake, 12-20 < B 0 "
				       "< C(B) 0 < D(C) 8 awake, "
				       "20-95 < B 15 < C(B) 8+2q < D(C) 10 < t(D) 40 metal; ");
	replay_clear(&log->result);
	free(log);
}

/* B was asleep for C before A's wait began, and is still so: that part only is A's. */
static void a_wait_that_began_before_the_window_is_clipped(void **state)
{
	struct replay_event events[] = {IN(0, 'A'), IN(0, 'B'), IN(0, 'C'), OUT(5, 'B'),
		OUT(25, 'A'), TIMER(45, 'X', 'B'), IN(45, 'B'), OUT(50, 'B'), WAKE(60, 'C', 'B'),
		IN(60, 'B'), WAKE(65, 'B', 'A'), IN(65, 'A'), OUT(70, 'B')};
	(void)state;

	EXPECT(events, 'A', "25-50 < B 5 < t(B) 20 metal, 50-65 < B 5 < C(B) 10 awake; ");
}

/* Between its waits B has no CPU for 8 of 20, and A's window begins in the middle of that. */
static void a_gap_has_its_time_without_a_cpu(void **state)
{
	struct replay_event whole[] = {IN(0, 'A'), IN(0, 'B'), OUT(1, 'A'), OUT(5, 'B'),
		TIMER(10, 'X', 'B'), IN(13, 'B'), PREEMPTED(15, 'B'), IN(20, 'B'), OUT(30, 'B'),
		TIMER(40, 'X', 'B'), IN(40, 'B'), WAKE(50, 'B', 'A'), IN(50, 'A'), OUT(60, 'B')};
	struct replay_event half[] = {IN(0, 'A'), IN(0, 'B'), OUT(5, 'B'), TIMER(10, 'X', 'B'),
		IN(13, 'B'), PREEMPTED(15, 'B'), OUT(20, 'A'), IN(20, 'B'), OUT(30, 'B'),
		TIMER(40, 'X', 'B'), IN(40, 'B'), WAKE(50, 'B', 'A'), IN(50, 'A'), OUT(60, 'B')};
	(void)state;

	EXPECT(whole, 'A', "1-50 < B 26+8q < t(B) 15 metal; ");
	EXPECT(half, 'A', "20-30 < B 6+4q awake, 30-50 < B 10 < t(B) 10 metal; ");
}

/* B sleeps 100 times in A's window: what its ring has lost is earlier, the rest is told. */
static void what_is_no_longer_remembered_is_earlier(void **state)
{
	struct replay_event events[700] = {IN(0, 'A'), IN(0, 'B'), OUT(1, 'A')};
	size_t count = 3;
	uint64_t at = 10;
	(void)state;

	for (int i = 0; i < 100; i++, at += 10) {
		struct replay_event one[] = {
			OUT(at, 'B'), TIMER(at + 6, 'X', 'B'), IN(at + 6, 'B')};
		memcpy(events + count, one, sizeof(one));
		count += 3;
	}
	struct replay_event end[] = {WAKE(at, 'B', 'A'), IN(at, 'A'), OUT(at + 5, 'B')};
	memcpy(events + count, end, sizeof(end));
	struct log *log = replay(events, count + 3, 'A', 8);
	assert_true(log->earlier_ns > 300 && log->earlier_ns < 800);
	assert_int_equal(strncmp(log->text, "1-", 2), 0);
	assert_non_null(strstr(log->text, "e earlier, "));
	assert_non_null(strstr(log->text, " metal; "));
	replay_clear(&log->result);
	free(log);
}

/* A thread that is born inside the window is known from then on. */
static void before_its_birth_a_waker_did_nothing_that_is_known(void **state)
{
	struct replay_event events[] = {IN(0, 'A'), IN(0, 'B'), OUT(10, 'A'), BIRTH(30, 'B', 'N'),
		IN(30, 'N'), OUT(40, 'N'), TIMER(60, 'X', 'N'), IN(60, 'N'), WAKE(70, 'N', 'A'),
		IN(70, 'A')};
	(void)state;

	EXPECT(events, 'A',
		"10-30 < N 0+20e earlier, 30-40 < N 10 awake, 40-70 < N 10 < t(N) 20 metal; ");
}

/* The recalled chain B < C < D < timer does not fit into a depth of 2. */
static void a_recalled_chain_is_cut_at_the_depth(void **state)
{
	struct replay_event events[] = {IN(0, 'A'), IN(0, 'B'), IN(0, 'C'), IN(0, 'D'), OUT(1, 'A'),
		OUT(2, 'B'), OUT(3, 'C'), OUT(4, 'D'), TIMER(24, 'X', 'D'), IN(24, 'D'),
		WAKE(30, 'D', 'C'), IN(30, 'C'), WAKE(40, 'C', 'B'), IN(40, 'B'), OUT(50, 'B'),
		TIMER(60, 'X', 'B'), IN(60, 'B'), WAKE(70, 'B', 'A'), IN(70, 'A'), OUT(75, 'B')};
	struct log *log = replay(events, sizeof(events) / sizeof(events[0]), 'A', 2);
	(void)state;

	assert_non_null(strstr(log->text, "depth limit 27, 50-70 < B 10 < t(B) 10 metal; "));
	assert_int_equal(log->earlier_ns, 0);
	assert_true(log->result.chain_truncated >= 1);
	replay_clear(&log->result);
	free(log);
}

enum { THREADS = 6, MOST_WAITS = 4000, STEPS = 160, MOST_STEPS = 4000, PATHS = 20000 };

struct true_wait {
	uint64_t from;
	uint64_t to; /* UINT64_MAX: has not ended */
	int waker;   /* -1: the timer */
};

struct truth {
	struct true_wait waits[THREADS][MOST_WAITS];
	int counts[THREADS];
};

struct path_time {
	char path[64]; /* "A<BCt" */
	uint64_t ns;
};

struct paths {
	struct path_time at[PATHS];
	size_t count;
};

static void add_path(struct paths *paths, const char *path, uint64_t ns)
{
	for (size_t i = 0; i < paths->count; i++)
		if (!strcmp(paths->at[i].path, path)) {
			paths->at[i].ns += ns;
			return;
		}
	assert_true(paths->count < PATHS);
	snprintf(paths->at[paths->count].path, sizeof(paths->at[0].path), "%s", path);
	paths->at[paths->count++].ns = ns;
}

/*
 * All that a thread did in [lo, hi): while it was awake it was the cause, and while it waited,
 * whoever woke it from that wait.
 */
static void walk_truth(const struct truth *truth, int thread, uint64_t lo, uint64_t hi,
	const char *path, uint32_t hops, uint32_t depth, struct paths *paths)
{
	char longer[64];

	if (hops == depth) {
		snprintf(longer, sizeof(longer), "%s...", path);
		add_path(paths, longer, hi - lo);
		return;
	}
	snprintf(longer, sizeof(longer), "%s%c", path, thread < 0 ? 't' : 'A' + thread);
	for (int i = 0; thread >= 0 && i < truth->counts[thread] && lo < hi; i++) {
		const struct true_wait *wait = &truth->waits[thread][i];
		uint64_t from = wait->from > lo ? wait->from : lo;
		uint64_t to = wait->to < hi ? wait->to : hi;
		if (from >= to)
			continue;
		if (from > lo)
			add_path(paths, longer, from - lo);
		walk_truth(truth, wait->waker, from, to, longer, hops + 1, depth, paths);
		lo = to;
	}
	if (lo < hi)
		add_path(paths, longer, hi - lo);
}

struct comparison {
	struct paths told;
	struct paths meant;
	struct truth truth;
	struct log log;
};

static void note_paths(const struct replay_interval *interval, void *context)
{
	struct comparison *comparison = context;
	const struct chain_table *table = &comparison->log.result.chains;

	note(interval, &comparison->log);
	if (interval->state != TIME_BLOCKED || interval->is_open)
		return;
	const struct table_chain *chain = chain_table_get(table, interval->chain);
	uint32_t tid = comparison->log.result.threads.at[interval->thread].tid;
	char path[64] = {(char)tid, '<'};
	for (uint32_t i = 0; i <= chain->hop_count; i++) {
		const struct rec_share *share = &interval->shares[i];
		if (i < chain->hop_count)
			path[2 + i] = (char)table->links.at[chain->first + i].waker.name;
		else
			strcat(path, "...");
		if (share->ran_ns + share->no_cpu_ns)
			add_path(&comparison->told, path, share->ran_ns + share->no_cpu_ns);
	}
}

static uint32_t draw(uint32_t *chance, uint32_t below)
{
	*chance = *chance * 1664525u + 1013904223u;
	return (*chance >> 8) % below;
}

enum { AWAKE, ASLEEP, QUEUED, PUSHED };

/*
 * A log in which everything is in order, and what really happened in it. Of more than STEPS, A
 * sleeps through most: it would need all that the others remember, and more.
 */
static size_t make_log(uint32_t *chance, int steps, uint64_t unit_ns, struct replay_event *events,
	struct truth *truth)
{
	int states[THREADS] = {AWAKE};
	size_t count = 0;
	uint64_t at = 10;

	for (int i = 0; i < THREADS; i++)
		events[count++] = (struct replay_event)IN(0, 'A' + i);
	for (int step = 0; step < steps; step++, at += unit_ns * (1 + draw(chance, 50))) {
		int who = (int)draw(chance, THREADS), other = (int)draw(chance, THREADS);
		struct true_wait *last;
		bool is_long = steps > STEPS, is_calm = is_long && draw(chance, 150);
		if (states[0] == ASLEEP && ((is_long && !who) || (is_calm && !other)))
			continue;
		if (states[who] == QUEUED || states[who] == PUSHED) {
			events[count++] = (struct replay_event)IN(at, 'A' + who);
			states[who] = AWAKE;
		} else if (states[who] == ASLEEP) {
			if (draw(chance, 3))
				continue;
			events[count++] = (struct replay_event)TIMER(at, 'X', 'A' + who);
			last = &truth->waits[who][truth->counts[who] - 1];
			last->to = at;
			last->waker = -1;
			states[who] = QUEUED;
		} else if (states[other] == ASLEEP) {
			events[count++] = (struct replay_event)WAKE(at, 'A' + who, 'A' + other);
			last = &truth->waits[other][truth->counts[other] - 1];
			last->to = at;
			last->waker = who;
			states[other] = QUEUED;
		} else if (!draw(chance, 4)) {
			events[count++] = (struct replay_event)PREEMPTED(at, 'A' + who);
			states[who] = PUSHED;
		} else {
			events[count++] = (struct replay_event)OUT(at, 'A' + who);
			truth->waits[who][truth->counts[who]++] =
				(struct true_wait){at, UINT64_MAX, -1};
			states[who] = ASLEEP;
		}
	}
	return count;
}

static uint64_t path_ns(const struct paths *paths, const char *path)
{
	for (size_t i = 0; i < paths->count; i++)
		if (!strcmp(paths->at[i].path, path))
			return paths->at[i].ns;
	return 0;
}

/*
 * All is told as it was if all was remembered. Of what was forgotten, time is taken to be spread
 * evenly between two moments: next to nothing is told that was not so.
 */
static void compare_paths(const struct paths *told, const struct paths *meant, bool is_whole)
{
	uint64_t told_ns = 0, wrong_ns = 0;

	for (size_t i = 0; i < told->count; i++) {
		uint64_t ns = path_ns(meant, told->at[i].path);
		told_ns += told->at[i].ns;
		wrong_ns += told->at[i].ns > ns ? told->at[i].ns - ns : 0;
		if (is_whole && told->at[i].ns != ns)
			fail_msg("%s: %d ns, not %d", told->at[i].path, (int)told->at[i].ns,
				(int)ns);
	}
	if (wrong_ns > told_ns / 50)
		fail_msg("%d of %d ns were not so", (int)wrong_ns, (int)told_ns);
	for (size_t i = 0; is_whole && i < meant->count; i++)
		if (!path_ns(told, meant->at[i].path))
			fail_msg("%s: %d ns are not told", meant->at[i].path, (int)meant->at[i].ns);
}

/* True if all was remembered, and so could be compared. */
static bool compare_log(uint32_t *chance, int steps, uint64_t unit_ns, uint32_t depth)
{
	struct comparison *comparison = calloc(1, sizeof(*comparison));
	struct replay_event events[THREADS + MOST_STEPS];
	size_t count = make_log(chance, steps, unit_ns, events, &comparison->truth);
	struct log *log = &comparison->log;
	const struct truth *truth = &comparison->truth;

	log->depth = depth;
	replay_run(events, count, depth, note_paths, comparison, &log->result);
	/* Also counts segments that would not ascend in the past of their thread. */
	assert_int_equal(log->result.chain_mismatches, 0);
	assert_int_equal(log->blocked_ns, log->shared_ns);
	bool is_whole = !log->earlier_ns;
	for (int thread = 0; thread < THREADS; thread++)
		for (int i = 0; i < truth->counts[thread]; i++) {
			const struct true_wait *wait = &truth->waits[thread][i];
			char path[] = {(char)('A' + thread), '<', 0};
			if (wait->to != UINT64_MAX)
				walk_truth(truth, wait->waker, wait->from, wait->to, path, 0, depth,
					&comparison->meant);
		}
	compare_paths(&comparison->told, &comparison->meant, is_whole);
	replay_clear(&log->result);
	free(comparison);
	return is_whole;
}

static void a_slow_walk_over_the_whole_log_finds_the_same(void **state)
{
	uint32_t chance = 20261115, compared = 0, rounds = 1200;
	(void)state;

	for (uint32_t round = 0; round < rounds; round++)
		compared += compare_log(&chance, STEPS, 1, 1 + round % 12);
	assert_true(compared > rounds * 9 / 10);
}

/* Long enough for rings to go round: some time is earlier, and what is told is still in order. */
static void rings_that_go_round_lose_the_oldest_only(void **state)
{
	uint32_t chance = 4711, compared = 0, rounds = 60;
	const uint64_t unit_ns = 100 * 1000;
	(void)state;

	for (uint32_t round = 0; round < rounds; round++)
		compared +=
			compare_log(&chance, MOST_STEPS, unit_ns, 1 + round % CONTRACT_MAX_HOPS);
	assert_true(compared < rounds / 2);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_wait_of_a_server_is_told),
		cmocka_unit_test(the_last_part_counts_the_wait_in_the_sums),
		cmocka_unit_test(a_convoy_is_explained_from_end_to_end),
		cmocka_unit_test(a_wait_that_began_before_the_window_is_clipped),
		cmocka_unit_test(a_gap_has_its_time_without_a_cpu),
		cmocka_unit_test(what_is_no_longer_remembered_is_earlier),
		cmocka_unit_test(before_its_birth_a_waker_did_nothing_that_is_known),
		cmocka_unit_test(a_recalled_chain_is_cut_at_the_depth),
		cmocka_unit_test(a_slow_walk_over_the_whole_log_finds_the_same),
		cmocka_unit_test(rings_that_go_round_lose_the_oldest_only),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
