// SPDX-License-Identifier: GPL-2.0-or-later
/* The live line: what it says, and that it never is wider than its terminal. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "cli/progress.h"
#include "util/mem.h"
#include "util/text.h"
#include "util/units.h"

static const struct progress busy = {
	.now = {.elapsed_ns = 12 * NS_PER_S,
		.threads = 569,
		.waits = 84120,
		.table_bytes = 36 << 20,
		.has_target = true},
	.new_waits = 4010,
	.since_ns = NS_PER_S / 2,
	.duration_ns = 30 * NS_PER_S,
};

static void expect(const struct progress *progress, size_t columns, const char *expected)
{
	_cleanup_free_ char *line = progress_line(progress, columns);

	assert_string_equal(line, expected);
	assert_true(text_width(line) <= columns);
}

static void it_says_how_far_it_is_and_what_goes_on(void **state)
{
	(void)state;
	expect(&busy, 119,
		"recording 12 s of 30 s: 569 threads, 84,120 waits (8,020/s), nothing lost; "
		"Ctrl-C stops; tables 36 MiB");
	struct progress endless = busy;
	endless.duration_ns = endless.since_ns = 0;
	endless.has_command = true;
	endless.now.threads = 1;
	expect(&endless, 119,
		"recording 12 s: 1 thread, 84,120 waits, nothing lost; ends with the command; "
		"tables 36 MiB");
}

static void it_fits_every_terminal(void **state)
{
	(void)state;
	expect(&busy, 79,
		"recording 12 s of 30 s: 569 threads, 84,120 waits (8,020/s), nothing lost");
	expect(&busy, 49, "recording 12 s of 30 s: 569 threads, nothing lost");
	expect(&busy, 10, "recording~");
}

static void losses_are_told_before_anything_else_that_may_be_left_out(void **state)
{
	struct progress lossy = busy;
	(void)state;

	lossy.now.lost = 1234;
	expect(&lossy, 49, "recording 12 s of 30 s: 569 threads, 1,234 LOST");
}

static void nobody_is_told(void **state)
{
	struct progress alone = {.now = {.elapsed_ns = NS_PER_S}};
	(void)state;

	expect(&alone, 79,
		"recording 1 s: no thread to record is there, nothing lost; Ctrl-C stops");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(it_says_how_far_it_is_and_what_goes_on),
		cmocka_unit_test(it_fits_every_terminal),
		cmocka_unit_test(losses_are_told_before_anything_else_that_may_be_left_out),
		cmocka_unit_test(nobody_is_told),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
