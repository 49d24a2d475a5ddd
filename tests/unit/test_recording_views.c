// SPDX-License-Identifier: GPL-2.0-or-later
/* The SQL views of a recording say what the reader says, in words. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "recording_sample.h"

static int64_t view_total(const char *path, const char *column, uint32_t thread)
{
	_cleanup_free_ char *sql =
		xasprintf("SELECT %s FROM thread_time WHERE thread = %u", column, thread);

	return sample_query(path, sql);
}

static void compare_view_with_reader(const char *path)
{
	struct recording *recording = sample_open(path);
	size_t count;
	const struct rec_thread *threads = recording_threads(recording, &count);

	assert_int_equal(sample_query(path, "SELECT count(*) FROM thread_time"), count);
	for (size_t i = 0; i < count; i++) {
		const uint64_t *total_ns = threads[i].total_ns;
		assert_int_equal(view_total(path, "life_ns", threads[i].id),
			threads[i].end_ns - threads[i].start_ns);
		assert_int_equal(
			view_total(path, "running_ns", threads[i].id), total_ns[TIME_RUNNING]);
		assert_int_equal(view_total(path, "runnable_ns", threads[i].id),
			total_ns[TIME_WOKEN] + total_ns[TIME_PREEMPTED]);
		assert_int_equal(
			view_total(path, "blocked_ns", threads[i].id), total_ns[TIME_BLOCKED]);
		assert_int_equal(view_total(path, "tid", threads[i].id), threads[i].tid);
	}
	recording_free(recording);
}

static void thread_time_agrees_with_the_reader(void **state)
{
	const struct place *place = *state;

	sample_write(place->path);
	compare_view_with_reader(place->path);
	sample_write_unfinished(place->path);
	compare_view_with_reader(place->path);
}

static void waits_hold_all_blocked_time_in_words(void **state)
{
	const struct place *place = *state;
	const char *path = place->path;

	sample_write_unfinished(path);
	assert_int_equal(sample_query(path, "SELECT count(*) FROM waits"), 3);
	assert_int_equal(sample_query(path, "SELECT sum(total_ns) FROM waits"), 12750 * MS);
	assert_int_equal(
		sample_query(path, "SELECT total_ns FROM waits WHERE tid = 101 AND pid = 4000000000"
				   " AND state = 'blocked' AND task_state = 'uninterruptible'"
				   " AND kernel_function = 'schedule' AND user_function = 'work'"),
		4000 * MS);
	assert_int_equal(
		sample_query(path, "SELECT max_ns FROM waits WHERE count = 1 AND user_function ="
				   " '/usr/bin/server+0xfffffffffffffff0'"),
		3250 * MS);
	assert_int_equal(
		sample_query(path, "SELECT count(*) FROM waits WHERE user_function = '[none]'"), 1);
}

static void every_second_of_a_thread_is_in_its_slice(void **state)
{
	const struct place *place = *state;
	const char *path = place->path;

	sample_write(path);
	assert_int_equal(sample_query(path, "SELECT sum(ns) FROM sums_by_slice"), 15000 * MS);
	assert_int_equal(sample_query(path, "SELECT sum(count) FROM sums_by_slice"), 106);
	/* Thread 1 lived through all of every slice, thread 2 from 1.5 s on. */
	assert_int_equal(
		sample_query(path, "SELECT count(*) FROM (SELECT slice, sum(ns) AS ns FROM"
				   " sums_by_slice WHERE thread = 1 GROUP BY slice) b"
				   " JOIN slices s ON s.id = b.slice AND s.length_ns = b.ns"),
		6);
	assert_int_equal(sample_query(path,
				 "SELECT sum(ns) FROM sums_by_slice WHERE thread = 2 AND slice = 1"
				 " AND state = 'blocked' AND band = '>= 1 s'"),
		500 * MS);
	/* The wait's count belongs to the slice in which it ended. */
	assert_int_equal(sample_query(path, "SELECT slice FROM sums_by_slice WHERE count > 0"
					    " AND state = 'blocked'"),
		4);
}

