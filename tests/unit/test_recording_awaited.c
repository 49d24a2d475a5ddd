// SPDX-License-Identifier: GPL-2.0-or-later
/* Things that threads waited for are read back; what is about none is refused; ids are of content.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>

#include "recording_sample.h"

static void things_come_back_once_each(void **state)
{
	const struct place *place = *state;
	size_t count, hop_count;

	sample_write(place->path);
	struct recording *recording = sample_open(place->path);
	const struct rec_awaited *things = recording_awaited(recording, &count);
	const struct rec_chain_hop *hops = recording_hops(recording, &hop_count);

	assert_int_equal(count, SAMPLE_THINGS);
	for (size_t i = 0; i < count; i++)
		for (size_t j = 0; j < SAMPLE_THINGS; j++) {
			const struct rec_awaited *wanted = &sample_awaited[j];
			if (things[i].id != wanted->id)
				continue;
			assert_int_equal(things[i].thing.kind, wanted->thing.kind);
			assert_int_equal(things[i].thing.is_folded, wanted->thing.is_folded);
			assert_string_equal(things[i].thing.name, wanted->thing.name);
			assert_string_equal(things[i].thing.place, wanted->thing.place);
			assert_int_equal(things[i].thing.address, wanted->thing.address);
			assert_int_equal(things[i].process, wanted->process);
		}
	assert_int_equal(hops[0].waited_for, REC_NONE);
	assert_int_equal(things[hops[1].waited_for].id, SAMPLE_FILE);
	recording_free(recording);
}

static int count_rows(const struct rec_row *row, void *context)
{
	(void)row;
	(void)context;
	return 0;
}

/* What reading all of the sample says after that statement. */
static int read_damaged(const struct place *place, const char *statement)
{
	struct recording *recording = NULL;
	struct why why = {""};
	sqlite3 *db = NULL;

	sample_write(place->path);
	assert_int_equal(sqlite3_open(place->path, &db), SQLITE_OK);
	assert_int_equal(sqlite3_exec(db, statement, NULL, NULL, NULL), SQLITE_OK);
	sqlite3_close(db);
	int error = recording_open(place->path, &recording, &why);
	if (!error)
		error = recording_each_row(recording, count_rows, NULL, &why);
	recording_free(recording);
	return error;
}

static void a_damaged_thing_is_refused(void **state)
{
	static const char *const damage[] = {"DELETE FROM awaited WHERE kind = 24",
		"UPDATE sums SET awaited = 4711 WHERE awaited <> 0",
		"UPDATE sums SET owner = 4711 WHERE owner <> 0",
		"UPDATE sums SET awaited = 3 WHERE state = 0",
		"UPDATE awaited SET id = 0 WHERE id = 3", "UPDATE awaited SET id = 4 WHERE id = 3",
		"UPDATE awaited SET process = 99", "UPDATE awaited SET kind = 300"};

	for (size_t i = 0; i < ARRAY_SIZE(damage); i++)
		assert_int_equal(read_damaged(*state, damage[i]), -EIO);
	assert_int_equal(read_damaged(*state, "UPDATE awaited SET port = 80"), 0);
}

static void an_id_is_of_all_that_is_known(void **state)
{
	struct rec_awaited thing = sample_awaited[2], other = thing;
	uint64_t id = recording_awaited_id(&thing);

	(void)state;
	assert_true(id >= AWAITED_FIRST_ID);
	thing.id = 1;
	assert_int_equal(recording_awaited_id(&thing), id);
	other.thing.name = "/other";
	assert_int_not_equal(recording_awaited_id(&other), id);
	other = thing;
	other.thing.kind = AWAITED_FAULT;
	assert_int_not_equal(recording_awaited_id(&other), id);
	other = thing;
	other.process = 2;
	assert_int_not_equal(recording_awaited_id(&other), id);
	other.thing.is_folded = true;
	assert_int_equal(recording_awaited_id(&other), AWAITED_FILE);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(
			things_come_back_once_each, sample_make_place, sample_remove_place),
		cmocka_unit_test_setup_teardown(
			a_damaged_thing_is_refused, sample_make_place, sample_remove_place),
		cmocka_unit_test(an_id_is_of_all_that_is_known),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
