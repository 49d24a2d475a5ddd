// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The loader where it must hold back: images that ask in vain, and tables without room. The first
 * on a loader without threads, whose work the test does itself; the second on a whole one.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/wait.h>

#include <cmocka.h>

#include "unwind/loader_private.h"
#include "elf/file.h"
#include "symbol/maps.h"
#include "symbol/outside/outside.h"
#include "util/clock.h"
#include "util/units.h"

/* No helpers: what is looked at is our own. */
static struct outside alone = {.names = {OUTSIDE_NAMES_BYTES}};

#include <fcntl.h>

#define ROOM 65536
#define IMAGE 7
#define PATIENCE_NS (60 * NS_PER_S)

static struct unwind_areas make_areas(uint32_t row_room)
{
	return (struct unwind_areas){.rows = xcalloc(row_room, sizeof(uint32_t)),
		.pages = xcalloc(ROOM, sizeof(uint32_t)),
		.rules = xcalloc(ROOM, sizeof(struct unwind_rule)),
		.vmas = xcalloc(ROOM, sizeof(struct unwind_vma)),
		.row_room = row_room,
		.page_room = ROOM,
		.rule_room = ROOM,
		.vma_room = ROOM,
		.processes_fd = -1};
}

static void free_areas(struct unwind_areas *areas)
{
	free(areas->rows);
	free(areas->pages);
	free(areas->rules);
	free(areas->vmas);
}

/* Nobody listens to it and nobody reads for it. */
static struct loader *idle_loader(const struct unwind_areas *areas)
{
	struct loader *loader = xcalloc(1, sizeof(*loader));

	loader->tables = unwind_tables_new(areas);
	loader->outside = &alone;
	loader->objects = unwind_objects_new(loader->tables, &alone);
	loader->maps = image_maps_new(loader->tables, loader->objects);
	loader->wake_fd = -1;
	pthread_mutex_init(&loader->lock, NULL);
	pthread_cond_init(&loader->has_reads, NULL);
	pthread_cond_init(&loader->is_idle, NULL);
	return loader;
}

/* The id of a process that has ended. */
static uint32_t ended_process(void)
{
	pid_t pid = fork();

	if (!pid)
		_exit(0);
	assert_int_equal(waitpid(pid, NULL, 0), pid);
	return (uint32_t)pid;
}

/* A stack of the image asks for its mappings: is the process looked at? */
static bool is_looked_at(struct loader *loader, uint32_t pid, uint64_t pc)
{
	struct unwind_want want = {.image = IMAGE, .pid = pid, .pc = pc};
	struct loader_scan scan;

	assert_int_equal(loader_on_want(loader, &want, sizeof(want)), 0);
	pthread_mutex_lock(&loader->lock);
	bool has_one = loader_next_scan(loader, &scan);
	pthread_mutex_unlock(&loader->lock);
	if (has_one)
		loader_look(loader, &scan);
	return has_one;
}

/* The same of one that does not cost much, even if a sanitizer makes it so. */
static bool is_gladly_looked_at(struct loader *loader, uint32_t pid, uint64_t pc)
{
	struct loader_image *image = loader_known_image(loader, IMAGE);

	if (image)
		image->not_before_ns = 0;
	return is_looked_at(loader, pid, pc);
}

/* Asks when three quarters of the pause after the last look are over, and when all of it is. */
static void check_pause(struct loader *loader, uint32_t pid, uint64_t pc, uint64_t pause_ns)
{
	struct loader_image *image = loader_known_image(loader, IMAGE);
	uint64_t looked_ns = clock_monotonic_ns() - pause_ns / 4 * 3;

	image->looked_ns = looked_ns;
	bool is_early = is_gladly_looked_at(loader, pid, pc);
	/* On a busy machine the rest may be over before the question is asked. */
	if (clock_monotonic_ns() - looked_ns < pause_ns)
		assert_false(is_early);
	if (is_early)
		return;
	image->looked_ns = clock_monotonic_ns() - pause_ns;
	assert_true(is_gladly_looked_at(loader, pid, pc));
}

