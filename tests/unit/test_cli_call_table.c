// SPDX-License-Identifier: GPL-2.0-or-later
/* The table of calls on a terminal: its order, its figures, and that it never leaves its room. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <string.h>

#include "cli/call_table.h"
#include "util/mem.h"
#include "util/text.h"
#include "util/units.h"

#define CALLS 3

static struct capture_calls calls[CALLS];
static const uint64_t before[CALLS] = {1000, 0, 0};

static void add(struct capture_calls *to, uint64_t count, uint64_t each_ns)
{
	call_lengths_add(&to->lengths, call_band_of(each_ns), count, count * each_ns, each_ns);
	to->wall_ns += count * each_ns;
}

/* Short ones that run, long ones that wait, and one that nobody has called. */
static int setup(void **state)
{
	(void)state;
	memset(calls, 0, sizeof(calls));
	calls[0].name = "libssl:SSL_read";
	add(&calls[0], 3000, 2000);
	calls[0].part_ns[TIME_RUNNING] = calls[0].wall_ns;
	calls[1].name = "syscall:fsync";
	add(&calls[1], 10, 20 * NS_PER_MS);
	calls[1].part_ns[TIME_RUNNING] = calls[1].wall_ns / 10;
	calls[1].part_ns[TIME_WOKEN] = calls[1].wall_ns / 10;
	calls[1].part_ns[TIME_PREEMPTED] = calls[1].wall_ns / 10;
	calls[1].part_ns[TIME_BLOCKED] = calls[1].wall_ns / 10 * 7;
	calls[1].open = 2;
	calls[2].name = "k:\033[31mred";
	return 0;
}

static char *table_of(uint64_t since_ns, size_t lines, size_t columns)
{
	struct call_table table = {
		.calls = calls, .count = CALLS, .before = before, .since_ns = since_ns};

	return call_table(&table, lines, columns);
}

static void what_took_most_time_is_first(void **state)
{
	_cleanup_free_ char *text = table_of(NS_PER_S / 2, 22, 79);
	(void)state;

	assert_string_equal(text,
		"FUNCTION           calls/s     p50     p99     max running no CPU blocked  open\n"
		"syscall:fsync           20   20 ms   20 ms   20 ms    10 %   20 %    70 %     2\n"
		"libssl:SSL_read      4,000  2.0 us  2.0 us  2.0 us   100 %    0 %     0 %     0\n"
		"k:?[31mred               0       -       -       -       -      -       -     "
		"0\n");
}

static void before_there_is_a_second_table_no_rate_is_told(void **state)
{
	_cleanup_free_ char *text = table_of(0, 22, 79);
	(void)state;

	assert_non_null(strstr(text, "syscall:fsync            -   20 ms"));
}

static void expect_room(size_t lines, size_t columns)
{
	_cleanup_free_ char *text = table_of(NS_PER_S, lines, columns);
	size_t seen = 0;

	for (char *at = text, *end; (end = strchr(at, '\n')); at = end + 1) {
		*end = 0;
		assert_true(text_width(at) <= columns);
		seen++;
	}
	assert_true(seen <= lines);
}

static void it_fits_every_terminal(void **state)
{
	(void)state;
	for (size_t lines = 0; lines < 6; lines++)
		for (size_t columns = 0; columns < 130; columns++)
			expect_room(lines, columns);
	_cleanup_free_ char *narrow = table_of(NS_PER_S, 22, 34);
	assert_memory_equal(narrow, "FUNCTION           calls/s     p50\n", 35);
	_cleanup_free_ char *low = table_of(NS_PER_S, 2, 79);
	assert_non_null(strstr(low, "fsync"));
	assert_null(strstr(low, "SSL_read"));
	_cleanup_free_ char *none = table_of(NS_PER_S, 1, 79);
	assert_string_equal(none, "");
}

static void of_long_names_the_end_is_kept(void **state)
{
	(void)state;
	calls[1].name = "/usr/lib/x86_64-linux-gnu/libpq.so.5:PQexec";
	_cleanup_free_ char *text = table_of(NS_PER_S, 22, 79);
	assert_non_null(strstr(text, ".so.5:PQexec "));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(what_took_most_time_is_first, setup),
		cmocka_unit_test_setup(before_there_is_a_second_table_no_rate_is_told, setup),
		cmocka_unit_test_setup(it_fits_every_terminal, setup),
		cmocka_unit_test_setup(of_long_names_the_end_is_kept, setup),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
