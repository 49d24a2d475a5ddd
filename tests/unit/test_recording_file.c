// SPDX-License-Identifier: GPL-2.0-or-later
/* The recording as a file: made safely, read while written, and left readable by kill -9 and full
 * disks. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/wait.h>

#include "recording_sample.h"

/* More rows than the writer's page cache holds: SQLite has to write before the commit. */
#define MANY_ROWS 300000

static char *folder, *path, *journal, *temporary;

static int make_place(void **state)
{
	(void)state;
	folder = sample_folder();
	path = xasprintf("%s/a.dwell", folder);
	journal = xasprintf("%s-journal", path);
	temporary = sample_folder();
	assert_int_equal(chmod(temporary, 0777), 0);
	assert_int_equal(setenv("TMPDIR", temporary, 1), 0);
	assert_int_equal(unsetenv("SUDO_UID"), 0);
	assert_int_equal(unsetenv("SUDO_GID"), 0);
	return 0;
}

static int remove_place(void **state)
{
	(void)state;
	assert_int_equal(chmod(folder, 0700), 0);
	sample_remove_folder(folder);
	sample_remove_folder(temporary);
	free(path);
	free(journal);
	return 0;
}

/* Waits for a forked child and returns its exit status, or 128 + the signal that ended it. */
static int status_of(pid_t child)
{
	int status;

	assert_int_equal(waitpid(child, &status, 0), child);
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

static size_t entries_of(const char *name)
{
	DIR *opened = opendir(name);
	size_t count = 0;

	assert_non_null(opened);
	while (readdir(opened))
		count++;
	closedir(opened);
	return count - 2;
}

/* Rows that can be read, or -errno with why. */
static int count_rows(const char *name, struct why *why)
{
	struct recording *recording = NULL;
	size_t count = 0;
	int error = recording_open(name, &recording, why);

	if (!error)
		error = recording_each_row(recording, sample_count_row, &count, why);
	recording_free(recording);
	return error ? error : (int)count;
}

static void expect_rows(int expected)
{
	struct why why = {""};
	int rows = count_rows(path, &why);

	if (rows != expected)
		fail_msg("%d rows instead of %d: %s", rows, expected, why.text);
}

static void add_slices(struct recording_writer *writer, int commits)
{
	sample_add_tables(writer);
	for (int i = 0; i < commits; i++) {
		recording_writer_add_sum(writer, &sample_rows[0]);
		recording_writer_begin_open(writer);
		recording_writer_add_open(writer, &sample_rows[SAMPLE_ROWS - 1]);
		if (recording_writer_commit(writer, NULL))
			_exit(2);
	}
}

static void add_many_rows(struct recording_writer *writer)
{
	/* Changes a page that is there already, so that the journal has something to restore. */
	recording_writer_begin_open(writer);
	for (int i = 0; i < MANY_ROWS; i++)
		recording_writer_add_sum(writer, &sample_rows[2]);
}

/* Leaves five committed slices and a sixth that is half written into the file. */
static void write_and_be_killed(void)
{
	pid_t child = fork();

	if (!child) {
		struct recording_writer *writer = NULL;
		if (recording_writer_new(path, &writer, NULL))
			_exit(1);
		add_slices(writer, 5);
		add_many_rows(writer);
		kill(getpid(), SIGKILL);
		_exit(3);
	}
	assert_int_equal(status_of(child), 128 + SIGKILL);
	/* Otherwise the test would prove nothing: the journal must be there and needed. */
	assert_int_equal(access(journal, F_OK), 0);
	sqlite3 *db = NULL;
	assert_int_equal(sqlite3_open_v2(path, &db, SQLITE_OPEN_READONLY, NULL), SQLITE_OK);
	sqlite3_exec(db, "SELECT * FROM meta", NULL, NULL, NULL);
	assert_int_equal(sqlite3_extended_errcode(db), SQLITE_READONLY_ROLLBACK);
	sqlite3_close(db);
}

static void all_slices_committed_before_kill_9_are_readable(void **state)
{
	struct stat before, after;

	(void)state;
	write_and_be_killed();
	assert_int_equal(stat(path, &before), 0);
	expect_rows(5 + 1);
	/* The file and its journal were not touched, and no copy is left. */
	assert_int_equal(stat(path, &after), 0);
	assert_int_equal(before.st_size, after.st_size);
	assert_int_equal(before.st_mtim.tv_nsec, after.st_mtim.tv_nsec);
	assert_int_equal(access(journal, F_OK), 0);
	assert_int_equal(entries_of(temporary), 0);
	expect_rows(5 + 1);
}

static void kill_9_at_any_moment_leaves_whole_slices(void **state)
{
	(void)state;
	for (int i = 0; i < 25; i++) {
		struct why why = {""};
		pid_t child = fork();

		if (!child) {
			struct recording_writer *writer = NULL;
			if (recording_writer_new(path, &writer, NULL))
				_exit(1);
			add_slices(writer, 1000000);
			_exit(3);
		}
		usleep((useconds_t)(3000 + 1700 * i));
		assert_int_equal(kill(child, SIGKILL), 0);
		assert_int_equal(status_of(child), 128 + SIGKILL);
		int rows = count_rows(path, &why);
		/* Too early for a first slice is fair as long as it is said. */
		if (rows < 0 && rows != -ENODATA && rows != -EINVAL && rows != -ENOENT)
			fail_msg("after %d: %s", i, why.text);
	}
	assert_int_equal(entries_of(temporary), 0);
}

/* The journal of a first commit says that the file was empty before. */
static void killed_in_its_first_commit_a_recording_is_empty(void **state)
{
	static const unsigned char header[512] = {
		0xd9, 0xd5, 0x05, 0xf9, 0x20, 0xa1, 0x63, 0xd7, [15] = 1, [22] = 2, [26] = 0x10};
	_cleanup_free_ char *journal_path = xasprintf("%s-journal", path);
	struct why why = {""};

	(void)state;
	sample_write(path);
	FILE *file = fopen(journal_path, "w");
	assert_non_null(file);
	assert_int_equal(fwrite(header, sizeof(header), 1, file), 1);
	assert_int_equal(fclose(file), 0);
	assert_int_equal(count_rows(path, &why), -ENODATA);
	assert_non_null(strstr(why.text, "before the first slice"));
	assert_int_equal(unlink(journal_path), 0);
	assert_int_equal(entries_of(temporary), 0);
}

static int read_as_stranger(int expected)
{
	struct why why = {""};

	/* Root ignores permissions, so become nobody; others are held by the modes alone. */
	if (!geteuid() && (setgid(65534) || setuid(65534)))
		return 1;
	if (!access(path, W_OK) || !access(folder, W_OK))
		return 2;
	return count_rows(path, &why) == expected ? 0 : 3;
}

static void a_reader_needs_no_write_permission(void **state)
{
	(void)state;
	for (int is_killed = 0; is_killed < 2; is_killed++) {
		if (is_killed)
			write_and_be_killed();
		else
			sample_write(path);
		assert_int_equal(chmod(path, 0444), 0);
		assert_int_equal(chmod(folder, 0555), 0);
		if (is_killed)
			assert_int_equal(chmod(journal, 0444), 0);
		pid_t child = fork();
		if (!child)
			_exit(read_as_stranger(is_killed ? 5 + 1 : SAMPLE_ROWS));
		assert_int_equal(status_of(child), 0);
		assert_int_equal(entries_of(temporary), 0);
		assert_int_equal(chmod(folder, 0700), 0);
	}
}

static void a_killed_recording_moves_with_its_journal(void **state)
{
	_cleanup_free_ char *old = xasprintf("%s.old", path);
	struct why why = {""};

	(void)state;
	sample_write(old);
	write_and_be_killed();
	assert_int_equal(recording_move(path, old, &why), 0);
	assert_int_equal(count_rows(old, &why), 5 + 1);
	assert_int_not_equal(access(path, F_OK), 0);
	assert_int_not_equal(access(journal, F_OK), 0);
	assert_int_equal(recording_move(path, old, &why), -ENOENT);
	assert_int_equal(count_rows(old, &why), 5 + 1);
}

static void a_stale_journal_does_not_reach_the_next_recording(void **state)
{
	(void)state;
	write_and_be_killed();
	sample_write(path);
	expect_rows(SAMPLE_ROWS);
}

/* Writes until it fails; the exit status says what went wrong. */
static int fill(const char *name, int expected_error, const char *words)
{
	struct recording_writer *writer = NULL;
	struct why why = {""};

	if (recording_writer_new(name, &writer, &why))
		return 10;
	add_slices(writer, 5);
	add_many_rows(writer);
	if (recording_writer_commit(writer, &why) != expected_error || !strstr(why.text, words))
		return 11;
	/* The error stays. */
	recording_writer_add_sum(writer, &sample_rows[0]);
	if (recording_writer_finish(writer, &why) != expected_error)
		return 12;
	recording_writer_free(writer);
	return count_rows(name, &why) == 5 + 1 ? 0 : 13;
}

static void a_full_disk_is_named_and_spares_what_was_committed(void **state)
{
	(void)state;
	if (geteuid()) {
		print_message("SKIPPED: mounting a small file system needs root\n");
		skip();
	}
	pid_t child = fork();
	if (!child) {
		if (unshare(CLONE_NEWNS) || mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL) ||
			mount("small", folder, "tmpfs", 0, "size=2M"))
			_exit(77);
		_exit(fill(path, -ENOSPC, "a.dwell: disk full"));
	}
	int status = status_of(child);
	if (status == 77) {
		print_message("SKIPPED: mounting is not allowed here\n");
		skip();
	}
	assert_int_equal(status, 0);
}

