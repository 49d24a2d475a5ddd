// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Opening a recording that may be damaged, foreign or hostile, without writing to it. SQLite is
 * told to trust nothing in the file: no views, no triggers, no functions, and an authorizer lets
 * only plain reads of plain tables pass.
 *
 * A writer killed in mid-commit leaves a journal that must be rolled back before the file is
 * consistent, which a read-only connection refuses to do; then file and journal are copied into a
 * private folder and rolled back there. The copy is unlinked as soon as it is open.
 */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "recording/reader_private.h"
#include "recording/schema.h"

/* A live writer holds the file only for the moment of a commit. */
#define READ_PATIENCE_MS 5000
#define MAX_ROW_BYTES (16 << 20)
#define HEADER_BYTES 100

static uint32_t big_endian(const unsigned char *at)
{
	return (uint32_t)at[0] << 24 | (uint32_t)at[1] << 16 | (uint32_t)at[2] << 8 | at[3];
}

/*
 * The header is read through SQLite's own descriptor: opening and closing another one would drop
 * the locks of a writer in this process.
 */
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

/* SQLite reads what is missing of a last page as zeros, without a word. */
static int check_size(sqlite3 *db, const char *path, struct why *why)
{
	unsigned char header[HEADER_BYTES];
	int64_t bytes, page_bytes;

	int error = read_header(db, header, &bytes);
	/* Killed while it made its tables: rolled back, nothing is left. */
	if (error && !bytes)
		return why_set(why, -ENODATA,
			"%s holds nothing: its recording was cut short before the first slice",
			path);
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
			strerror(db && sqlite3_system_errno(db) ? sqlite3_system_errno(db)
								: EACCES));
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
	for (size_t i = 0; schema_tables[i] && !missing; i++)
		if (!is_plain_table(statement, schema_tables[i]))
			missing = schema_tables[i];
	for (size_t i = 0; version > 1 && schema_chain_tables[i] && !missing; i++)
		if (!is_plain_table(statement, schema_chain_tables[i]))
			missing = schema_chain_tables[i];
	sqlite3_finalize(statement);
	if (missing)
		return why_set(
			why, -EIO, "damaged recording: no plain table %s (%s)", missing, path);
	sqlite3_set_authorizer(db, allow_plain_reads, NULL);
	return 0;
}

static int copy_contents(int from, int to)
{
	char buffer[1 << 16];

	for (;;) {
		ssize_t got = read(from, buffer, sizeof(buffer));
		if (got < 0 && errno == EINTR)
			continue;
		if (got <= 0)
			return got ? -errno : 0;
		for (ssize_t put = 0; put < got;) {
			ssize_t wrote = write(to, buffer + put, (size_t)(got - put));
			if (wrote < 0 && errno != EINTR)
				return -errno;
			put += wrote > 0 ? wrote : 0;
		}
	}
}

