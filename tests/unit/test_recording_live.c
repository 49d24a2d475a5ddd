// SPDX-License-Identifier: GPL-2.0-or-later
/* A recording while it is written: dwell and SQLite read along, and there is one writer only. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>

#include "recording_file_sample.h"

/*
 * A reader in a process of its own. It is forked before the writer opens the file, because SQLite's
 * idea of locks does not survive fork(). Each byte on `go` lets it take its next step, each on
 * `turn` says that a step is done.
 */
struct reader {
	pid_t pid;
	int turn[2], go[2];
};

static bool wait_for_byte(const int pipe_fds[2])
{
	char byte;

	return read(pipe_fds[0], &byte, 1) == 1;
}

static bool send_byte(const int pipe_fds[2])
{
	return write(pipe_fds[1], "x", 1) == 1;
}

static int open_then_count(const struct reader *reader, size_t expected)
{
	struct recording *recording = NULL;
	struct why why = {""};
	size_t count = 0;

	if (!wait_for_byte(reader->go) || recording_open(path, &recording, &why) ||
		!send_byte(reader->turn) || !wait_for_byte(reader->go))
		return 1;
	int error = recording_each_row(recording, sample_count_row, &count, &why);
	recording_free(recording);
	return !error && count == expected ? 0 : 2;
}

static struct reader start_reader(size_t expected_rows)
{
	struct reader reader;

	assert_int_equal(pipe(reader.turn), 0);
	assert_int_equal(pipe(reader.go), 0);
	reader.pid = fork();
	if (!reader.pid)
		_exit(open_then_count(&reader, expected_rows));
	return reader;
}

static void let_it_open(const struct reader *reader)
{
	assert_true(send_byte(reader->go));
	/* If the reader fails, its exit status says so; do not wait for a byte that never comes. */
	close(reader->turn[1]);
	assert_true(wait_for_byte(reader->turn));
}

static void let_it_count(const struct reader *reader)
{
	assert_true(send_byte(reader->go));
	assert_int_equal(status_of(reader->pid), 0);
	close(reader->turn[0]);
	close(reader->go[0]);
	close(reader->go[1]);
}

static void a_reader_sees_the_committed_slices_of_a_live_recording(void **state)
{
	struct reader reader = start_reader(3 + 1);
	struct recording_writer *writer = sample_writer(path);

	(void)state;
	add_slices(writer, 3);
	recording_writer_add_sum(writer, &sample_rows[0]);
	let_it_open(&reader);
	let_it_count(&reader);
	assert_int_equal(recording_writer_finish(writer, NULL), 0);
	recording_writer_free(writer);
	expect_rows(4);
}

static void a_slow_reader_delays_slices_but_loses_none(void **state)
{
	/* It sees the moment of its opening, whatever is written later. */
	struct reader reader = start_reader(1 + 1);
	struct recording_writer *writer = sample_writer(path);
	struct why why = {""};

	(void)state;
	add_slices(writer, 1);
	let_it_open(&reader);
	recording_writer_add_sum(writer, &sample_rows[0]);
	assert_int_equal(recording_writer_commit(writer, &why), 0);
	/* Not committed yet: the journal is still needed. */
	assert_int_equal(access(journal, F_OK), 0);
	recording_writer_add_sum(writer, &sample_rows[0]);
	let_it_count(&reader);
	assert_int_equal(recording_writer_finish(writer, &why), 0);
	recording_writer_free(writer);
	expect_rows(3);
}

static void a_slow_reader_of_a_large_recording_delays_nothing(void **state)
{
	enum { LARGE = 600000 };
	struct recording_writer *writer = sample_writer(path);
	struct reader slow, quick;
	struct stat status;

	(void)state;
	add_slices(writer, 1);
	for (int i = 0; i < LARGE; i++)
		recording_writer_add_sum(writer, &sample_rows[0]);
	assert_int_equal(recording_writer_commit(writer, NULL), 0);
	assert_int_equal(stat(path, &status), 0);
	assert_true(status.st_size > 16 << 20);
	slow = start_reader(LARGE + 1 + 1);
	let_it_open(&slow);
	recording_writer_add_sum(writer, &sample_rows[0]);
	assert_int_equal(recording_writer_commit(writer, NULL), 0);
	/* It sees what was written after the slow one had begun. */
	quick = start_reader(LARGE + 2 + 1);
	let_it_open(&quick);
	assert_true(send_byte(quick.go));
	int seen = status_of(quick.pid);
	/* Before anything can fail: it would wait for ever. */
	let_it_count(&slow);
	assert_int_equal(seen, 0);
	assert_int_equal(recording_writer_finish(writer, NULL), 0);
	recording_writer_free(writer);
}