static void a_file_size_limit_is_named_and_spares_what_was_committed(void **state)
{
	pid_t child = fork();

	(void)state;
	if (!child) {
		signal(SIGXFSZ, SIG_IGN);
		if (setrlimit(RLIMIT_FSIZE, &(struct rlimit){1 << 20, 1 << 20}))
			_exit(1);
		_exit(fill(path, -EFBIG, "File too large"));
	}
	assert_int_equal(status_of(child), 0);
}

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

static void a_recording_is_private_even_if_the_file_it_replaces_was_not(void **state)
{
	struct stat status;
	FILE *old = fopen(path, "w");

	(void)state;
	assert_non_null(old);
	fclose(old);
	assert_int_equal(chmod(path, 0666), 0);
	sample_write(path);
	assert_int_equal(stat(path, &status), 0);
	assert_int_equal(status.st_mode & 07777, 0600);
}

static void under_sudo_the_recording_belongs_to_the_invoking_user(void **state)
{
	struct stat status;

	(void)state;
	if (geteuid()) {
		print_message("SKIPPED: giving files away needs root\n");
		skip();
	}
	setenv("SUDO_UID", "1234", 1);
	setenv("SUDO_GID", "2345", 1);
	sample_write(path);
	assert_int_equal(stat(path, &status), 0);
	assert_int_equal(status.st_uid, 1234);
	assert_int_equal(status.st_gid, 2345);
	/* Nonsense is no user. */
	setenv("SUDO_UID", "-1", 1);
	sample_write(path);
	assert_int_equal(stat(path, &status), 0);
	assert_int_equal(status.st_uid, 0);
	setenv("SUDO_UID", "4294967295", 1);
	sample_write(path);
	assert_int_equal(stat(path, &status), 0);
	assert_int_equal(status.st_uid, 0);
}

