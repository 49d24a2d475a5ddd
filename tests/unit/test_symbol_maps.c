// SPDX-License-Identifier: GPL-2.0-or-later
/* The text of /proc/PID/maps: ordinary lines, odd paths, and lines that are none. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <string.h>

#include "symbol/maps.h"
#include "util/mem.h"

static void a_line_is_taken_apart(void **state)
{
	struct map_line line;

	(void)state;
	assert_true(map_line_parse("7f4ea373f000-7f4ea3765000 r-xp 00001000 fe:10 332383"
				   "                     /usr/lib/libc.so.6\n",
		&line));
	assert_int_equal(line.start, 0x7f4ea373f000);
	assert_int_equal(line.end, 0x7f4ea3765000);
	assert_int_equal(line.offset, 0x1000);
	assert_int_equal(line.dev_major, 0xfe);
	assert_int_equal(line.dev_minor, 0x10);
	assert_int_equal(line.inode, 332383);
	assert_true(line.is_executable);
	assert_false(line.is_deleted);
	assert_string_equal(line.path, "/usr/lib/libc.so.6");
	free(line.path);
}

static void check_path(const char *written, const char *path, bool is_deleted)
{
	_cleanup_free_ char *text = xasprintf("1000-2000 r-xp 00000000 00:01 7    %s", written);
	struct map_line line;

	assert_true(map_line_parse(text, &line));
	assert_string_equal(line.path, path);
	assert_int_equal(line.is_deleted, is_deleted);
	free(line.path);
}

static void a_path_may_hold_anything(void **state)
{
	(void)state;
	check_path("/a b  c", "/a b  c", false);
	check_path("/a\\012b", "/a\nb", false);
	check_path("/a\\013\\01", "/a\\013\\01", false);
	check_path("/gone (deleted)", "/gone", true);
	check_path("/gone (deleted)\n", "/gone", true);
	check_path("/gone (deleted) not", "/gone (deleted) not", false);
	check_path("/twice (deleted) (deleted)", "/twice (deleted)", true);
	check_path("[anon:a name]", "[anon:a name]", false);
	check_path("/memfd:jit code (deleted)", "/memfd:jit code", true);
	check_path(" (deleted)", "(deleted)", false);
	check_path("", "", false);
}

static void a_line_without_a_path_is_whole(void **state)
{
	struct map_line line;

	(void)state;
	assert_true(map_line_parse("1000-2000 rwxp 00000000 00:00 0 \n", &line));
	assert_string_equal(line.path, "");
	assert_int_equal(line.inode, 0);
	free(line.path);
	assert_true(
		map_line_parse("ffffffffff600000-ffffffffff601000 --xp 00000000 00:00 0", &line));
	assert_true(line.is_executable);
	free(line.path);
}

static void what_is_no_line_is_refused(void **state)
{
	static const char *const texts[] = {"", "\n", " ", "-", "1000", "1000-2000",
		"1000-2000 r-xp", "1000-2000 r-x 00000000 00:00 0", "2000-1000 r-xp 0 00:00 0 /a",
		"1000-1000 r-xp 0 00:00 0 /a", "1000-2000 r-xp 0 0000 0 /a",
		"1000-2000 r-xp 0 00:00 x /a", "1000-2000 r-xp 0 00:00 0x /a",
		"x000-2000 r-xp 0 00:00 0 /a", "-1000-2000 r-xp 0 00:00 0 /a",
		" 1000-2000 r-xp 0 00:00 0 /a", "1000 -2000 r-xp 0 00:00 0 /a",
		"11111111111111111-22222222222222222 r-xp 0 00:00 0 /a",
		"1000-2000 r-xp 0 00:00 99999999999999999999999 /a"};
	struct map_line line = {.start = 7};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(texts); i++)
		if (map_line_parse(texts[i], &line))
			fail_msg("taken for a line: %s", texts[i]);
	assert_int_equal(line.start, 7);
}

static void only_executable_mappings_are_kept_in_order(void **state)
{
	static const char text[] = "5000-6000 r-xp 00000000 00:01 7 /b\n"
				   "garbage\n"
				   "3000-4000 rw-p 00000000 00:01 7 /data\n"
				   "1000-2000 r-xp 00000000 00:01 7 /a\n";
	_cleanup_fclose_ FILE *in = fmemopen((char *)text, strlen(text), "r");
	struct map_lines maps = {0};
	size_t all = 0;

	(void)state;
	assert_int_equal(map_lines_read(in, &maps, &all), 0);
	assert_int_equal(all, 3);
	assert_int_equal(maps.lines.count, 2);
	assert_string_equal(maps.lines.at[0].path, "/a");
	assert_string_equal(maps.lines.at[1].path, "/b");
	map_lines_clear(&maps);
}

static void an_endless_line_costs_only_the_end_of_its_path(void **state)
{
	_cleanup_free_ char *endless = xmalloc(200001);
	_cleanup_free_ char *text = NULL;
	struct map_lines maps = {0};

	(void)state;
	memset(endless, 'x', 200000);
	endless[200000] = '\0';
	text = xasprintf("1000-2000 r-xp 00000000 00:01 7 /%s\n"
			 "3000-4000 r-xp 00000000 00:01 8 /next\n",
		endless);
	_cleanup_fclose_ FILE *in = fmemopen(text, strlen(text), "r");
	assert_int_equal(map_lines_read(in, &maps, NULL), 0);
	assert_int_equal(maps.lines.count, 2);
	assert_int_equal(maps.lines.at[0].end, 0x2000);
	assert_true(strlen(maps.lines.at[0].path) < 20000);
	assert_string_equal(maps.lines.at[1].path, "/next");
	map_lines_clear(&maps);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_line_is_taken_apart),
		cmocka_unit_test(a_path_may_hold_anything),
		cmocka_unit_test(a_line_without_a_path_is_whole),
		cmocka_unit_test(what_is_no_line_is_refused),
		cmocka_unit_test(only_executable_mappings_are_kept_in_order),
		cmocka_unit_test(an_endless_line_costs_only_the_end_of_its_path),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
