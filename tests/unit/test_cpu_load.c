// SPDX-License-Identifier: GPL-2.0-or-later
/* The CPUs' time of /proc/stat. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "host/cpu_load.h"

static void busy_is_all_but_idle_and_the_hypervisor(void **state)
{
	struct cpu_load before = cpu_load_parse("cpu  100 10 50 1000 40 5 5 77 0 0\ncpu0 1 1\n");
	struct cpu_load after = cpu_load_parse("cpu  160 10 70 1100 60 5 5 999 0 0\n");
	(void)state;

	assert_int_equal(before.busy, 170);
	assert_int_equal(before.all, 1210);
	assert_int_equal(cpu_load_share(&before, &after), 400000);
}

static void what_cannot_be_known_is_not_claimed(void **state)
{
	struct cpu_load none = cpu_load_parse(""), odd = cpu_load_parse("cpu 1 2 x");
	struct cpu_load some = cpu_load_parse("cpu 10 0 0 100 0 0 0");
	struct cpu_load back = cpu_load_parse("cpu 10 0 0 90 0 0 0");
	struct cpu_load idle = cpu_load_parse("cpu 10 0 0 200 0 0 0");
	(void)state;

	assert_int_equal(none.all, 0);
	assert_int_equal(odd.all, 0);
	assert_int_equal(cpu_load_share(&none, &some), 0);
	assert_int_equal(cpu_load_share(&some, &none), 0);
	assert_int_equal(cpu_load_share(&some, &back), 0);
	/* Known, and nothing. */
	assert_int_equal(cpu_load_share(&some, &idle), 1);
	assert_true(cpu_load_now().all > 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(busy_is_all_but_idle_and_the_hypervisor),
		cmocka_unit_test(what_cannot_be_known_is_not_claimed),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