static void expect_refusal(const char *name, const char *words)
{
	struct recording_writer *writer = NULL;
	struct why why = {""};

	assert_int_not_equal(recording_writer_new(name, &writer, &why), 0);
	assert_null(writer);
	if (!strstr(why.text, words))
		fail_msg("\"%s\" does not say \"%s\"", why.text, words);
}

static void what_is_not_a_file_is_never_replaced(void **state)
{
	_cleanup_free_ char *below = xasprintf("%s/no/such", folder);

	(void)state;
	expect_refusal(folder, "it is a folder");
	expect_refusal("/dev/null", "it is a device");
	expect_refusal(below, "its folder does not exist");
	assert_int_equal(mkfifo(path, 0600), 0);
	expect_refusal(path, "it is a pipe");
	assert_int_equal(unlink(path), 0);
	assert_int_equal(symlink("/dev/null", path), 0);
	expect_refusal(path, "it is a device");
}

static void a_link_is_replaced_and_its_target_spared(void **state)
{
	_cleanup_free_ char *target = xasprintf("%s/target", folder);
	struct stat status;
	FILE *file = fopen(target, "w");

	(void)state;
	assert_non_null(file);
	fputs("precious", file);
	fclose(file);
	assert_int_equal(symlink(target, path), 0);
	sample_write(path);
	assert_int_equal(lstat(path, &status), 0);
	assert_true(S_ISREG(status.st_mode));
	assert_int_equal(stat(target, &status), 0);
	assert_int_equal(status.st_size, 8);
}

static void names_that_mean_something_to_sqlite_are_just_names(void **state)
{
	static const char *const names[] = {":memory:", "file:x?mode=memory", "a%20b#c?d"};
	_cleanup_free_ char *before = getcwd(NULL, 0);

	(void)state;
	assert_int_equal(chdir(folder), 0);
	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		sample_write(names[i]);
		assert_int_equal(access(names[i], F_OK), 0);
		assert_int_equal(count_rows(names[i], NULL), SAMPLE_ROWS);
	}
	assert_int_equal(chdir(before), 0);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, make_place, remove_place)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(all_slices_committed_before_kill_9_are_readable),
		TEST(kill_9_at_any_moment_leaves_whole_slices),
		TEST(killed_in_its_first_commit_a_recording_is_empty),
		TEST(a_reader_needs_no_write_permission),
		TEST(a_killed_recording_moves_with_its_journal),
		TEST(a_stale_journal_does_not_reach_the_next_recording),
		TEST(a_full_disk_is_named_and_spares_what_was_committed),
		TEST(a_file_size_limit_is_named_and_spares_what_was_committed),
		TEST(a_reader_sees_the_committed_slices_of_a_live_recording),
		TEST(a_slow_reader_delays_slices_but_loses_none),
		TEST(a_slow_reader_of_a_large_recording_delays_nothing),
		TEST(ordinary_sqlite_reads_along_and_cannot_write),
		TEST(two_writers_do_not_share_a_file),
		TEST(a_recording_is_private_even_if_the_file_it_replaces_was_not),
		TEST(under_sudo_the_recording_belongs_to_the_invoking_user),
		TEST(what_is_not_a_file_is_never_replaced),
		TEST(a_link_is_replaced_and_its_target_spared),
		TEST(names_that_mean_something_to_sqlite_are_just_names),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
