// SPDX-License-Identifier: GPL-2.0-or-later
/* The writing side of the unwind tables: pieces of arrays, shared rules, objects and maps. */
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include <cmocka.h>

#include "unwind/image_maps.h"
#include "symbol/outside/outside.h"
#include "util/clock.h"
#include "util/open_files.h"

/* No helpers: what is looked at is our own. */
static struct outside here = {.names = {OUTSIDE_NAMES_BYTES}};

static void pieces_are_taken_rested_and_joined(void **state)
{
	struct extents extents;
	uint32_t a, b, c, d;

	(void)state;
	extents_init(&extents, 100);
	assert_true(extents_take(&extents, 40, 1, &a));
	assert_true(extents_take(&extents, 40, 1, &b));
	assert_false(extents_take(&extents, 40, 1, &c));
	extents_give(&extents, a, 40, 10);
	extents_give(&extents, b, 40, 20);
	/* Somebody may still read them. */
	assert_false(extents_take(&extents, 40, 10 + EXTENTS_REST_NS - 1, &c));
	assert_true(extents_take(&extents, 40, 10 + EXTENTS_REST_NS, &c));
	assert_int_equal(c, a);
	assert_true(extents_take(&extents, 60, 20 + EXTENTS_REST_NS, &d));
	assert_int_equal(d, 40);
	assert_int_equal(extents.used, 100);
	extents_clear(&extents);
}

#define ROOM 64

struct fixture {
	struct unwind_areas areas;
	uint32_t rows[ROOM];
	uint32_t pages[ROOM];
	struct unwind_rule rules[ROOM];
	struct unwind_vma vmas[ROOM];
	struct unwind_tables *tables;
};

static void fixture_init(struct fixture *fixture, uint32_t rule_room)
{
	memset(fixture, 0, sizeof(*fixture));
	fixture->areas = (struct unwind_areas){.rows = fixture->rows,
		.pages = fixture->pages,
		.rules = fixture->rules,
		.vmas = fixture->vmas,
		.row_room = ROOM,
		.page_room = ROOM,
		.rule_room = rule_room,
		.vma_room = ROOM,
		.processes_fd = -1};
	fixture->tables = unwind_tables_new(&fixture->areas);
}

/* A table of one page with two rows after the gap. */
static void make_table(struct cfi_table *table, int offset)
{
	static uint32_t rows[3], pages[2];
	static struct unwind_rule rules[3];

	rules[0] = (struct unwind_rule){.cfa_kind = UNWIND_CFA_GAP};
	rules[1] = (struct unwind_rule){.cfa_kind = UNWIND_CFA_SP, .cfa_offset = 8};
	rules[2] = (struct unwind_rule){.cfa_kind = UNWIND_CFA_SP, .cfa_offset = offset};
	rows[0] = UNWIND_ROW(0, 0);
	rows[1] = UNWIND_ROW(0x10, 1);
	rows[2] = UNWIND_ROW(0x20, 2);
	pages[0] = 1;
	pages[1] = 3;
	*table = (struct cfi_table){.first_page = 0x1000,
		.row_count = 3,
		.page_count = 1,
		.rule_count = 3,
		.rows = rows,
		.pages = pages,
		.rules = rules};
}

static void objects_share_rules_and_have_rows_of_their_own(void **state)
{
	struct fixture fixture;
	struct unwind_place first, second;
	struct cfi_table table;

	(void)state;
	fixture_init(&fixture, ROOM);
	make_table(&table, 16);
	assert_int_equal(unwind_tables_add(fixture.tables, &table, &first), 0);
	make_table(&table, 24);
	assert_int_equal(unwind_tables_add(fixture.tables, &table, &second), 0);
	/* The rule that both have is one; page words count from the first row of all. */
	assert_int_equal(UNWIND_ROW_RULE(fixture.rows[first.row_start + 1]),
		UNWIND_ROW_RULE(fixture.rows[second.row_start + 1]));
	assert_int_not_equal(UNWIND_ROW_RULE(fixture.rows[first.row_start + 2]),
		UNWIND_ROW_RULE(fixture.rows[second.row_start + 2]));
	assert_int_equal(fixture.pages[second.page_start], second.row_start + 1);
	assert_int_equal(fixture.pages[second.page_start + 1], second.row_start + 3);
	assert_int_equal(unwind_place_page0(&second) + 1, second.page_start);
	unwind_tables_free(fixture.tables);
}

