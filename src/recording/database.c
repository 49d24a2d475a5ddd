// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Opening a recording that may be damaged, foreign or hostile, without writing to it. SQLite is
 * told to trust nothing in the file: no views, no triggers, no functions, and an authorizer lets
 * only plain reads of plain tables pass.
 *
 * A writer killed in mid-commit leaves a journal that must be rolled back before the file is
 * consistent, which a read-only connection refuses to do; then a copy is read (repair.c).
 */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "recording/reader_private.h"
#include "recording/repair.h"
#include "recording/schema.h"
#include "recording/vfs.h"
#include "recording/writer.h"

/* A live writer holds the file only for the moment of a commit. */
#define READ_PATIENCE_MS 5000
#define MAX_ROW_BYTES (16 << 20)
#define HEADER_BYTES 100
/* Smaller ones are read in a moment. */
#define LONG_READ_BYTES (16 << 20)

static uint32_t big_endian(const unsigned char *at)
{
	return (uint32_t)at[0] << 24 | (uint32_t)at[1] << 16 | (uint32_t)at[2] << 8 | at[3];
}

static int read_header(sqlite3 *db, unsigned char header[static HEADER_BYTES], int64_t *ret_bytes)
{
	sqlite3_file *file = NULL;
	sqlite3_int64 bytes = 0;

	*ret_bytes = -1;
	if (sqlite3_file_control(db, "main", SQLITE_FCNTL_FILE_POINTER, &file) || !file ||
		!file->pMethods || file->pMethods->xFileSize(file, &bytes))
		return -EIO;
	*ret_bytes = bytes;
	return file->pMethods->xRead(file, header, HEADER_BYTES, 0) ? -EIO : 0;
}

static int check_header(sqlite3 *db, const char *path, struct why *why)
{
	unsigned char header[HEADER_BYTES];
	int64_t bytes;

	if (read_header(db, header, &bytes) || memcmp(header, "SQLite format 3", 16) ||
		big_endian(header + 68) != RECORDING_APPLICATION_ID || !big_endian(header + 60))
		return why_set(why, -EINVAL, "%s is not a dwell recording", path);
	if (big_endian(header + 60) > RECORDING_VERSION)
		return why_set(why, -EPROTONOSUPPORT,
			"%s was made by a newer dwell: format %u, this one reads up to %u", path,
			big_endian(header + 60), RECORDING_VERSION);
	/* Write-ahead logging, which dwell never uses: reading would make files beside it. */
	if (header[18] != 1 || header[19] != 1)
		return why_set(why, -EIO, "damaged recording: bad file header (%s)", path);
	return 0;
}

int database_holds_nothing(const char *path, struct why *why)
{
	if (recording_is_being_written(path))
		return why_set(
			why, -ENODATA, "%s holds nothing yet: its recording has just begun", path);
	return why_set(why, -ENODATA,
		"%s holds nothing: its recording was cut short before the first slice", path);
}

/* SQLite reads what is missing of a last page as zeros, without a word. */
static int check_size(sqlite3 *db, const char *path, struct why *why)
{
	unsigned char header[HEADER_BYTES];
	int64_t bytes, page_bytes;

	int error = read_header(db, header, &bytes);
	/* Killed while it made its tables: rolled back, nothing is left. */
	if (error && !bytes)
		return database_holds_nothing(path, why);
	if (error)
		return why_set(why, -EIO, "damaged recording: unreadable header (%s)", path);
	page_bytes = (int64_t)header[16] << 8 | header[17];
	if (page_bytes == 1)
		page_bytes = 65536;
	if (bytes < page_bytes * big_endian(header + 28))
		return why_set(why, -EIO, "damaged recording: its end is missing (%s)", path);
	return 0;
}

static int sqlite_failure(sqlite3 *db, const char *path, int code, struct why *why)
{
	switch (code & 0xff) {
	case SQLITE_BUSY:
		return why_set(why, -EBUSY, "%s is being written; try again", path);
	case SQLITE_NOTADB:
		return why_set(why, -EINVAL, "%s is not a dwell recording", path);
	case SQLITE_CANTOPEN:
		return why_set(why, -EACCES, "cannot read %s: %s", path,
			strerror(vfs_errno(db) ? vfs_errno(db) : EACCES));
	default:
		return why_set(why, -EIO, "damaged recording: %s (%s)", sqlite3_errstr(code), path);
	}
}