static int copy_file(const char *from, const char *to, struct why *why)
{
	_cleanup_close_ int in = open(from, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
	_cleanup_close_ int out = -1;
	struct stat status;

	if (in < 0 || fstat(in, &status))
		return why_set(why, -errno, "cannot read %s: %s", from, strerror(errno));
	if (!S_ISREG(status.st_mode))
		return why_set(why, -EIO, "damaged recording: %s is not a file", from);
	out = open(to, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	int error = out < 0 ? -errno : copy_contents(in, out);
	if (error)
		return why_set(why, error, "cannot copy %s to %s to repair it: %s", from, to,
			strerror(-error));
	return 0;
}

/*
 * A journal may end with the name of a second file that SQLite deletes after rolling back. Dwell
 * never writes that, and a stranger must not choose what is deleted here.
 */
static int refuse_super_journal(const char *journal, const char *path, struct why *why)
{
	static const unsigned char magic[8] = {0xd9, 0xd5, 0x05, 0xf9, 0x20, 0xa1, 0x63, 0xd7};
	_cleanup_close_ int fd = open(journal, O_RDONLY | O_CLOEXEC);
	unsigned char end[sizeof(magic)];
	off_t size = fd < 0 ? -1 : lseek(fd, 0, SEEK_END);

	if (size < (off_t)sizeof(end))
		return 0;
	if (pread(fd, end, sizeof(end), size - (off_t)sizeof(end)) != sizeof(end) ||
		!memcmp(end, magic, sizeof(magic)))
		return why_set(why, -EIO, "damaged recording: foreign journal (%s)", path);
	return 0;
}

static int copy_with_journal(
	const char *path, const char *real_path, const char *copy, struct why *why)
{
	_cleanup_free_ char *journal = xasprintf("%s-journal", real_path);
	_cleanup_free_ char *journal_copy = xasprintf("%s-journal", copy);
	int error = copy_file(journal, journal_copy, why);

	if (!error)
		error = refuse_super_journal(journal_copy, path, why);
	if (!error)
		error = copy_file(real_path, copy, why);
	return error;
}

static void remove_copy(const char *folder, const char *copy)
{
	static const char *const endings[] = {"", "-journal", "-wal", "-shm"};

	for (size_t i = 0; i < ARRAY_SIZE(endings); i++) {
		_cleanup_free_ char *name = xasprintf("%s%s", copy, endings[i]);
		unlink(name);
	}
	rmdir(folder);
}

/* A folder that only we can enter. /var/tmp first: a recording may be larger than memory. */
static char *make_folder(void)
{
	const char *chosen = secure_getenv("TMPDIR");
	const char *const places[] = {chosen && *chosen == '/' ? chosen : "/var/tmp", "/tmp"};

	for (size_t i = 0; i < ARRAY_SIZE(places); i++) {
		char *folder = xasprintf("%s/dwell-XXXXXX", places[i]);
		if (mkdtemp(folder))
			return folder;
		free(folder);
	}
	return NULL;
}

static int open_and_begin(const char *path, const char *real_path, int flags, sqlite3 **ret,
	int *ret_code, struct why *why)
{
	sqlite3 *db = NULL;
	int code = sqlite3_open_v2(real_path, &db, flags | SQLITE_OPEN_NOMUTEX, NULL);
	int error = code ? sqlite_failure(db, path, code, why) : check_header(db, path, why);

	if (!error) {
		code = distrust(db);
		if (!code)
			code = begin_reading(db);
		error = code ? sqlite_failure(db, path, code, why) : check_size(db, path, why);
	}
	*ret_code = code;
	if (error)
		sqlite3_close(db);
	else
		*ret = db;
	return error;
}

static int open_copy(const char *path, const char *real_path, sqlite3 **ret, struct why *why)
{
	_cleanup_free_ char *folder = make_folder();
	int code;

	if (!folder)
		return why_set(why, -errno, "cannot make a temporary folder to repair %s in: %s",
			path, strerror(errno));
	_cleanup_free_ char *copy = xasprintf("%s/recording", folder);
	int error = copy_with_journal(path, real_path, copy, why);
	if (!error)
		error = open_and_begin(path, copy, SQLITE_OPEN_READWRITE, ret, &code, why);
	remove_copy(folder, copy);
	return error;
}

/* An absolute name of a regular file that has something in it. */
static int find_file(
	const char *path, char **ret_real_path, uint64_t *ret_file_bytes, struct why *why)
{
	struct stat status;
	char *real_path = realpath(path, NULL);

	if (!real_path || stat(real_path, &status)) {
		int error = -errno;
		free(real_path);
		if (error == -ENOENT)
			return why_set(
				why, error, "no recording %s; make one with: dwell record", path);
		return why_set(why, error, "cannot read %s: %s", path, strerror(-error));
	}
	if (!S_ISREG(status.st_mode) || status.st_size < HEADER_BYTES) {
		free(real_path);
		return why_set(why, -EINVAL, "%s is not a dwell recording%s", path,
			S_ISDIR(status.st_mode)                      ? ": it is a folder"
			: S_ISREG(status.st_mode) && !status.st_size ? ": it is empty"
								     : "");
	}
	*ret_real_path = real_path;
	*ret_file_bytes = (uint64_t)status.st_size;
	return 0;
}

int database_open(const char *path, sqlite3 **ret, uint64_t *ret_file_bytes, uint32_t *ret_version,
	struct why *why)
{
	_cleanup_free_ char *real_path = NULL;
	sqlite3 *db;
	uint64_t bytes = 0;
	int code = SQLITE_OK;
	int error = find_file(path, &real_path, &bytes, why);

	if (error)
		return error;
	error = open_and_begin(path, real_path, SQLITE_OPEN_READONLY, &db, &code, why);
	if (error && code == SQLITE_READONLY_ROLLBACK)
		error = open_copy(path, real_path, &db, why);
	if (error)
		return error;
	/* Inside the read transaction, so it is the version of what will be read. */
	uint32_t version = version_of(db);
	error = check_tables(db, version, path, why);
	if (error) {
		sqlite3_close(db);
		return error;
	}
	*ret = db;
	*ret_file_bytes = bytes;
	*ret_version = version;
	return 0;
}

void database_close(sqlite3 *db)
{
	sqlite3_close(db);
}
