// SPDX-License-Identifier: GPL-2.0-or-later
/* The check of the first law finds what is missing, what is too much, and where. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "view_sample.h"

#include "profile/summary/conservation.h"

static struct conservation check(struct view_sample *sample)
{
	struct conservation conservation;
	struct why why = {""};

	sample_finish(sample);
	if (conservation_check(sample->recording, &conservation, &why))
		fail_msg("%s", why.text);
	sample_end(sample);
	return conservation;
}

static void add_blocked_thread(struct view_sample *sample, uint64_t start_ns, uint64_t end_ns)
{
	sample_add_thread(sample, 1, "a", "a", false, start_ns, end_ns,
		(uint64_t[]){0, 0, 0, end_ns - start_ns});
}

static void a_recording_that_adds_up_is_exact(void **state)
{
	struct view_sample sample;
	(void)state;

	sample_begin(&sample, 10);
	sample_fill(&sample);
	struct conservation conservation = check(&sample);
	assert_int_equal(conservation.expected_ns, 35000 * MS);
	assert_int_equal(conservation.accounted_ns, 35000 * MS);
	assert_int_equal(conservation.unsliced_ns, 0);
	assert_int_equal(conservation.worst_thread_ns, 0);
	assert_int_equal(conservation.worst_thread, REC_NONE);
	assert_int_equal(conservation.worst_slice_ns, 0);
}

static void a_life_that_begins_and_ends_inside_slices_is_exact(void **state)
{
	struct view_sample sample;
	(void)state;

	sample_begin(&sample, 5);
	add_blocked_thread(&sample, 500 * MS, 4250 * MS);
	sample_add_span(&sample, 1, 0, 4, 0, 500 * MS, 250 * MS, 'S', 0, 0);
	struct conservation conservation = check(&sample);
	assert_int_equal(conservation.accounted_ns, conservation.expected_ns);
	assert_int_equal(conservation.worst_slice_ns, 0);
}

static void time_moved_to_another_slice_is_found(void **state)
{
	struct view_sample sample;
	(void)state;

	sample_begin(&sample, 2);
	add_blocked_thread(&sample, 0, 2000 * MS);
	sample_add_row(&sample, 1, 0, TIME_BLOCKED, 1, 1000 * MS - 7, 0, 0);
	sample_add_row(&sample, 1, 1, TIME_BLOCKED, 1, 1000 * MS, 0, 0);
	sample_add_row(&sample, 1, 1, TIME_BLOCKED, 1, 7, 0, 0);
	struct conservation conservation = check(&sample);
	assert_int_equal(conservation.worst_thread_ns, 0);
	assert_int_equal(conservation.worst_slice_ns, 7);
}

static void a_slice_without_any_row_is_found(void **state)
{
	struct view_sample sample;
	(void)state;

	sample_begin(&sample, 3);
	sample_add_thread(&sample, 1, "a", "a", false, 0, 3000 * MS, (uint64_t[]){0, 0, 0, 0});
	sample_add_row(&sample, 1, 0, TIME_BLOCKED, 1, 1000 * MS, 0, 0);
	sample_add_row(&sample, 1, 2, TIME_BLOCKED, 1, 1000 * MS, 0, 0);
	struct conservation conservation = check(&sample);
	assert_int_equal(conservation.worst_thread_ns, 1000 * MS);
	assert_int_equal(conservation.worst_thread, 0);
	assert_int_equal(conservation.worst_slice_ns, 1000 * MS);
	assert_int_equal(conservation.accounted_ns, 2000 * MS);
}

static void time_counted_twice_is_found(void **state)
{
	struct view_sample sample;
	(void)state;

	sample_begin(&sample, 3);
	add_blocked_thread(&sample, 0, 3000 * MS);
	sample_add_span(&sample, 1, 0, 2, 1, 1000 * MS, 1000 * MS, 'S', 0, 0);
	sample_add_row(&sample, 1, 1, TIME_RUNNING, 1, 1000 * MS, 0, 0);
	struct conservation conservation = check(&sample);
	assert_int_equal(conservation.worst_thread_ns, 1000 * MS);
	assert_int_equal(conservation.worst_slice_ns, 1000 * MS);
}

static void time_outside_a_life_is_found(void **state)
{
	struct view_sample sample;
	(void)state;

	sample_begin(&sample, 3);
	add_blocked_thread(&sample, 0, 1000 * MS);
	sample_add_row(&sample, 1, 0, TIME_BLOCKED, 1, 1000 * MS, 0, 0);
	sample_add_row(&sample, 1, 2, TIME_RUNNING, 1, 5, 0, 0);
	struct conservation conservation = check(&sample);
	assert_int_equal(conservation.worst_thread_ns, 5);
	assert_int_equal(conservation.worst_slice_ns, 5);
}

static void time_in_the_totals_alone_is_accounted_but_missing_in_its_slice(void **state)
{
	struct view_sample sample;
	(void)state;

	sample_begin(&sample, 1);
	add_blocked_thread(&sample, 0, 1000 * MS);
	sample_add_row(&sample, 1, 0, TIME_BLOCKED, 1, 600 * MS, 0, 0);
	struct conservation conservation = check(&sample);
	assert_int_equal(conservation.accounted_ns, 1000 * MS);
	assert_int_equal(conservation.unsliced_ns, 400 * MS);
	assert_int_equal(conservation.worst_thread_ns, 0);
	assert_int_equal(conservation.worst_slice_ns, 400 * MS);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_recording_that_adds_up_is_exact),
		cmocka_unit_test(a_life_that_begins_and_ends_inside_slices_is_exact),
		cmocka_unit_test(time_moved_to_another_slice_is_found),
		cmocka_unit_test(a_slice_without_any_row_is_found),
		cmocka_unit_test(time_counted_twice_is_found),
		cmocka_unit_test(time_outside_a_life_is_found),
		cmocka_unit_test(time_in_the_totals_alone_is_accounted_but_missing_in_its_slice),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