static int allow_plain_reads(void *unused, int action, const char *table, const char *column,
	const char *database, const char *view)
{
	(void)unused;
	(void)table;
	(void)column;
	(void)database;
	if (view)
		return SQLITE_DENY;
	return action == SQLITE_SELECT || action == SQLITE_READ ? SQLITE_OK : SQLITE_DENY;
}

static int distrust(sqlite3 *db)
{
	static const struct {
		int option;
		int value;
	} options[] = {
		{SQLITE_DBCONFIG_DEFENSIVE, 1},
		{SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0},
		{SQLITE_DBCONFIG_ENABLE_VIEW, 0},
		{SQLITE_DBCONFIG_ENABLE_TRIGGER, 0},
	};

	sqlite3_extended_result_codes(db, 1);
	sqlite3_busy_timeout(db, READ_PATIENCE_MS);
	sqlite3_limit(db, SQLITE_LIMIT_LENGTH, MAX_ROW_BYTES);
	sqlite3_limit(db, SQLITE_LIMIT_COLUMN, 200);
	sqlite3_limit(db, SQLITE_LIMIT_ATTACHED, 0);
	for (size_t i = 0; i < ARRAY_SIZE(options); i++) {
		int code = sqlite3_db_config(db, options[i].option, options[i].value, NULL);
		if (code)
			return code;
	}
	return sqlite3_exec(
		db, "PRAGMA cell_size_check=ON; PRAGMA temp_store=MEMORY;", NULL, NULL, NULL);
}

/* The first read: it finds a journal that has to be rolled back, and starts the transaction. */
static int begin_reading(sqlite3 *db)
{
	int code = sqlite3_exec(db, "BEGIN", NULL, NULL, NULL);

	if (!code)
		code = sqlite3_exec(db, "SELECT 1 FROM sqlite_master LIMIT 1", NULL, NULL, NULL);
	return code;
}

/* Neither a view nor virtual (without a root page), and no column that is an expression. */
static bool is_plain_table(sqlite3_stmt *statement, const char *name)
{
	bool is_plain;

	sqlite3_bind_text(statement, 1, name, -1, SQLITE_STATIC);
	is_plain = sqlite3_step(statement) == SQLITE_ROW;
	sqlite3_reset(statement);
	return is_plain;
}

static uint32_t version_of(sqlite3 *db)
{
	unsigned char header[HEADER_BYTES];
	int64_t bytes;

	return read_header(db, header, &bytes) ? 0 : big_endian(header + 60);
}

/* The first of them that is not there, or NULL. */
static const char *missing_table(sqlite3_stmt *statement, const char *const *names)
{
	for (; *names; names++)
		if (!is_plain_table(statement, *names))
			return *names;
	return NULL;
}

static int check_tables(sqlite3 *db, uint32_t version, const char *path, struct why *why)
{
	sqlite3_stmt *statement = NULL;
	const char *missing = NULL;
	int code = sqlite3_prepare_v2(db,
		"SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = ?1 AND rootpage > 1"
		" AND NOT EXISTS (SELECT 1 FROM pragma_table_xinfo(?1) WHERE hidden <> 0)",
		-1, &statement, NULL);

	if (code)
		return sqlite_failure(db, path, code, why);
	missing = missing_table(statement, schema_tables);
	if (!missing && version > 1)
		missing = missing_table(statement, schema_chain_tables);
	if (!missing && version >= RECORDING_VERSION_OF_MEASURES)
		missing = missing_table(statement, schema_measure_tables);
	if (!missing && version >= RECORDING_VERSION_OF_QUEUES)
		missing = missing_table(statement, schema_queue_tables);
	if (!missing && version >= RECORDING_VERSION_OF_AWAITED)
		missing = missing_table(statement, schema_awaited_tables);
	if (!missing && version >= RECORDING_VERSION_OF_MEMORY)
		missing = missing_table(statement, schema_memory_tables);
	if (!missing && version >= RECORDING_VERSION_OF_CALLS)
		missing = missing_table(statement, schema_call_tables);
	sqlite3_finalize(statement);
	if (missing)
		return why_set(
			why, -EIO, "damaged recording: no plain table %s (%s)", missing, path);
	sqlite3_set_authorizer(db, allow_plain_reads, NULL);
	return 0;
}

