// SPDX-License-Identifier: GPL-2.0-or-later
/* Records of mappings: parsing hostile bytes, order of time, and what a real exec tells. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include <linux/perf_event.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

#include "host/map_events.h"
#include "capture/spaces.h"
#include "util/vec.h"

/* A record as the kernel lays it out, with the process, thread and time that end each one. */
struct record {
	char bytes[256] __attribute__((aligned(8)));
	size_t length;
};

static void put(struct record *record, const void *bytes, size_t length)
{
	memcpy(record->bytes + record->length, bytes, length);
	record->length += length;
}

static void put32(struct record *record, uint32_t word)
{
	put(record, &word, sizeof(word));
}

static void put64(struct record *record, uint64_t word)
{
	put(record, &word, sizeof(word));
}

static void begin(struct record *record, uint32_t type, uint16_t misc)
{
	struct perf_event_header header = {.type = type, .misc = misc};

	record->length = 0;
	put(record, &header, sizeof(header));
}

static void end(struct record *record, uint32_t pid, uint64_t time)
{
	put32(record, pid);
	put32(record, pid);
	put64(record, time);
	((struct perf_event_header *)record->bytes)->size = (uint16_t)record->length;
}

static void make_map(struct record *record, uint32_t pid, uint64_t start, const char *path)
{
	char padded[64] = {0};

	/* Another listener's wish for build-ids marks our records, too: they have none. */
	begin(record, PERF_RECORD_MMAP2, PERF_RECORD_MISC_MMAP_BUILD_ID);
	put32(record, pid);
	put32(record, pid);
	put64(record, start);
	put64(record, 0x1000);
	put64(record, 0x2000);
	put32(record, 254);
	put32(record, 1);
	put64(record, 4711);
	put64(record, 99);
	put32(record, 5);
	put32(record, 2);
	strcpy(padded, path);
	put(record, padded, (strlen(path) + 8) & ~7UL);
	end(record, pid, 77);
}

static void a_mapping_is_read_with_its_inode(void **state)
{
	struct record record;
	struct map_event event;
	(void)state;

	make_map(&record, 42, 0x7f0000000000, "/usr/lib/libx.so");
	assert_true(map_event_parse(record.bytes, record.length, &event));
	assert_int_equal(event.kind, MAP_EVENT_MAP);
	assert_int_equal(event.pid, 42);
	assert_int_equal(event.time_ns, 77);
	assert_int_equal(event.start, 0x7f0000000000);
	assert_int_equal(event.end, 0x7f0000001000);
	assert_int_equal(event.offset, 0x2000);
	assert_string_equal(event.path, "/usr/lib/libx.so");
	assert_int_equal(event.dev_major, 254);
	assert_int_equal(event.dev_minor, 1);
	assert_int_equal(event.inode, 4711);
}

static void records_that_are_not_whole_are_refused(void **state)
{
	struct record record;
	struct map_event event;
	(void)state;

	make_map(&record, 42, 0x1000, "/x");
	for (size_t length = 0; length < record.length; length++) {
		_cleanup_free_ char *exact = xmalloc(length);
		memcpy(exact, record.bytes, length);
		/* A shorter one may still hold a path that ends; it must never be read beyond. */
		if (map_event_parse(exact, length, &event))
			assert_true(strlen(event.path) < length);
	}
	make_map(&record, 42, UINT64_MAX - 0x10, "/wraps");
	assert_false(map_event_parse(record.bytes, record.length, &event));
}

static void threads_and_renames_are_no_processes_and_execs(void **state)
{
	struct record record;
	struct map_event event;
	(void)state;

	begin(&record, PERF_RECORD_FORK, 0);
	put32(&record, 10);
	put32(&record, 10);
	put32(&record, 11);
	put32(&record, 10);
	put64(&record, 5);
	end(&record, 10, 5);
	assert_false(map_event_parse(record.bytes, record.length, &event));

	begin(&record, PERF_RECORD_COMM, 0);
	put32(&record, 10);
	put32(&record, 10);
	put64(&record, 0);
	end(&record, 10, 5);
	assert_false(map_event_parse(record.bytes, record.length, &event));
}

struct seen {
	VEC(struct map_event) events;
	pid_t pid;
	bool has_program;
};

static void note(void *context, const void *record, size_t length)
{
	struct seen *seen = context;
	struct map_event event;

	if (!map_event_parse(record, length, &event) || (pid_t)event.pid != seen->pid)
		return;
	if (event.kind == MAP_EVENT_MAP && strstr(event.path, "/true"))
		seen->has_program = true;
	event.path = "";
	vec_push(&seen->events, event);
}

