// SPDX-License-Identifier: GPL-2.0-or-later
/* The names that may have been meant: the nearest first, each once, none that is far. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <string.h>

#include "util/mem.h"
#include "util/nearest.h"

static void the_nearest_come_first(void **state)
{
	static const char *const names[] = {"mallinfo2", "malloc", "calloc", "free", "malloc",
		"mallocx", "alloc", "realloc", "malloc_trim"};
	struct nearest nearest;
	(void)state;

	nearest_init(&nearest, "mallocc");
	for (size_t i = 0; i < ARRAY_SIZE(names); i++)
		nearest_add(&nearest, names[i]);
	_cleanup_free_ char *text = nearest_text(&nearest);
	nearest_clear(&nearest);
	assert_string_equal(text, "malloc, mallocx, calloc");
}

static void nothing_near_is_nothing(void **state)
{
	struct nearest nearest;
	(void)state;

	nearest_init(&nearest, "x");
	assert_null(nearest_text(&nearest));
	nearest_add(&nearest, "something else");
	nearest_add(&nearest, "");
	assert_null(nearest_text(&nearest));
	nearest_clear(&nearest);
}

static void long_names_and_many_are_bounded(void **state)
{
	_cleanup_free_ char *name = xcalloc(1, 5000);
	struct nearest nearest;
	(void)state;

	memset(name, 'a', 4999);
	nearest_init(&nearest, name);
	for (size_t i = 0; i < 1000; i++)
		nearest_add(&nearest, name);
	assert_null(nearest_text(&nearest));
	nearest_clear(&nearest);
	name[200] = 0;
	nearest_init(&nearest, name);
	name[199] = 'b';
	for (size_t i = 0; i < 1000000; i++)
		nearest_add_part(&nearest, "aaaaa", 5);
	nearest_clear(&nearest);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_nearest_come_first),
		cmocka_unit_test(nothing_near_is_nothing),
		cmocka_unit_test(long_names_and_many_are_bounded),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