/* Looks in vain until the image has to wait. */
static void use_up_free_looks(struct loader *loader, uint32_t pid, uint64_t pc)
{
	for (int i = 0; i <= LOADER_FREE_LOOKS; i++)
		assert_true(is_gladly_looked_at(loader, pid, pc));
}

static void a_look_in_vain_is_free_a_few_times_and_then_waits_longer_and_longer(void **state)
{
	struct unwind_areas areas = make_areas(ROOM);
	struct loader *loader = idle_loader(&areas);
	uint32_t pid = ended_process();
	uint64_t pause_ns = 10 * NS_PER_MS;

	(void)state;
	use_up_free_looks(loader, pid, 0);
	for (int i = 0; i < 8; i++, pause_ns *= 2)
		check_pause(loader, pid, 0, pause_ns);
	/* It does not grow without end. */
	for (int i = 0; i < 3; i++)
		check_pause(loader, pid, 0, 1280 * NS_PER_MS);
	assert_int_equal(loader->counts.scans, LOADER_FREE_LOOKS + 1 + 8 + 3);
	loader_free(loader);
	free_areas(&areas);
}

static void a_look_that_finds_what_was_asked_for_makes_the_next_ones_free(void **state)
{
	struct unwind_areas areas = make_areas(4 << 20);
	struct loader *loader = idle_loader(&areas);
	uint32_t pid = (uint32_t)getpid();
	uint64_t nowhere = 1ULL << 40, here = (uintptr_t)is_looked_at;

	(void)state;
	/* The process is there, but has nothing at that address. */
	use_up_free_looks(loader, pid, nowhere);
	check_pause(loader, pid, nowhere, 10 * NS_PER_MS);
	struct loader_image *image = loader_known_image(loader, IMAGE);
	assert_int_equal(image->vain, LOADER_FREE_LOOKS + 2);
	check_pause(loader, pid, here, 20 * NS_PER_MS);
	assert_int_equal(image->vain, 0);
	use_up_free_looks(loader, pid, nowhere);
	check_pause(loader, pid, nowhere, 10 * NS_PER_MS);
	loader_free(loader);
	free_areas(&areas);
}

static void an_image_that_costs_much_waits_however_often_it_asks(void **state)
{
	struct unwind_areas areas = make_areas(ROOM);
	struct loader *loader = idle_loader(&areas);
	uint32_t pid = ended_process();

	(void)state;
	assert_true(is_looked_at(loader, pid, 0));
	struct loader_image *image = loader_known_image(loader, IMAGE);
	image->not_before_ns = clock_monotonic_ns() + 3600 * NS_PER_S;
	assert_false(is_looked_at(loader, pid, 0));
	assert_false(is_looked_at(loader, pid, 0));
	image->not_before_ns = clock_monotonic_ns();
	assert_true(is_looked_at(loader, pid, 0));
	loader_free(loader);
	free_areas(&areas);
}

/* Two libraries of this program, and a loader that has room for one of their tables. */
struct narrow {
	struct map_lines maps;
	const struct map_line *lines[2];
	uint32_t rows[2];
	struct unwind_areas areas;
	struct loader *loader;
	struct unwind_object *objects[2];
};

static uint32_t count_rows(const char *path)
{
	_cleanup_close_ int fd = open(path, O_RDONLY | O_CLOEXEC);
	struct elf_file *file;
	struct cfi_table table;

	assert_int_equal(elf_file_open(fd, &file), 0);
	assert_int_equal(cfi_table_read(file, &table, NULL), 0);
	uint32_t rows = table.row_count;
	cfi_table_clear(&table);
	elf_file_free(file);
	return rows;
}

static void narrow_init(struct narrow *narrow)
{
	static const char *const names[] = {"/libcmocka.", "/libelf"};
	_cleanup_fclose_ FILE *in = fopen("/proc/self/maps", "re");
	struct loader_options options = {.outside = &alone, .wants_fd = -1};
	struct why why = {""};

	memset(narrow, 0, sizeof(*narrow));
	assert_non_null(in);
	assert_int_equal(map_lines_read(in, &narrow->maps, NULL), 0);
	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		vec_each (line, &narrow->maps.lines)
			if (strstr(line->path, names[i]))
				narrow->lines[i] = line;
		if (!narrow->lines[i])
			fail_msg("this program has no %s", names[i]);
		narrow->rows[i] = count_rows(narrow->lines[i]->path);
	}
	uint32_t larger = narrow->rows[narrow->rows[1] > narrow->rows[0]];
	narrow->areas = make_areas(larger + 1);
	options.areas = narrow->areas;
	if (loader_new(&options, &narrow->loader, &why))
		fail_msg("%s", why.text);
}