static void an_exec_tells_its_program_and_its_end(void **state)
{
	struct map_events *events;
	struct seen seen = {.pid = 0};
	bool has_exec = false, has_exit = false;
	(void)state;

	if (map_events_new(false, &events, NULL)) {
		print_message("skipped: perf events are refused to this user\n");
		skip();
	}
	seen.pid = fork();
	if (!seen.pid) {
		execl("/bin/true", "true", NULL);
		_exit(127);
	}
	waitpid(seen.pid, NULL, 0);
	map_events_read(events, note, &seen);
	vec_each (event, &seen.events) {
		has_exec |= event->kind == MAP_EVENT_EXEC;
		has_exit |= event->kind == MAP_EVENT_EXIT;
	}
	assert_true(has_exec);
	assert_true(has_exit);
	assert_true(seen.has_program);
	assert_int_equal(map_events_lost(events), 0);
	vec_clear(&seen.events);
	map_events_free(events);
}

static struct map_event map_of(uint32_t pid, uint64_t start, const char *path)
{
	return (struct map_event){.kind = MAP_EVENT_MAP,
		.pid = pid,
		.start = start,
		.end = start + 0x1000,
		.inode = 1,
		.path = path};
}

/* Numbers that no process has, so that nothing comes from /proc. */
enum { PARENT = 0x7ffffff0, CHILD };

static void a_child_keeps_its_parents_mappings_until_it_execs(void **state)
{
	struct object_table *objects = object_table_new(NULL);
	struct spaces *spaces = spaces_new(objects, true);
	struct map_event exec = {.kind = MAP_EVENT_EXEC, .pid = PARENT, .path = ""};
	struct map_event fork_event = {
		.kind = MAP_EVENT_FORK, .pid = CHILD, .parent = PARENT, .path = ""};
	struct map_event map = map_of(PARENT, 0x10000, "/no/such/program");
	struct map_event late = map_of(PARENT, 0x20000, "/no/such/library");
	struct map_event gone = {.kind = MAP_EVENT_EXIT, .pid = CHILD, .path = ""};
	struct code_place place;
	(void)state;

	spaces_apply(spaces, &exec);
	spaces_apply(spaces, &map);
	spaces_apply(spaces, &fork_event);
	struct space *child = spaces_attach(spaces, CHILD, 1);
	spaces_apply(spaces, &late);
	assert_false(space_is_unknown(child));
	assert_string_equal(space_exe(child), "/no/such/program");
	assert_true(space_find(spaces, child, 0x10010, &place));
	assert_string_equal(place.object->path, "/no/such/program");
	assert_false(space_find(spaces, child, 0x20010, &place));

	/* It execs and ends; who holds its space still finds what was there. */
	exec.pid = CHILD;
	spaces_apply(spaces, &exec);
	spaces_apply(spaces, &gone);
	assert_true(space_find(spaces, child, 0x10010, &place));
	spaces_release(spaces, child);

	struct space *unknown = spaces_attach(spaces, CHILD, 1);
	assert_true(space_is_unknown(unknown));
	assert_false(space_find(spaces, unknown, 0x10010, &place));
	spaces_release(spaces, unknown);
	spaces_free(spaces);
	object_table_free(objects);
}

static struct map_lines lines_of(const char *path)
{
	struct map_line line = {
		.start = 0x10000, .end = 0x12000, .inode = 1, .path = xstrdup(path)};
	struct map_lines lines = {0};

	vec_push(&lines.lines, line);
	return lines;
}

static void mappings_that_somebody_has_read_are_used_when_an_address_is_asked_for(void **state)
{
	struct object_table *objects = object_table_new(NULL);
	struct spaces *spaces = spaces_new(objects, true);
	struct map_lines lines = lines_of("/no/such/program");
	struct map_event fork_event = {
		.kind = MAP_EVENT_FORK, .pid = CHILD, .parent = PARENT, .path = ""};
	struct map_event late = map_of(PARENT, 0x11000, "/no/such/library");
	struct code_place place;
	(void)state;

	struct space *parent = spaces_attach_read(spaces, PARENT, 1, &lines);
	assert_int_equal(lines.lines.count, 0);
	assert_false(space_is_unknown(parent));
	spaces_apply(spaces, &fork_event);
	struct space *child = spaces_attach(spaces, CHILD, 1);
	/* What is told later replaces what was read, in this process alone. */
	spaces_apply(spaces, &late);
	assert_true(space_find(spaces, parent, 0x10010, &place));
	assert_string_equal(place.object->path, "/no/such/program");
	assert_true(space_find(spaces, parent, 0x11010, &place));
	assert_string_equal(place.object->path, "/no/such/library");
	assert_true(space_find(spaces, child, 0x11010, &place));
	assert_string_equal(place.object->path, "/no/such/program");
	spaces_release(spaces, parent);
	spaces_release(spaces, child);
	spaces_free(spaces);
	object_table_free(objects);
}