static void stack_frames_lists_each_stack_from_the_root(void **state)
{
	const struct place *place = *state;
	const char *path = place->path;

	sample_write(path);
	assert_int_equal(sample_query(path, "SELECT count(*) FROM stack_frames"), 9);
	assert_int_equal(
		sample_query(path, "SELECT position FROM stack_frames WHERE stack = 102"
				   " AND function = 'main' AND object = '/usr/bin/server'"),
		1);
	assert_int_equal(sample_query(path, "SELECT position FROM stack_frames WHERE stack = 102"
					    " AND function = 'work'"),
		2);
}

static void chains_are_told_in_words(void **state)
{
	const struct place *place = *state;
	const char *path = place->path;

	sample_write_unfinished(path);
	assert_int_equal(sample_query(path, "SELECT sum(total_ns) FROM wait_chains"), 12750 * MS);
	assert_int_equal(sample_query(path, "SELECT total_ns FROM wait_chains WHERE wakers ="
					    " 'feeder < [timer hrtimer_wakeup]'"
					    " AND chain_end = 'metal' AND comm = 'server'"),
		3250 * MS);
	assert_int_equal(sample_query(path, "SELECT count(*) FROM wait_chains WHERE"
					    " wakers = '[not woken]'"),
		2);
	assert_int_equal(sample_query(path, "SELECT no_cpu_ns FROM causes WHERE name = 'feeder'"
					    " AND position = 0 AND kind = 'task'"
					    " AND ran_ns = 200000000"),
		50 * MS);
	assert_int_equal(sample_query(path, "SELECT ran_ns FROM causes WHERE kind = 'timer'"
					    " AND waited_function = 'schedule'"),
		2000 * MS);
}

static void calls_are_told_by_function(void **state)
{
	const struct place *place = *state;
	const char *path = place->path;

	sample_write(path);
	assert_int_equal(sample_query(path, "SELECT count(*) FROM call_latency"), 2);
	assert_int_equal(
		sample_query(path,
			"SELECT max_ns FROM call_latency WHERE function = 'libdb:commit' AND"
			" calls = 101 AND slow = 1 AND errors = 0 AND p50_ns = 20408 AND"
			" p90_ns = 20408 AND p99_ns = 1000000"),
		4300 * MS);
	/* The inner call's time is in that of the one it was within. */
	assert_int_equal(sample_query(path,
				 "SELECT total_ns FROM call_latency WHERE total_ns = running_ns +"
				 " woken_ns + preempted_ns + blocked_ns AND function LIKE 'lib%'"),
		4302015 * (MS / 1000));
	assert_int_equal(
		sample_query(path, "SELECT errors FROM call_latency WHERE function LIKE 'sys%'"),
		2);
}

static void slow_waits_are_told_in_words(void **state)
{
	const struct place *place = *state;
	const char *path = place->path;

	sample_write(path);
	assert_int_equal(
		sample_query(path, "SELECT total_ns FROM slow_waits WHERE function = 'libdb:commit'"
				   " AND state = 'blocked' AND kernel_function = 'schedule' AND"
				   " thing = 'cache_lock' AND"
				   " wakers = 'feeder < [timer hrtimer_wakeup]'"),
		3250 * MS);
	assert_int_equal(
		sample_query(path, "SELECT total_ns FROM slow_waits WHERE"
				   " state = 'preempted' AND user_function = '[more waits]'"),
		500 * MS);
	assert_int_equal(sample_query(path, "SELECT sum(total_ns) FROM slow_waits"), 8050 * MS);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, sample_make_place, sample_remove_place)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(thread_time_agrees_with_the_reader),
		TEST(waits_hold_all_blocked_time_in_words),
		TEST(every_second_of_a_thread_is_in_its_slice),
		TEST(stack_frames_lists_each_stack_from_the_root),
		TEST(chains_are_told_in_words),
		TEST(calls_are_told_by_function),
		TEST(slow_waits_are_told_in_words),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
