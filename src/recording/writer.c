// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The writing side: prepared statements for each table. A transaction begins with the first row
 * after a commit. The first error stays: later calls do nothing, what was committed before it
 * remains as it was.
 */
#include "recording/writer_private.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "recording/schema.h"
#include "recording/vfs.h"

#define ROWS_4(row) row "," row "," row "," row
#define ROWS_32(row) ROWS_4(ROWS_4(row)) "," ROWS_4(ROWS_4(row))
_Static_assert(sizeof(ROWS_32("?")) == 2 * WRITER_BATCH, "one row for each of a batch");

#define STACK_ROW "(?, ?, ?, ?)"
#define SUM_ROW "(NULL, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"

static const char *const statements_sql[WRITER_STATEMENTS] = {
	[WRITER_INSERT_OBJECT] = "INSERT OR IGNORE INTO objects VALUES (?, ?, ?, ?)",
	[WRITER_INSERT_FRAME] = "INSERT OR IGNORE INTO frames VALUES (?, ?, ?, ?, ?, ?)",
	[WRITER_INSERT_STACK] = "INSERT OR IGNORE INTO stacks VALUES " STACK_ROW,
	[WRITER_INSERT_STACKS] = "INSERT OR IGNORE INTO stacks VALUES " ROWS_32(STACK_ROW),
	[WRITER_INSERT_CHAIN] = "INSERT OR IGNORE INTO chains VALUES (?, ?, ?)",
	[WRITER_INSERT_HOP] = "INSERT INTO hops VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
	[WRITER_INSERT_AWAITED] = "INSERT OR IGNORE INTO awaited VALUES (?, ?, ?, ?, ?, ?, ?)",
	[WRITER_INSERT_SHARE] = "INSERT INTO shares VALUES (?, ?, ?, ?, ?)",
	[WRITER_INSERT_PROCESS] = "INSERT OR REPLACE INTO processes VALUES (?, ?, ?, ?, ?, ?)",
	[WRITER_INSERT_THREAD] = "INSERT OR REPLACE INTO threads"
				 " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
	[WRITER_INSERT_SUM] = "INSERT INTO sums VALUES " SUM_ROW,
	[WRITER_INSERT_SUMS] = "INSERT INTO sums VALUES " ROWS_32(SUM_ROW),
	[WRITER_INSERT_OPEN] = "INSERT INTO open VALUES " SUM_ROW,
	[WRITER_INSERT_MEASURE] = "INSERT OR REPLACE INTO measures VALUES (?, ?, ?, ?, ?, ?)",
	[WRITER_INSERT_COUNT] = "INSERT INTO counts VALUES (NULL, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
	[WRITER_INSERT_MEMORY] = "INSERT OR REPLACE INTO memory VALUES (?, ?, ?, ?)",
	[WRITER_INSERT_QUEUE] = "INSERT INTO queues VALUES (NULL, ?, ?, ?, ?, ?, ?, ?)",
	[WRITER_INSERT_FUNCTION] = "INSERT OR REPLACE INTO functions"
				   " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
	[WRITER_INSERT_CALL] = "INSERT INTO calls"
			       " VALUES (NULL, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
	[WRITER_INSERT_OPEN_CALL] = "INSERT INTO open_calls"
				    " VALUES (NULL, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
	[WRITER_INSERT_SLOW] = "INSERT INTO slow"
			       " VALUES (NULL, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
	[WRITER_INSERT_SLOW_SHARE] = "INSERT INTO slow_shares VALUES (?, ?, ?, ?, ?)",
	[WRITER_INSERT_LOSS] = "INSERT INTO losses VALUES (?, ?, ?) ON CONFLICT(name)"
			       " DO UPDATE SET count = excluded.count, ns = excluded.ns",
	[WRITER_INSERT_META] = "INSERT INTO meta VALUES (?, ?) ON CONFLICT(key)"
			       " DO UPDATE SET value = excluded.value",
	[WRITER_INSERT_SLICE] = "INSERT OR REPLACE INTO slices VALUES (?, ?, ?)",
	[WRITER_INSERT_SLICE_IF_NEW] = "INSERT OR IGNORE INTO slices VALUES (?, ?, ?)",
	[WRITER_CLEAR_OPEN] = "DELETE FROM open",
	[WRITER_CLEAR_OPEN_CALLS] = "DELETE FROM open_calls",
	[WRITER_BEGIN] = "BEGIN IMMEDIATE",
	[WRITER_COMMIT] = "COMMIT",
};

/* A commit gives way to readers after COMMIT_PATIENCE_MS; the last one has more time. */
#define COMMIT_PATIENCE_MS 250
#define FINISH_PATIENCE_MS 60000

static void fail_with_sqlite(struct recording_writer *writer, int code)
{
	int system_error = vfs_errno(writer->db);

	if (writer->error)
		return;
	switch (code & 0xff) {
	case SQLITE_FULL:
		/* No new file is needed: it is not for want of inodes. */
		writer->error = place_cannot_write(&writer->why, -ENOSPC, writer->path, -1);
		return;
	case SQLITE_BUSY:
		writer->error = why_set(&writer->why, -EBUSY,
			"cannot write %s: another program holds it", writer->path);
		return;
	case SQLITE_IOERR:
	case SQLITE_CANTOPEN:
		writer->error = place_cannot_write(
			&writer->why, system_error ? -system_error : -EIO, writer->path, -1);
		return;
	default:
		writer->error = why_set(&writer->why, -EIO, "cannot write %s: %s", writer->path,
			writer->db ? sqlite3_errmsg(writer->db) : sqlite3_errstr(code));
	}
}