static void a_full_dictionary_makes_rules_bad_not_wrong(void **state)
{
	struct fixture fixture;
	struct unwind_place place;
	struct cfi_table table;

	(void)state;
	fixture_init(&fixture, 3);
	make_table(&table, 16);
	assert_int_equal(unwind_tables_add(fixture.tables, &table, &place), 0);
	uint32_t rule = UNWIND_ROW_RULE(fixture.rows[place.row_start + 2]);
	assert_int_equal(fixture.rules[rule].cfa_kind, UNWIND_CFA_BAD);
	unwind_tables_free(fixture.tables);
}

static void without_room_nothing_is_half_there(void **state)
{
	struct fixture fixture;
	struct unwind_place place;
	struct cfi_table table;
	uint32_t used, room;

	(void)state;
	fixture_init(&fixture, ROOM);
	make_table(&table, 16);
	for (int i = 0; i < ROOM / 3; i++)
		assert_int_equal(unwind_tables_add(fixture.tables, &table, &place), 0);
	unwind_tables_fill(fixture.tables, &used, &room);
	assert_int_equal(unwind_tables_add(fixture.tables, &table, &place), -ENOSPC);
	assert_int_equal(used, ROOM / 3 * 3);
	unwind_tables_free(fixture.tables);
}

/* Arrays of which only the first entries are there, and so many more can be had. */
struct growth {
	uint32_t most;
	uint32_t there[UNWIND_AREAS];
};

static int reserve(void *context, enum unwind_area area, uint32_t count)
{
	struct growth *growth = context;

	if (count > growth->most)
		return -ENOMEM;
	if (growth->there[area] < count)
		growth->there[area] = count;
	return 0;
}

static void arrays_grow_before_they_are_written(void **state)
{
	struct growth growth = {.most = 6};
	struct unwind_vma vmas[7] = {0};
	struct unwind_place place;
	struct cfi_table table;
	struct fixture fixture;
	uint32_t base;

	(void)state;
	fixture_init(&fixture, ROOM);
	unwind_tables_free(fixture.tables);
	fixture.areas.reserve = reserve;
	fixture.areas.reserve_context = &growth;
	fixture.tables = unwind_tables_new(&fixture.areas);
	make_table(&table, 16);
	assert_int_equal(unwind_tables_add(fixture.tables, &table, &place), 0);
	assert_int_equal(unwind_tables_add(fixture.tables, &table, &place), 0);
	assert_int_equal(growth.there[UNWIND_ROWS], 6);
	assert_int_equal(growth.there[UNWIND_PAGES], 4);
	/* What cannot grow is as good as full, and stays so for others to try. */
	assert_int_equal(unwind_tables_add(fixture.tables, &table, &place), -ENOSPC);
	assert_int_equal(unwind_tables_add_vmas(fixture.tables, vmas, 7, &base), -ENOSPC);
	assert_int_equal(unwind_tables_add_vmas(fixture.tables, vmas, 6, &base), 0);
	unwind_tables_free(fixture.tables);
}

static struct unwind_object ready_object(void)
{
	static struct elf_segment segment = {.offset = 0x1000, .bytes = 0x1000, .vaddr = 0x1000};
	struct unwind_object object = {.number = 9,
		.state = UNWIND_OBJECT_READY,
		.place = {.page_start = 5, .page_count = 1, .first_page = 0x1000}};

	object.segments.at = &segment;
	object.segments.count = object.segments.room = 1;
	return object;
}

