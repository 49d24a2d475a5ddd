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
		{.measure = 7, .thread = 1, .count = 2, .value = 1, .max_value = 2, .events = 2},
		{.measure = 7, .thread = 1, .count = 2, .value = 2, .max_value = 2, .events = 1}};
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
		{"UPDATE counts SET events = count - 1", "does not add up"},
		{"UPDATE counts SET events = 2305843009213693952", "more than 2^62"},
		{"UPDATE counts SET events = 'few'", "bad events"},
		{"UPDATE counts SET awaited = 4711", "unknown thing"},
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

static void what_memory_cannot_be_is_refused(void **state)
{
	struct view_sample sample;
	struct why why = {""};
	(void)state;

	sample_begin(&sample, 1);
	recording_writer_put_memory(sample.writer, &(struct rec_memory){1, 0, 100, 101});
	assert_int_equal(recording_writer_commit(sample.writer, &why), -EINVAL);
	assert_non_null(strstr(why.text, "cannot be anonymous"));
	sample_end(&sample);
}

struct seen {
	size_t rows;
	uint64_t last_bytes;
};

static int see(const struct rec_resident *row, void *context)
{
	struct seen *seen = context;

	seen->rows++;
	seen->last_bytes = row->memory.rss_bytes;
	return row->process_index == 0 ? 0 : -1;
}

static void change(struct view_sample *sample, const char *sql)
{
	sqlite3 *db;

	recording_free(sample->recording);
	sample->recording = NULL;
	assert_int_equal(sqlite3_open(sample->path, &db), SQLITE_OK);
	if (sqlite3_exec(db, sql, NULL, NULL, NULL))
		fail_msg("%s: %s", sql, sqlite3_errmsg(db));
	sqlite3_close(db);
}

static void a_slice_in_progress_is_told_again(void **state)
{
	struct view_sample sample;
	struct seen seen = {0};
	struct why why = {""};
	(void)state;

	make(&sample);
	assert_int_equal(recording_each_memory(sample.recording, see, &seen, &why), 0);
	assert_int_equal(seen.rows, 3);
	assert_int_equal(seen.last_bytes, 48 << 20);
	sample_end(&sample);
}

static void memory_that_cannot_be_is_damage(void **state)
{
	static const char *const changes[][2] = {
		{"UPDATE memory SET process = 99 WHERE slice = 1", "unknown process"},
		{"UPDATE memory SET process = 4294967296 + process", "memory"},
		{"UPDATE memory SET process = 'shop' WHERE slice = 1", "out of order"},
		{"UPDATE memory SET slice = 3 WHERE slice = 2", "unknown slice"},
		{"UPDATE memory SET anonymous = rss + 1", "does not add up"},
		{"UPDATE memory SET rss = -1", "bad rss"},
		{"DROP TABLE memory; CREATE VIEW memory AS SELECT 1", "no plain table memory"}};
	(void)state;

	for (size_t i = 0; i < ARRAY_SIZE(changes); i++) {
		struct view_sample sample;
		struct seen seen = {0};
		struct why why = {""};
		make(&sample);
		change(&sample, changes[i][0]);
		int error = recording_open(sample.path, &sample.recording, &why);
		if (!error)
			error = recording_each_memory(sample.recording, see, &seen, &why);
		assert_int_equal(error, -EIO);
		if (!strstr(why.text, "damaged recording") || !strstr(why.text, changes[i][1]))
			fail_msg("%s: %s", changes[i][0], why.text);
		sample_end(&sample);
	}
}

/* Makes a file of format 7 of what was written. */
#define TO_VERSION_7                                                                               \
	"DROP VIEW measured; DROP TABLE memory; ALTER TABLE measures DROP COLUMN kind;"            \
	"ALTER TABLE counts DROP COLUMN events; ALTER TABLE counts DROP COLUMN awaited;"           \
	"UPDATE counts SET value = 3 * count WHERE measure = 7; PRAGMA user_version = 7"

static int check_old(const struct rec_counted *row, void *context)
{
	size_t *rows = context;
	uint64_t each = row->count.measure == 7 ? 3 : 1;

	++*rows;
	assert_int_equal(row->count.events, each * row->count.count);
	assert_int_equal(row->awaited, REC_NONE);
	return 0;
}

static void before_format_8_events_are_what_was_counted_or_the_value(void **state)
{
	struct view_sample sample;
	struct seen seen = {0};
	struct why why = {""};
	size_t rows = 0, count;
	(void)state;

	make(&sample);
	change(&sample, TO_VERSION_7);
	if (recording_open(sample.path, &sample.recording, &why) ||
		recording_each_count(sample.recording, check_old, &rows, &why) ||
		recording_each_memory(sample.recording, see, &seen, &why))
		fail_msg("%s", why.text);
	assert_int_equal(rows, 7);
	assert_int_equal(seen.rows, 0);
	const struct rec_measure *measures = recording_measures(sample.recording, &count);
	for (size_t i = 0; i < count; i++)
		assert_string_equal(measures[i].kind, "event");
	sample_end(&sample);
}

static void kinds_have_words_and_unknown_ones_are_events(void **state)
{
	(void)state;

	for (unsigned int i = 0; i < MEASURE_KINDS; i++)
		assert_int_equal(
			measure_kind_from_name(measure_kind_name((enum measure_kind)i)), i);
	assert_int_equal(measure_kind_from_name("entropy"), MEASURE_EVENT);
	assert_string_equal(measure_kind_name((enum measure_kind)99), "event");
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
			&(struct rec_measure){i + 1, name, "count", "event", "made up", "entropy"});
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
		cmocka_unit_test(what_memory_cannot_be_is_refused),
		cmocka_unit_test(a_slice_in_progress_is_told_again),
		cmocka_unit_test(memory_that_cannot_be_is_damage),
		cmocka_unit_test(before_format_8_events_are_what_was_counted_or_the_value),
		cmocka_unit_test(kinds_have_words_and_unknown_ones_are_events),
		cmocka_unit_test(more_measures_than_any_dwell_has_are_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