void writer_run(struct recording_writer *writer, enum writer_statement which)
{
	sqlite3_stmt *statement = writer->statements[which];

	if (!writer->error) {
		sqlite3_step(statement);
		int code = sqlite3_reset(statement);
		if (code)
			fail_with_sqlite(writer, code);
	}
}

sqlite3_stmt *writer_start(struct recording_writer *writer, enum writer_statement which)
{
	if (!writer->error && !writer->is_in_transaction) {
		writer_run(writer, WRITER_BEGIN);
		writer->is_in_transaction = !writer->error;
	}
	return writer->error ? NULL : writer->statements[which];
}

void writer_bind_id(sqlite3_stmt *statement, int column, uint64_t id)
{
	sqlite3_bind_int64(statement, column, (int64_t)id);
}

void writer_bind_number(
	struct recording_writer *writer, sqlite3_stmt *statement, int column, uint64_t number)
{
	if (number > INT64_MAX && !writer->error)
		writer->error = why_set(&writer->why, -ERANGE,
			"cannot write %s: %" PRIu64 " is too large (%.40s)", writer->path, number,
			sqlite3_sql(statement));
	sqlite3_bind_int64(statement, column, (int64_t)number);
}

void writer_bind_text(sqlite3_stmt *statement, int column, const char *text)
{
	size_t length = text ? strnlen(text, SCHEMA_MAX_TEXT_BYTES) : 0;

	sqlite3_bind_text(statement, column, text ? text : "", (int)length, SQLITE_STATIC);
}

static int open_database(struct recording_writer *writer)
{
	static const char settings[] =
		"PRAGMA page_size=4096; PRAGMA journal_mode=TRUNCATE; PRAGMA synchronous=OFF;"
		"PRAGMA cache_size=-4096; PRAGMA temp_store=MEMORY;";
	int code = vfs_open(&writer->file, &writer->db);

	if (!code)
		code = sqlite3_extended_result_codes(writer->db, 1);
	if (!code)
		code = sqlite3_exec(writer->db, settings, NULL, NULL, NULL);
	if (!code)
		code = sqlite3_busy_timeout(writer->db, COMMIT_PATIENCE_MS);
	if (!code)
		code = schema_create(writer->db);
	for (size_t i = 0; !code && i < WRITER_STATEMENTS; i++)
		code = sqlite3_prepare_v3(writer->db, statements_sql[i], -1,
			SQLITE_PREPARE_PERSISTENT, &writer->statements[i], NULL);
	if (code)
		fail_with_sqlite(writer, code);
	return writer->error;
}

int recording_writer_new(const char *path, struct recording_writer **ret, struct why *why)
{
	struct recording_file file;
	int error = recording_file_create(path, &file, why);

	if (error)
		return error;
	struct recording_writer *writer = xcalloc(1, sizeof(*writer));
	writer->path = xstrdup(path);
	writer->file = file;
	error = open_database(writer);
	if (error) {
		why_set(why, error, "%s", writer->why.text);
		recording_writer_discard(writer);
		return error;
	}
	*ret = writer;
	return 0;
}

void recording_writer_discard(struct recording_writer *writer)
{
	if (writer)
		recording_file_remove(&writer->file);
	recording_writer_free(writer);
}

bool recording_writer_is_in_place(const struct recording_writer *writer)
{
	const struct recording_file *file = &writer->file;

	return place_holds(&file->place, file->place.name, file->main);
}

bool recording_writer_holds_something(const struct recording_writer *writer)
{
	return writer->slices_kept > 0;
}

void recording_writer_free(struct recording_writer *writer)
{
	if (!writer)
		return;
	for (size_t i = 0; i < WRITER_STATEMENTS; i++)
		sqlite3_finalize(writer->statements[i]);
	vfs_close(writer->db);
	recording_file_close(&writer->file);
	vec_clear(&writer->batch.shares);
	vec_clear(&writer->slices);
	free(writer->slow_times);
	free(writer->path);
	free(writer);
}

static int report(const struct recording_writer *writer, struct why *why)
{
	return writer->error ? why_set(why, writer->error, "%s", writer->why.text) : 0;
}

int recording_writer_commit(struct recording_writer *writer, struct why *why)
{
	writer_batch_flush(writer);
	writer_write_slices(writer);
	if (writer->error || !writer->is_in_transaction)
		return report(writer, why);
	sqlite3_step(writer->statements[WRITER_COMMIT]);
	int code = sqlite3_reset(writer->statements[WRITER_COMMIT]);
	if ((code & 0xff) == SQLITE_BUSY)
		return 0;
	if (code)
		fail_with_sqlite(writer, code);
	else
		writer->slices_kept = writer->slices_filled;
	writer->is_in_transaction = false;
	return report(writer, why);
}

int recording_writer_finish(struct recording_writer *writer, struct why *why)
{
	if (!writer->slice_ns && !writer->error)
		writer->error = why_set(
			&writer->why, -EINVAL, "cannot finish %s: it has no meta", writer->path);
	writer_check_slow_times(writer);
	recording_writer_begin_open(writer);
	writer_set_finished(writer);
	sqlite3_busy_timeout(writer->db, FINISH_PATIENCE_MS);
	int error = recording_writer_commit(writer, why);
	sqlite3_busy_timeout(writer->db, COMMIT_PATIENCE_MS);
	if (!error && writer->is_in_transaction) {
		fail_with_sqlite(writer, SQLITE_BUSY);
		error = report(writer, why);
	}
	return error;
}
