// SPDX-License-Identifier: GPL-2.0-or-later
/* What the writer refuses of measures and counts, and what the reader calls damage. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <sqlite3.h>

#include "measure_sample.h"

static void the_writer_refuses_what_cannot_be(void **state)
{
	static const struct rec_count bad[] = {{.measure = 7, .thread = 1, .count = 0},
		{.measure = 7, .thread = 1, .count = 2, .value = 1, .max_value = 2}};
	(void)state;

	for (size_t i = 0; i < ARRAY_SIZE(bad); i++) {
		struct view_sample sample;
		struct why why = {""};
		sample_begin(&sample, 1);
		recording_writer_add_count(sample.writer, &bad[i]);
		assert_int_equal(recording_writer_commit(sample.writer, &why), -EINVAL);
		assert_non_null(strstr(why.text, "cannot add up"));
		sample_end(&sample);
	}
}

static int nothing(const struct rec_counted *row, void *context)
{
	(void)row;
	(void)context;
	return 0;
}

static void a_row_that_cannot_be_is_damage(void **state)
{
	static const char *const changes[][2] = {
		{"UPDATE counts SET measure = 8", "unknown measure"},
		{"UPDATE counts SET thread = 99", "unknown thread"},
		{"UPDATE counts SET slice = 3", "unknown slice"},
		{"UPDATE counts SET count = 0", "does not add up"},
		{"UPDATE counts SET max_value = value + 1", "does not add up"},
		{"UPDATE counts SET user_stack = 12345", "unknown stack"},
		{"UPDATE counts SET value = 2305843009213693952", "more than 2^62"},
		{"DELETE FROM measures", "unknown measure"},
		{"UPDATE counts SET value = -1", "counts"},
		{"UPDATE counts SET count = 'many'", "counts"}};
	(void)state;

	for (size_t i = 0; i < ARRAY_SIZE(changes); i++) {
		struct view_sample sample;
		struct why why = {""};
		sqlite3 *db;
		make(&sample);
		recording_free(sample.recording);
		sample.recording = NULL;
		assert_int_equal(sqlite3_open(sample.path, &db), SQLITE_OK);
		assert_int_equal(sqlite3_exec(db, changes[i][0], NULL, NULL, NULL), SQLITE_OK);
		sqlite3_close(db);
		assert_int_equal(recording_open(sample.path, &sample.recording, &why), 0);
		assert_int_equal(recording_each_count(sample.recording, nothing, NULL, &why), -EIO);
		if (!strstr(why.text, "damaged recording") || !strstr(why.text, changes[i][1]))
			fail_msg("%s: %s", changes[i][0], why.text);
		sample_end(&sample);
	}
}

/* Opens a recording of that many measures; the writer itself has no limit. */
static int open_with(size_t count, struct why *why)
{
	struct view_sample sample;
	struct recording *recording = NULL;
	int error;

	sample_begin(&sample, 1);
	for (uint32_t i = 0; i < count; i++) {
		_cleanup_free_ char *name = xasprintf("measure-%u", i);
		recording_writer_put_measure(sample.writer,
			&(struct rec_measure){i + 1, name, "count", "event", "made up"});
	}
	recording_writer_put_meta(sample.writer, &sample.meta);
	assert_int_equal(recording_writer_finish(sample.writer, why), 0);
	error = recording_open(sample.path, &recording, why);
	recording_free(recording);
	sample_end(&sample);
	return error;
}

/* What is made of a recording grows with them, however small the file is. */
static void more_measures_than_any_dwell_has_are_refused(void **state)
{
	struct why why = {""};
	(void)state;

	assert_int_equal(open_with(64, &why), 0);
	assert_int_equal(open_with(65, &why), -EIO);
	assert_non_null(strstr(why.text, "damaged recording: more than 64 measures"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_writer_refuses_what_cannot_be),
		cmocka_unit_test(a_row_that_cannot_be_is_damage),
		cmocka_unit_test(more_measures_than_any_dwell_has_are_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
