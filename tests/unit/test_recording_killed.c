// SPDX-License-Identifier: GPL-2.0-or-later
/* What was committed stays readable: after kill -9, on a full disk, moved, and without write
 * permission. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <dirent.h>
#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <sys/mount.h>
#include <sys/resource.h>

#include "recording_file_sample.h"

/* More rows than the writer's page cache holds: SQLite has to write before the commit. */
#define MANY_ROWS 300000

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
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
