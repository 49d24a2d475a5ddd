// SPDX-License-Identifier: GPL-2.0-or-later
/* Filters as people write them, the arithmetic of slices, and rounding that keeps sums. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "profile/filter.h"
#include "profile/placer.h"
#include "profile/rounding.h"
#include "profile/span.h"
#include "util/units.h"

static void borders_of_bands_are_accepted_and_all_else_is_refused(void **state)
{
	struct view_filter filter;
	struct why why = {""};
	(void)state;

	view_filter_init(&filter);
	assert_int_equal(view_filter_set_min_wait(&filter, "1ms", &why), 0);
	assert_int_equal(filter.min_band, 3);
	assert_int_equal(view_filter_set_max_wait(&filter, "1s", &why), 0);
	assert_int_equal(filter.max_band, 5);
	assert_int_equal(view_filter_check(&filter, &why), 0);
	assert_true(view_filter_set_min_wait(&filter, "5ms", &why) < 0);
	assert_non_null(strstr(why.text, "10us, 100us, 1ms, 10ms, 100ms or 1s"));
	assert_int_equal(filter.min_band, 3);
	assert_true(view_filter_set_max_wait(&filter, "10s", &why) < 0);
	assert_true(view_filter_set_max_wait(&filter, "0", &why) < 0);
}

static void filters_that_exclude_each_other_are_refused(void **state)
{
	struct view_filter filter;
	struct why why = {""};
	(void)state;

	view_filter_init(&filter);
	assert_int_equal(view_filter_set_min_wait(&filter, "100ms", &why), 0);
	assert_int_equal(view_filter_set_max_wait(&filter, "100ms", &why), 0);
	assert_true(view_filter_check(&filter, &why) < 0);
	view_filter_init(&filter);
	filter.from_ns = filter.to_ns = 5;
	assert_true(view_filter_check(&filter, &why) < 0);
	view_filter_init(&filter);
	filter.is_user_only = filter.is_kernel_only = true;
	assert_true(view_filter_check(&filter, &why) < 0);
}

static void bad_words_are_named_with_what_is_allowed(void **state)
{
	struct view_filter filter;
	struct stack_shape shape = {.by = {BY_COMM}, .by_count = 1};
	struct why why = {""};
	(void)state;

	view_filter_init(&filter);
	assert_true(view_filter_set_reasons(&filter, "disk,dusk", &why) < 0);
	assert_non_null(strstr(why.text, "dusk"));
	assert_non_null(strstr(why.text, "socket"));
	assert_true(view_filter_set_states(&filter, "blokced", &why) < 0);
	assert_non_null(strstr(why.text, "preempted"));
	assert_true(view_filter_add_pids(&filter, "1,x", &why) < 0);
	assert_true(view_filter_add_tids(&filter, "-5", &why) < 0);
	assert_true(view_filter_add_tids(&filter, "", &why) < 0);
	assert_true(view_filter_set_idle(&filter, "maybe", &why) < 0);
	assert_true(view_filter_set_from(&filter, "soon", &why) < 0);
	assert_true(stack_shape_set_by(&shape, "comm,tribe", &why) < 0);
	assert_int_equal(shape.by_count, 1);
	assert_true(stack_shape_set_by(&shape, "comm,comm,comm,comm,comm", &why) < 0);
	view_filter_clear(&filter);
}

static void filters_are_described_in_words(void **state)
{
	struct view_filter filter;
	struct why why;
	(void)state;

	view_filter_init(&filter);
	assert_true(view_filter_is_open(&filter));
	_cleanup_free_ char *none = view_filter_text(&filter);
	assert_string_equal(none, "");
	view_filter_set_min_wait(&filter, "1ms", &why);
	view_filter_set_states(&filter, "D", &why);
	view_filter_set_reasons(&filter, "disk,lock", &why);
	view_filter_add_pids(&filter, "7,8", &why);
	view_filter_set_comm(&filter, "post*");
	filter.is_user_only = true;
	_cleanup_free_ char *text = view_filter_text(&filter);
	assert_string_equal(text, "waits >= 1.0 ms, blocked in state D, in disk or lock, processes "
				  "7,8, threads named post*, user threads");
	assert_false(view_filter_is_open(&filter));
	view_filter_clear(&filter);
}

static void the_parts_of_a_span_add_up_whatever_the_numbers_are(void **state)
{
	static const struct rec_sum sums[] = {
		{.slice_first = 3, .slice_last = 3, .ns = 100, .first_ns = 100},
		{.slice_first = 3, .slice_last = 4, .ns = 100, .first_ns = 30, .last_ns = 70},
		{.slice_first = 3, .slice_last = 13, .ns = 999, .first_ns = 1, .last_ns = 1},
		{.slice_first = 3, .slice_last = 5, .ns = 10, .first_ns = 20, .last_ns = 30},
		{.slice_first = 0, .slice_last = 20, .ns = UINT64_MAX, .first_ns = 5, .last_ns = 5},
	};
	(void)state;

	for (size_t i = 0; i < sizeof(sums) / sizeof(sums[0]); i++) {
		uint64_t sum = 0;
		for (uint32_t slice = 0; slice < 30; slice++)
			sum += span_ns(&sums[i], slice, slice + 1);
		assert_true(sum == sums[i].ns);
	}
}

static void carried_rounding_keeps_the_sum(void **state)
{
	struct carry carry = {0};
	uint64_t sum = 0, printed = 0;
	(void)state;

	for (uint64_t i = 0; i < 1000; i++) {
		uint64_t value = i * 37 % 2500;
		sum += value;
		printed += carry_divide(&carry, value, 1000);
	}
	assert_int_equal(printed, sum / 1000);
}

static void shares_add_up_and_favour_the_largest_remainder(void **state)
{
	uint64_t thirds[] = {1, 1, 1}, shares[3], none[] = {0, 0, 0};
	uint64_t large[] = {UINT64_MAX / 2, UINT64_MAX / 2 - 10, 1};
	(void)state;

	apportion(thirds, 3, 100, shares);
	assert_int_equal(shares[0], 34);
	assert_int_equal(shares[1], 33);
	assert_int_equal(shares[2], 33);
	apportion((uint64_t[]){16, 27, 57}, 3, 10, shares);
	assert_int_equal(shares[0], 1);
	assert_int_equal(shares[1], 3);
	assert_int_equal(shares[2], 6);
	apportion(none, 3, 100, shares);
	assert_int_equal(shares[0] + shares[1] + shares[2], 0);
	apportion(large, 3, UINT64_MAX, shares);
	assert_true(shares[0] + shares[1] + shares[2] == UINT64_MAX);
	apportion(NULL, 0, 5, shares);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(borders_of_bands_are_accepted_and_all_else_is_refused),
		cmocka_unit_test(filters_that_exclude_each_other_are_refused),
		cmocka_unit_test(bad_words_are_named_with_what_is_allowed),
		cmocka_unit_test(filters_are_described_in_words),
		cmocka_unit_test(the_parts_of_a_span_add_up_whatever_the_numbers_are),
		cmocka_unit_test(carried_rounding_keeps_the_sum),
		cmocka_unit_test(shares_add_up_and_favour_the_largest_remainder),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