static int open_and_begin(const char *path, const struct recording_file *file, sqlite3 **ret,
	int *ret_code, struct why *why)
{
	sqlite3 *db = NULL;
	int code = vfs_open(file, &db);
	int error = code ? sqlite_failure(db, path, code, why) : check_header(db, path, why);

	if (!error) {
		code = distrust(db);
		if (!code)
			code = begin_reading(db);
		error = code ? sqlite_failure(db, path, code, why) : check_size(db, path, why);
	}
	*ret_code = code;
	if (error)
		vfs_close(db);
	else
		*ret = db;
	return error;
}

static int cannot_read(const char *path, int error, struct why *why)
{
	if (error == -ENOENT)
		return why_set(why, error, "no recording %s; make one with: dwell record", path);
	if (error == -EISDIR)
		return why_set(why, -EINVAL, "%s is not a dwell recording: it is a folder", path);
	return why_set(why, error, "cannot read %s: %s", path, strerror(-error));
}

/* A regular file that has something in it. */
static int check_file(int fd, const char *path, struct privacy *privacy, uint64_t *ret_file_bytes,
	struct why *why)
{
	struct stat status;

	if (fstat(fd, &status))
		return cannot_read(path, -errno, why);
	if (S_ISDIR(status.st_mode))
		return cannot_read(path, -EISDIR, why);
	if (!S_ISREG(status.st_mode) || status.st_size < HEADER_BYTES)
		return why_set(why, -EINVAL, "%s is not a dwell recording%s", path,
			S_ISREG(status.st_mode) && !status.st_size ? ": it is empty" : "");
	*privacy = privacy_of(&status);
	*ret_file_bytes = (uint64_t)status.st_size;
	return 0;
}

static int open_file(
	const char *path, struct database *database, uint64_t *ret_file_bytes, struct why *why)
{
	struct recording_file *file = &database->file;
	/* A journal lies beside the file itself, not beside a link to it. */
	_cleanup_free_ char *real_path = realpath(path, NULL);
	int error = real_path ? place_open(real_path, &file->place) : -errno;

	if (error)
		return cannot_read(path, error, why);
	file->journal_name = xasprintf("%s-journal", file->place.name);
	file->main = openat(file->place.folder, file->place.name,
		O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
	if (file->main < 0)
		return cannot_read(path, errno == ENXIO ? -EINVAL : -errno, why);
	return check_file(file->main, path, &database->privacy, ret_file_bytes, why);
}

/*
 * A writer that cannot commit while somebody reads keeps its rows in memory, and large recordings
 * take minutes to read: then the file is copied, which takes moments, and let go.
 */
static int read_a_copy(const char *path, struct database *database, struct why *why)
{
	struct recording_file copy;
	int code;

	if (!repair_take_copy(&database->file, &copy))
		return 0;
	vfs_close(database->db);
	recording_file_close(&database->file);
	database->db = NULL;
	database->file = copy;
	return open_and_begin(path, &database->file, &database->db, &code, why);
}

static int open_recording(
	const char *path, struct database *database, uint64_t *ret_file_bytes, struct why *why)
{
	int code = SQLITE_OK;
	int error = open_file(path, database, ret_file_bytes, why);

	if (error)
		return error;
	error = open_and_begin(path, &database->file, &database->db, &code, why);
	if (error && code == SQLITE_READONLY_ROLLBACK) {
		error = repair_into_copy(&database->file, path, why);
		if (!error)
			error = open_and_begin(path, &database->file, &database->db, &code, why);
	}
	if (!error)
		database->is_live = recording_file_is_being_written(&database->file);
	if (!error && database->is_live && *ret_file_bytes >= LONG_READ_BYTES)
		error = read_a_copy(path, database, why);
	if (error)
		return error;
	/* Inside the read transaction, so it is the version of what will be read. */
	database->version = version_of(database->db);
	return check_tables(database->db, database->version, path, why);
}

int database_open(const char *path, struct database *ret, uint64_t *ret_file_bytes, struct why *why)
{
	struct database database = {.file = RECORDING_FILE_NONE};
	int error = open_recording(path, &database, ret_file_bytes, why);

	if (error)
		database_close(&database);
	else
		*ret = database;
	return error;
}

void database_close(struct database *database)
{
	vfs_close(database->db);
	recording_file_close(&database->file);
	database->db = NULL;
}