static void narrow_clear(struct narrow *narrow)
{
	loader_free(narrow->loader);
	free_areas(&narrow->areas);
	map_lines_clear(&narrow->maps);
}

/* An image has mapped one of the libraries, and it is read as far as there is room for it. */
static void map_library(struct narrow *narrow, size_t which, uint32_t image)
{
	const struct map_line *line = narrow->lines[which];
	struct loader *loader = narrow->loader;
	mapping_list mappings = {0};

	pthread_mutex_lock(&loader->lock);
	struct mapping mapping = {.start = line->start,
		.end = line->end,
		.offset = line->offset,
		.object = unwind_objects_get(loader->objects, (uint32_t)getpid(), line)};
	assert_non_null(mapping.object);
	narrow->objects[which] = mapping.object;
	if (mapping.object->state == UNWIND_OBJECT_EVICTED)
		mapping.object->state = UNWIND_OBJECT_PENDING;
	mapping.object->used_ns = clock_monotonic_ns();
	vec_push(&mappings, mapping);
	assert_int_equal(image_maps_put(loader->maps, image, &mappings), 0);
	loader_queue_read(loader, mapping.object, false);
	pthread_mutex_unlock(&loader->lock);
	vec_clear(&mappings);
	assert_true(loader_wait(loader, PATIENCE_NS));
}

static enum unwind_object_state state_of(struct narrow *narrow, size_t which)
{
	pthread_mutex_lock(&narrow->loader->lock);
	enum unwind_object_state state = narrow->objects[which]->state;
	pthread_mutex_unlock(&narrow->loader->lock);
	return state;
}

static unsigned int kind_of(struct narrow *narrow, uint32_t image)
{
	struct unwind_process map;

	assert_int_equal(loader_place(narrow->loader, image, &map), 0);
	return __atomic_load_n(&narrow->areas.vmas[map.vma_base].object_kind, __ATOMIC_ACQUIRE) &
	       0xff;
}

static struct loader_counts counts_of(struct narrow *narrow)
{
	struct loader_counts counts;

	loader_counts(narrow->loader, &counts);
	return counts;
}

/* The first one is there and then nobody's, when the second one is wanted. */
static void check_postponed(size_t first, size_t second)
{
	struct narrow narrow;

	narrow_init(&narrow);
	map_library(&narrow, first, 1);
	assert_int_equal(state_of(&narrow, first), UNWIND_OBJECT_READY);
	assert_int_equal(kind_of(&narrow, 1), UNWIND_VMA_TABLE);
	loader_forget(narrow.loader, 1);
	uint64_t asked_ns = clock_monotonic_ns();
	map_library(&narrow, second, 2);
	assert_int_equal(state_of(&narrow, first), UNWIND_OBJECT_EVICTED);
	/* Should this thread have been kept from running for so long, it is there by now. */
	bool is_pending = state_of(&narrow, second) == UNWIND_OBJECT_PENDING &&
			  kind_of(&narrow, 2) == UNWIND_VMA_PENDING;
	assert_true(is_pending || clock_monotonic_ns() - asked_ns >= EXTENTS_REST_NS);
	while (state_of(&narrow, second) == UNWIND_OBJECT_PENDING &&
		clock_monotonic_ns() - asked_ns < PATIENCE_NS)
		usleep(10000);
	/* Rows that were given up may be read for a while. */
	assert_true(clock_monotonic_ns() - asked_ns >= EXTENTS_REST_NS);
	assert_int_equal(state_of(&narrow, second), UNWIND_OBJECT_READY);
	assert_int_equal(kind_of(&narrow, 2), UNWIND_VMA_TABLE);
	assert_int_equal(counts_of(&narrow).evicted, 1);
	assert_int_equal(counts_of(&narrow).without_room, 0);
	assert_int_equal(counts_of(&narrow).rows, narrow.rows[second]);
	narrow_clear(&narrow);
}

