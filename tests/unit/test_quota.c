// SPDX-License-Identifier: GPL-2.0-or-later
/* What cpu.stat says of a quota. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <unistd.h>
#include <cmocka.h>

#include "host/quota.h"

static void both_versions_are_read(void **state)
{
	(void)state;

	assert_int_equal(quota_parse("usage_usec 9\nnr_periods 1\nnr_throttled 1\n"
				     "throttled_usec 796\n"),
		796000);
	assert_int_equal(
		quota_parse("nr_periods 1\nnr_throttled 1\nthrottled_time 796000\n"), 796000);
	assert_int_equal(quota_parse("usage_usec 9\n"), 0);
	assert_int_equal(quota_parse(""), 0);
	assert_int_equal(quota_parse("\n\n"), 0);
}

static void a_process_that_is_not_there_has_none(void **state)
{
	struct quota quota;
	(void)state;

	quota_begin(&quota, 0x7fffffff);
	assert_null(quota.folder);
	assert_int_equal(quota_held_back_ns(&quota), 0);
	quota_clear(&quota);
	quota_begin_in(&quota, "no such cgroup anywhere");
	assert_null(quota.folder);
	quota_clear(&quota);
	quota_begin(&quota, (uint32_t)getpid());
	quota_clear(&quota);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(both_versions_are_read),
		cmocka_unit_test(a_process_that_is_not_there_has_none),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