static void what_records_have_told_is_newer_than_mappings_that_were_read(void **state)
{
	struct object_table *objects = object_table_new(NULL);
	struct spaces *spaces = spaces_new(objects, true);
	struct map_event exec = {.kind = MAP_EVENT_EXEC, .pid = PARENT, .path = ""};
	struct map_event map = map_of(PARENT, 0x10000, "/no/such/successor");
	struct map_lines lines = lines_of("/no/such/program");
	struct code_place place;
	(void)state;

	spaces_apply(spaces, &exec);
	spaces_apply(spaces, &map);
	struct space *space = spaces_attach_read(spaces, PARENT, 1, &lines);
	assert_int_equal(lines.lines.count, 0);
	assert_true(space_find(spaces, space, 0x10010, &place));
	assert_string_equal(place.object->path, "/no/such/successor");
	spaces_release(spaces, space);
	spaces_free(spaces);
	object_table_free(objects);
}

static void a_new_mapping_replaces_what_was_there(void **state)
{
	struct object_table *objects = object_table_new(NULL);
	struct spaces *spaces = spaces_new(objects, true);
	struct map_event exec = {.kind = MAP_EVENT_EXEC, .pid = PARENT, .path = ""};
	struct map_event big = map_of(PARENT, 0x10000, "/old"),
			 small = map_of(PARENT, 0x12000, "/new");
	struct code_place place;
	(void)state;

	big.end = 0x15000;
	spaces_apply(spaces, &exec);
	spaces_apply(spaces, &big);
	spaces_apply(spaces, &small);
	struct space *space = spaces_attach(spaces, PARENT, 1);
	assert_true(space_find(spaces, space, 0x11fff, &place));
	assert_string_equal(place.object->path, "/old");
	assert_true(space_find(spaces, space, 0x12000, &place));
	assert_string_equal(place.object->path, "/new");
	assert_true(space_find(spaces, space, 0x13000, &place));
	assert_string_equal(place.object->path, "/old");
	assert_int_equal(place.address, 0x3000);
	spaces_release(spaces, space);
	spaces_free(spaces);
	object_table_free(objects);
}

static void of_strangers_nothing_is_kept(void **state)
{
	struct object_table *objects = object_table_new(NULL);
	struct spaces *spaces = spaces_new(objects, false);
	struct map_event exec = {.kind = MAP_EVENT_EXEC, .pid = PARENT, .path = ""};
	struct map_event map = map_of(PARENT, 0x10000, "/no/such/program");
	struct code_place place;
	(void)state;

	spaces_apply(spaces, &exec);
	spaces_apply(spaces, &map);
	struct space *stranger = spaces_attach(spaces, PARENT, 1);
	assert_true(space_is_unknown(stranger));
	spaces_release(spaces, stranger);

	spaces_watch(spaces, PARENT);
	spaces_apply(spaces, &exec);
	spaces_apply(spaces, &map);
	struct space *watched = spaces_attach(spaces, PARENT, 1);
	assert_true(space_find(spaces, watched, 0x10010, &place));
	spaces_release(spaces, watched);
	spaces_free(spaces);
	object_table_free(objects);
}

/* Field 28 of /proc/self/stat: our comm has no spaces. */
static uint64_t own_start_stack(void)
{
	FILE *in = fopen("/proc/self/stat", "re");
	unsigned long long mark = 0;

	assert_non_null(in);
	for (int field = 1; field < 28; field++)
		assert_int_equal(fscanf(in, "%*s"), 0);
	assert_int_equal(fscanf(in, "%llu", &mark), 1);
	fclose(in);
	return mark;
}

static void of_one_that_is_attached_after_its_end_nothing_stays(void **state)
{
	struct object_table *objects = object_table_new(NULL);
	struct spaces *spaces = spaces_new(objects, true);
	(void)state;

	struct space *first = spaces_attach(spaces, PARENT, 1);
	struct space *second = spaces_attach(spaces, PARENT, 1);
	assert_int_equal(spaces_count(spaces), 1);
	spaces_release(spaces, first);
	assert_int_equal(spaces_count(spaces), 1);
	spaces_release(spaces, second);
	assert_int_equal(spaces_count(spaces), 0);

	/* Of one that lives, records may come that belong to what is known. */
	struct space *living = spaces_attach(spaces, (uint32_t)getpid(), own_start_stack());
	assert_false(space_is_unknown(living));
	spaces_release(spaces, living);
	assert_int_equal(spaces_count(spaces), 1);
	spaces_free(spaces);
	object_table_free(objects);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_mapping_is_read_with_its_inode),
		cmocka_unit_test(records_that_are_not_whole_are_refused),
		cmocka_unit_test(threads_and_renames_are_no_processes_and_execs),
		cmocka_unit_test(an_exec_tells_its_program_and_its_end),
		cmocka_unit_test(a_child_keeps_its_parents_mappings_until_it_execs),
		cmocka_unit_test(
			mappings_that_somebody_has_read_are_used_when_an_address_is_asked_for),
		cmocka_unit_test(what_records_have_told_is_newer_than_mappings_that_were_read),
		cmocka_unit_test(a_new_mapping_replaces_what_was_there),
		cmocka_unit_test(of_strangers_nothing_is_kept),
		cmocka_unit_test(of_one_that_is_attached_after_its_end_nothing_stays),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