static void a_mapping_says_how_its_code_is_walked(void **state)
{
	struct unwind_object object = ready_object();
	struct unwind_vma vma = unwind_object_vma(&object, 0x7000000, 0x7001000, 0x1000);

	(void)state;
	assert_int_equal(vma.object_kind, 9 << 8 | UNWIND_VMA_TABLE);
	assert_int_equal(0x7000123 - vma.bias, 0x1123);
	assert_int_equal(vma.page0 + 1, 5);
	/* What the table does not reach is cut off. */
	vma = unwind_object_vma(&object, 0x7000000, 0x7005000, 0x1000);
	assert_int_equal(vma.end, 0x7001000);
	object.state = UNWIND_OBJECT_EVICTED;
	vma = unwind_object_vma(&object, 0x7000000, 0x7001000, 0x1000);
	assert_int_equal(vma.object_kind & 0xff, UNWIND_VMA_EVICTED);
	object.state = UNWIND_OBJECT_PENDING;
	vma = unwind_object_vma(&object, 0x7000000, 0x7001000, 0x1000);
	assert_int_equal(vma.object_kind & 0xff, UNWIND_VMA_PENDING);
	/* Addresses that a frame has no room for stay plain. */
	object.state = UNWIND_OBJECT_READY;
	object.segments.at->vaddr = UNWIND_MAX_ADDRESS;
	vma = unwind_object_vma(&object, 0x7000000, 0x7001000, 0x1000);
	assert_int_equal(vma.object_kind & 0xff, UNWIND_VMA_CLOSED);
	object.segments.at->vaddr = 0x1000;
	vma = unwind_object_vma(NULL, 0x7000000, 0x7001000, 0);
	assert_int_equal(vma.object_kind & 0xff, UNWIND_VMA_ANON);
}

static void maps_follow_their_objects_and_are_given_back(void **state)
{
	struct fixture fixture;
	struct unwind_object object = ready_object();
	struct mapping mapping = {
		.start = 0x7000000, .end = 0x7001000, .offset = 0x1000, .object = &object};
	mapping_list mappings = {.at = &mapping, .count = 1, .room = 1};
	struct unwind_process first, second;

	(void)state;
	fixture_init(&fixture, ROOM);
	struct unwind_objects *objects = unwind_objects_new(fixture.tables, &here);
	struct image_maps *maps = image_maps_new(fixture.tables, objects);
	object.state = UNWIND_OBJECT_PENDING;
	assert_int_equal(image_maps_put(maps, 3, &mappings), 0);
	assert_int_equal(image_maps_place(maps, 3, &first), 0);
	assert_int_equal(fixture.vmas[first.vma_base].object_kind & 0xff, UNWIND_VMA_PENDING);
	object.state = UNWIND_OBJECT_READY;
	image_maps_update(maps, &object);
	assert_int_equal(fixture.vmas[first.vma_base].object_kind & 0xff, UNWIND_VMA_TABLE);
	/* The same again changes nothing; something else is another map. */
	assert_int_equal(image_maps_put(maps, 3, &mappings), 0);
	assert_int_equal(image_maps_place(maps, 3, &second), 0);
	assert_int_equal(first.vma_base, second.vma_base);
	mapping.start -= 0x1000;
	assert_int_equal(image_maps_put(maps, 3, &mappings), 0);
	assert_int_equal(image_maps_place(maps, 3, &second), 0);
	assert_int_not_equal(first.vma_base, second.vma_base);
	assert_non_null(image_maps_find(maps, 3, 0x7000fff));
	assert_null(image_maps_find(maps, 3, 0x7001000));
	image_maps_forget(maps, 3);
	assert_int_equal(image_maps_place(maps, 3, &second), -ENOENT);
	image_maps_collect(maps);
	image_maps_collect(maps);
	/* All that was taken is resting. */
	uint32_t base;
	assert_int_equal(unwind_tables_add_vmas(fixture.tables, fixture.vmas, 1, &base), 0);
	assert_int_equal(base, 2);
	image_maps_free(maps);
	unwind_objects_free(objects);
	unwind_tables_free(fixture.tables);
}

/* A file of our own as somebody's mapping of it shows it. */
static struct unwind_object *object_of_file(struct unwind_objects *objects, char *path)
{
	struct stat status;

	assert_int_equal(stat(path, &status), 0);
	struct map_line line = {.start = 0x1000,
		.end = 0x2000,
		.inode = status.st_ino,
		.dev_major = major(status.st_dev),
		.dev_minor = minor(status.st_dev),
		.path = path};
	return unwind_objects_get(objects, (uint32_t)getpid(), &line);
}

static void settle_as(struct unwind_objects *objects, struct unwind_object *object, int error)
{
	char none[] = "";
	struct unwind_reading reading = {.error = error, .build_id = none};

	assert_int_equal(unwind_objects_settle(objects, object, &reading), 0);
}