static void a_table_without_room_is_read_when_others_have_made_room_and_rested(void **state)
{
	(void)state;
	check_postponed(0, 1);
	/* The same if one is larger than what makes room for it, and some is free. */
	check_postponed(1, 0);
}

static void a_table_in_use_is_not_given_up_for_another(void **state)
{
	struct narrow narrow;

	(void)state;
	narrow_init(&narrow);
	map_library(&narrow, 0, 1);
	map_library(&narrow, 1, 2);
	assert_int_equal(state_of(&narrow, 0), UNWIND_OBJECT_READY);
	assert_int_equal(state_of(&narrow, 1), UNWIND_OBJECT_NO_ROOM);
	assert_int_equal(kind_of(&narrow, 2), UNWIND_VMA_NOROOM);
	assert_int_equal(counts_of(&narrow).evicted, 0);
	assert_int_equal(counts_of(&narrow).without_room, 1);
	narrow_clear(&narrow);
}

static void for_a_table_that_never_fits_nobody_has_to_go(void **state)
{
	struct narrow narrow;
	size_t larger;

	(void)state;
	narrow_init(&narrow);
	larger = narrow.rows[1] > narrow.rows[0];
	loader_free(narrow.loader);
	free_areas(&narrow.areas);
	narrow.areas = make_areas(narrow.rows[larger] - 1);
	struct loader_options options = {.outside = &alone, .wants_fd = -1, .areas = narrow.areas};
	assert_int_equal(loader_new(&options, &narrow.loader, NULL), 0);
	map_library(&narrow, !larger, 1);
	loader_forget(narrow.loader, 1);
	map_library(&narrow, larger, 2);
	assert_int_equal(state_of(&narrow, !larger), UNWIND_OBJECT_READY);
	assert_int_equal(state_of(&narrow, larger), UNWIND_OBJECT_NO_ROOM);
	assert_int_equal(counts_of(&narrow).evicted, 0);
	assert_int_equal(counts_of(&narrow).without_room, 1);
	narrow_clear(&narrow);
}

static void lines_of_an_early_look_are_of_one_image_and_taken_once(void **state)
{
	struct loader_options options = {
		.outside = &alone, .wants_fd = -1, .areas = make_areas(64)};
	struct early_look *look = xcalloc(1, sizeof(*look));
	struct map_line line = {.start = 0x1000, .end = 0x2000, .path = xstrdup("/a")};
	struct map_lines lines = {0};
	struct loader *loader;

	(void)state;
	assert_int_equal(loader_new(&options, &loader, NULL), 0);
	vec_push(&look->lines.lines, line);
	look->lines.stack_start = 0x7000;
	look->lines.stack_end = 0x9000;
	pthread_mutex_lock(&loader->lock);
	*map64_put(&loader->early, 7, NULL) = (uintptr_t)look;
	pthread_mutex_unlock(&loader->lock);
	assert_false(loader_take_lines(loader, 8, 0x8000, &lines));
	/* After an exec the stack is elsewhere. */
	assert_false(loader_take_lines(loader, 7, 0x9000, &lines));
	assert_true(loader_take_lines(loader, 7, 0x8000, &lines));
	assert_int_equal(lines.lines.count, 1);
	map_lines_clear(&lines);
	assert_false(loader_take_lines(loader, 7, 0x8000, &lines));
	loader_free(loader);
	free_areas(&options.areas);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(lines_of_an_early_look_are_of_one_image_and_taken_once),
		cmocka_unit_test(
			a_look_in_vain_is_free_a_few_times_and_then_waits_longer_and_longer),
		cmocka_unit_test(a_look_that_finds_what_was_asked_for_makes_the_next_ones_free),
		cmocka_unit_test(an_image_that_costs_much_waits_however_often_it_asks),
		cmocka_unit_test(
			a_table_without_room_is_read_when_others_have_made_room_and_rested),
		cmocka_unit_test(a_table_in_use_is_not_given_up_for_another),
		cmocka_unit_test(for_a_table_that_never_fits_nobody_has_to_go),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
