// SPDX-License-Identifier: GPL-2.0-or-later
/* Processes with very many mappings: what adding one costs, and which ones are left out. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <time.h>

#include "unwind/mapping_choice.h"
#include "symbol/object.h"
#include "util/clock.h"

#define PAGE 4096ULL
#define AREA (1ULL << 40)

static void add(struct object_table *table, struct code_maps *maps, uint64_t start, uint64_t end)
{
	struct code_mapping mapping = {.start = start, .end = end, .path = "//anon"};

	code_maps_add(table, maps, 1, &mapping);
}

static bool is_mapped(const struct code_maps *maps, uint64_t address)
{
	struct code_place place;

	return code_maps_find(maps, address, &place);
}

static void a_new_mapping_replaces_what_it_covers(void **state)
{
	struct object_table *table = object_table_new(NULL);
	struct code_maps *maps = code_maps_new();

	(void)state;
	add(table, maps, 0x1000, 0x9000);
	add(table, maps, 0xb000, 0xc000);
	add(table, maps, 0x3000, 0x4000);
	/* Empty: nothing. */
	add(table, maps, 0xa000, 0xa000);
	struct code_maps *copy = code_maps_copy(maps);
	for (uint64_t at = 0; at < 0xd000; at += 0x1000)
		for (int which = 0; which < 2; which++)
			assert_int_equal(is_mapped(which ? copy : maps, at),
				(at >= 0x1000 && at < 0x9000) || at == 0xb000);
	/* Over all three and more, in one of them only. */
	add(table, copy, 0x2000, 0xd000);
	assert_true(is_mapped(copy, 0xafff));
	assert_false(is_mapped(maps, 0xafff));
	assert_true(is_mapped(copy, 0x1fff));
	assert_false(is_mapped(copy, 0xd000));
	assert_false(is_mapped(copy, UINT64_MAX));
	code_maps_free(copy);
	code_maps_free(maps);
	object_table_free(table);
}

/* CPU time for that many mappings, made downwards as the kernel does, each cut in two later. */
static uint64_t cost_of(uint64_t count)
{
	struct object_table *table = object_table_new(NULL);
	struct code_maps *maps = code_maps_new();
	uint64_t begun = clock_ns(CLOCK_PROCESS_CPUTIME_ID);

	for (uint64_t i = 0; i < count; i++)
		add(table, maps, AREA - i * 8 * PAGE, AREA - i * 8 * PAGE + 3 * PAGE);
	for (uint64_t i = 0; i < count; i++)
		add(table, maps, AREA - i * 8 * PAGE + PAGE, AREA - i * 8 * PAGE + 2 * PAGE);
	uint64_t cost = clock_ns(CLOCK_PROCESS_CPUTIME_ID) - begun;
	assert_true(is_mapped(maps, AREA + 2 * PAGE));
	assert_false(is_mapped(maps, AREA + 3 * PAGE));
	code_maps_free(maps);
	object_table_free(table);
	return cost;
}

/* What is copied for each new mapping makes this 256 times as dear. */
static void sixteen_times_the_mappings_cost_about_sixteen_times_as_much(void **state)
{
	(void)state;
	cost_of(2000);
	uint64_t few = cost_of(2000), many = cost_of(32000);
	assert_true(many / 100 < few);
}

static void add_line(struct map_lines *lines, uint64_t inode, const char *path)
{
	struct map_line line = {.inode = inode, .path = xstrdup(path), .is_executable = true};

	vec_push(&lines->lines, line);
}

static void a_file_that_is_mapped_once_is_never_left_out(void **state)
{
	struct map_lines lines = {0};
	size_t kept = 0, most = 100;

	(void)state;
	for (int i = 0; i < 300; i++)
		add_line(&lines, 7, "/often");
	for (int i = 0; i < 300; i++)
		add_line(&lines, 0, "");
	for (uint64_t i = 0; i < 50; i++)
		add_line(&lines, 1000 + i, "/once");
	add_line(&lines, 0, "[vdso]");
	_cleanup_free_ bool *is_kept = mapping_choice(&lines, most);
	for (size_t i = 0; i < lines.lines.count; i++)
		kept += is_kept[i];
	assert_int_equal(kept, most);
	for (size_t i = 600; i < lines.lines.count; i++)
		assert_true(is_kept[i]);
	/* The rest of the room is shared by what is mapped often. */
	assert_true(is_kept[0] && is_kept[23] && !is_kept[25]);
	assert_true(is_kept[300] && is_kept[323] && !is_kept[325]);
	map_lines_clear(&lines);
}

static void all_stay_where_there_is_room(void **state)
{
	struct map_lines lines = {0};

	(void)state;
	free(mapping_choice(&lines, 3));
	for (int i = 0; i < 3; i++)
		add_line(&lines, 7, "/often");
	_cleanup_free_ bool *is_kept = mapping_choice(&lines, 3);
	assert_true(is_kept[0] && is_kept[1] && is_kept[2]);
	map_lines_clear(&lines);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_new_mapping_replaces_what_it_covers),
		cmocka_unit_test(sixteen_times_the_mappings_cost_about_sixteen_times_as_much),
		cmocka_unit_test(a_file_that_is_mapped_once_is_never_left_out),
		cmocka_unit_test(all_stay_where_there_is_room),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