/* Of a process that is gone where we see it; not if something else is there by now. */
static void check_found_again(struct unwind_objects *objects, struct unwind_object *object)
{
	struct timespec times[2];
	struct stat status;
	int fd;

	object->pid = INT32_MAX;
	fd = unwind_object_open(objects, object);
	assert_true(fd >= 0);
	assert_int_equal(fstat(fd, &status), 0);
	assert_int_equal(status.st_ino, object->line.inode);
	close(fd);
	object->line.inode++;
	assert_int_equal(unwind_object_open(objects, object), -1);
	object->line.inode--;
	times[0] = status.st_atim;
	times[1] = status.st_mtim;
	times[1].tv_sec--;
	assert_int_equal(utimensat(AT_FDCWD, object->path, times, 0), 0);
	assert_int_equal(unwind_object_open(objects, object), -1);
	object->pid = (uint32_t)getpid();
	assert_int_equal(unwind_object_open(objects, object), -1);
	times[1].tv_sec++;
	assert_int_equal(utimensat(AT_FDCWD, object->path, times, 0), 0);
}

static void files_that_nobody_needs_are_closed(void **state)
{
	enum { FILES = 24, MAY_BE_OPEN = 16 };
	struct unwind_object *files[FILES];
	char paths[FILES][40];
	struct fixture fixture;
	struct rlimit usual, small;
	size_t open_files = 0;

	(void)state;
	fixture_init(&fixture, ROOM);
	getrlimit(RLIMIT_NOFILE, &usual);
	small = usual;
	small.rlim_cur = open_files_needed() + 4 * MAY_BE_OPEN;
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &small), 0);
	struct unwind_objects *objects = unwind_objects_new(fixture.tables, &here);
	for (size_t i = 0; i < FILES; i++) {
		strcpy(paths[i], "/tmp/dwell-object-XXXXXX");
		close(mkstemp(paths[i]));
		files[i] = object_of_file(objects, paths[i]);
		/* What is to be read stays open; of too many the last ones are found again. */
		assert_int_equal(files[i]->state, UNWIND_OBJECT_PENDING);
		assert_int_equal(files[i]->path_fd >= 0, i < MAY_BE_OPEN);
		int fd = unwind_object_open(objects, files[i]);
		assert_true(fd >= 0);
		close(fd);
	}
	check_found_again(objects, files[FILES - 1]);
	settle_as(objects, files[0], -ENOEXEC);
	assert_int_equal(files[0]->state, UNWIND_OBJECT_PLAIN);
	assert_int_equal(files[0]->path_fd, -1);
	settle_as(objects, files[1], -EINVAL);
	assert_int_equal(files[1]->state, UNWIND_OBJECT_UNUSABLE);
	assert_int_equal(files[1]->path_fd, -1);
	for (size_t i = 2; i < FILES; i++)
		settle_as(objects, files[i], -ENOENT);
	for (size_t i = 0; i < FILES; i++)
		open_files += files[i]->path_fd >= 0;
	assert_int_equal(open_files, MAY_BE_OPEN - 2);
	/* Whoever maps it next opens it again, at last in place of the longest unused one. */
	for (size_t i = MAY_BE_OPEN; i < MAY_BE_OPEN + 3; i++) {
		assert_true(files[2]->path_fd >= 0);
		assert_ptr_equal(object_of_file(objects, paths[i]), files[i]);
		assert_true(files[i]->path_fd >= 0);
	}
	assert_int_equal(files[2]->path_fd, -1);
	assert_true(files[3]->path_fd >= 0);
	assert_int_equal(object_of_file(objects, paths[0])->path_fd, -1);
	unwind_objects_free(objects);
	unwind_tables_free(fixture.tables);
	setrlimit(RLIMIT_NOFILE, &usual);
	for (size_t i = 0; i < FILES; i++)
		unlink(paths[i]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(pieces_are_taken_rested_and_joined),
		cmocka_unit_test(objects_share_rules_and_have_rows_of_their_own),
		cmocka_unit_test(a_full_dictionary_makes_rules_bad_not_wrong),
		cmocka_unit_test(without_room_nothing_is_half_there),
		cmocka_unit_test(arrays_grow_before_they_are_written),
		cmocka_unit_test(a_mapping_says_how_its_code_is_walked),
		cmocka_unit_test(maps_follow_their_objects_and_are_given_back),
		cmocka_unit_test(files_that_nobody_needs_are_closed),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