static int ask(sqlite3 *db, const char *sql)
{
	return sqlite3_exec(db, sql, NULL, NULL, NULL);
}

static int64_t number_of(sqlite3 *db, const char *sql)
{
	sqlite3_stmt *statement = NULL;

	assert_int_equal(sqlite3_prepare_v2(db, sql, -1, &statement, NULL), SQLITE_OK);
	assert_int_equal(sqlite3_step(statement), SQLITE_ROW);
	int64_t number = sqlite3_column_int64(statement, 0);
	sqlite3_finalize(statement);
	return number;
}

/* Whatever reads SQLite's files has SQLite's own locks: they and the writer's respect each other.
 */
static void ordinary_sqlite_reads_along_and_cannot_write(void **state)
{
	struct recording_writer *writer = sample_writer(path);
	sqlite3 *db = NULL;

	(void)state;
	add_slices(writer, 2);
	assert_int_equal(sqlite3_open(path, &db), SQLITE_OK);
	assert_int_equal(ask(db, "BEGIN"), SQLITE_OK);
	assert_int_equal(number_of(db, "SELECT count(*) FROM sums"), 2);
	/* A reader is in the middle of it: the slice goes into the next commit. */
	recording_writer_add_sum(writer, &sample_rows[0]);
	assert_int_equal(recording_writer_commit(writer, NULL), 0);
	assert_int_equal(number_of(db, "SELECT count(*) FROM sums"), 2);
	assert_int_equal(ask(db, "COMMIT"), SQLITE_OK);
	/* The writer waits for its turn: no new reader begins. */
	assert_int_equal(ask(db, "SELECT 1 FROM sums"), SQLITE_BUSY);
	recording_writer_add_sum(writer, &sample_rows[0]);
	assert_int_equal(recording_writer_commit(writer, NULL), 0);
	assert_int_equal(number_of(db, "SELECT count(*) FROM sums"), 4);
	assert_int_equal(ask(db, "BEGIN IMMEDIATE"), SQLITE_BUSY);
	/* Closing a descriptor of the file takes no lock of the writer away. */
	sqlite3_close(db);
	assert_int_equal(sqlite3_open(path, &db), SQLITE_OK);
	assert_int_equal(ask(db, "DELETE FROM sums"), SQLITE_BUSY);
	assert_int_equal(recording_writer_finish(writer, NULL), 0);
	recording_writer_free(writer);
	assert_int_equal(ask(db, "BEGIN IMMEDIATE"), SQLITE_OK);
	sqlite3_close(db);
	expect_rows(4);
}

static void two_writers_do_not_share_a_file(void **state)
{
	struct recording_writer *writer = sample_writer(path);

	(void)state;
	add_slices(writer, 1);
	pid_t child = fork();
	if (!child) {
		struct recording_writer *second = NULL;
		struct why why = {""};
		bool is_refused = recording_writer_new(path, &second, &why) == -EBUSY &&
				  !strncmp(why.text, "another dwell is recording into ", 32) &&
				  recording_move(path, journal, &why) == -EBUSY &&
				  recording_is_being_written(path);
		_exit(is_refused ? 0 : 1);
	}
	assert_int_equal(status_of(child), 0);
	assert_int_equal(recording_writer_finish(writer, NULL), 0);
	recording_writer_free(writer);
	assert_false(recording_is_being_written(path));
	expect_rows(1);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, make_place, remove_place)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(a_reader_sees_the_committed_slices_of_a_live_recording),
		TEST(a_slow_reader_delays_slices_but_loses_none),
		TEST(a_slow_reader_of_a_large_recording_delays_nothing),
		TEST(ordinary_sqlite_reads_along_and_cannot_write),
		TEST(two_writers_do_not_share_a_file),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
