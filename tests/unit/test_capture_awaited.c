// SPDX-License-Identifier: GPL-2.0-or-later
/* Records of awaited things become what a recording has of them, whatever is in them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>
#include <sys/socket.h>

#include "capture/awaited.h"
#include "recording_sample.h"

struct fixture {
	struct place *place;
	struct recording_writer *writer;
	struct namer *namer;
	struct awaited_things *things;
	struct recording *recording; /* once it is read */
};

static int begin(void **state)
{
	struct fixture *fixture = xcalloc(1, sizeof(*fixture));
	void *place = NULL;

	assert_int_equal(sample_make_place(&place), 0);
	fixture->place = place;
	assert_int_equal(recording_writer_new(fixture->place->path, &fixture->writer, NULL), 0);
	fixture->namer = namer_new(fixture->writer, NULL, NULL, false);
	fixture->things = awaited_new(fixture->writer, fixture->namer);
	*state = fixture;
	return 0;
}

static int end(void **state)
{
	struct fixture *fixture = *state;
	void *place = fixture->place;

	recording_free(fixture->recording);
	awaited_free(fixture->things);
	namer_free(fixture->namer);
	recording_writer_free(fixture->writer);
	sample_remove_place(&place);
	free(fixture);
	return 0;
}

#define RAW_ID(kind) (4711ULL << AWAITED_KIND_BITS | (kind))

/* The thing as the recording has it. */
static const struct rec_awaited *read_back(struct fixture *fixture, uint64_t id)
{
	struct rec_meta meta = {.slice_ns = 1000, .dwell_version = "", .host = ""};
	size_t count;

	recording_writer_put_meta(fixture->writer, &meta);
	assert_int_equal(recording_writer_finish(fixture->writer, NULL), 0);
	fixture->recording = sample_open(fixture->place->path);
	const struct rec_awaited *all = recording_awaited(fixture->recording, &count);
	for (size_t i = 0; i < count; i++)
		if (all[i].id == id)
			return &all[i];
	fail_msg("no thing has that id");
	return NULL;
}

static const struct rec_awaited *thing_of(
	struct fixture *fixture, struct record_awaited *record, const char *name, size_t bytes)
{
	record->kind = RECORD_AWAITED;
	record->id = RAW_ID(record->awaited_kind);
	record->name_bytes = (uint32_t)bytes;
	memcpy(record->name, name, bytes);
	awaited_add(fixture->things, record, offsetof(struct record_awaited, name) + bytes, 0);
	return read_back(fixture, awaited_id(fixture->things, record->id));
}

static void a_path_is_put_together_from_its_parts(void **state)
{
	struct record_awaited record = {
		.awaited_kind = AWAITED_FILE, .is_path = true, .address = 7, .place = "vda1"};
	static const char parts[] = "wal\0db\0var";
	const struct rec_awaited *got = thing_of(*state, &record, parts, sizeof(parts));

	assert_string_equal(got->thing.name, "/var/db/wal");
	assert_string_equal(got->thing.place, "vda1");
	assert_int_equal(got->thing.address, 7);
	assert_false(got->thing.is_folded);
}

static void a_path_that_was_cut_or_is_gone_says_so(void **state)
{
	struct record_awaited record = {
		.awaited_kind = AWAITED_FILE, .is_path = true, .is_cut = true, .is_gone = true};
	static const char parts[] = "leaf\0deep";

	assert_string_equal(thing_of(*state, &record, parts, sizeof(parts))->thing.name,
		".../deep/leaf (deleted)");
}

/* Empty parts, no NUL at the end, slashes and newlines in them: only what is there is read. */
static void hostile_parts_stay_within_the_record(void **state)
{
	struct record_awaited record = {.awaited_kind = AWAITED_FILE, .is_path = true};
	static const char parts[] = {'a', '\n', '/', 0, 0, 0, 'b', 'c'};

	assert_string_equal(
		thing_of(*state, &record, parts, sizeof(parts))->thing.name, "/bc///a\n/");
}

static void the_root_folder_has_a_name(void **state)
{
	struct record_awaited record = {.awaited_kind = AWAITED_FILE, .is_path = true};

	assert_string_equal(thing_of(*state, &record, "", 0)->thing.name, "/");
}

static void a_pipe_without_a_name_has_none(void **state)
{
	struct record_awaited record = {
		.awaited_kind = AWAITED_PIPE, .is_path = true, .address = 12};
	const struct rec_awaited *got = thing_of(*state, &record, "", 0);

	assert_string_equal(got->thing.name, "");
	assert_int_equal(got->thing.address, 12);
}

static void an_address_of_ipv4_in_ipv6_is_one_of_ipv4(void **state)
{
	struct record_awaited record = {.awaited_kind = AWAITED_TCP_TO,
		.family = AF_INET6,
		.port = 80,
		.host = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff, 10, 1, 2, 3}};
	const struct rec_awaited *got = thing_of(*state, &record, "", 0);

	assert_string_equal(got->thing.name, "10.1.2.3");
	assert_int_equal(got->thing.port, 80);
}

static void an_abstract_name_begins_with_an_at(void **state)
{
	struct record_awaited record = {.awaited_kind = AWAITED_UNIX_TO};

	assert_string_equal(thing_of(*state, &record, "\0name\0x", 7)->thing.name, "@name@x");
}

static void what_never_came_is_of_its_kind_and_counted(void **state)
{
	struct fixture *fixture = *state;

	assert_int_equal(awaited_id(fixture->things, 0), 0);
	assert_int_equal(awaited_id(fixture->things, AWAITED_EPOLL), AWAITED_EPOLL);
	assert_int_equal(awaited_unnamed(fixture->things), 0);
	assert_int_equal(awaited_id(fixture->things, RAW_ID(AWAITED_FILE)), AWAITED_FILE);
	assert_int_equal(awaited_unnamed(fixture->things), 1);
	assert_true(read_back(fixture, AWAITED_FILE)->thing.is_folded);
}

static void a_damaged_record_is_ignored(void **state)
{
	struct fixture *fixture = *state;
	struct record_awaited record = {.kind = RECORD_AWAITED,
		.awaited_kind = AWAITED_FILE,
		.id = RAW_ID(AWAITED_FILE),
		.name_bytes = 100};

	/* The name is longer than what came; the record is shorter than its head. */
	awaited_add(fixture->things, &record, offsetof(struct record_awaited, name) + 99, 0);
	awaited_add(fixture->things, &record, 8, 0);
	record.name_bytes = 0;
	record.awaited_kind = 200;
	awaited_add(fixture->things, &record, sizeof(record), 0);
	assert_int_equal(awaited_id(fixture->things, record.id), AWAITED_FILE);
	assert_int_equal(awaited_unnamed(fixture->things), 1);
	read_back(fixture, AWAITED_FILE);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, begin, end)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(a_path_is_put_together_from_its_parts),
		TEST(a_path_that_was_cut_or_is_gone_says_so),
		TEST(hostile_parts_stay_within_the_record),
		TEST(the_root_folder_has_a_name),
		TEST(a_pipe_without_a_name_has_none),
		TEST(an_address_of_ipv4_in_ipv6_is_one_of_ipv4),
		TEST(an_abstract_name_begins_with_an_at),
		TEST(what_never_came_is_of_its_kind_and_counted),
		TEST(a_damaged_record_is_ignored),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
