// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Recordings in folders that somebody else can write to, too: what is put beside a recording or in
 * its place is neither written, nor believed, nor removed.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/wait.h>

#include "recording_file_sample.h"

#define STRANGER 1234
/* A writer that looked its file up again by name lost this race in the first few rounds. */
#define ROUNDS 200

/* A journal's first bytes: of a file that was empty before, so all of it would be rolled back. */
static const unsigned char hot_header[512] = {
	0xd9, 0xd5, 0x05, 0xf9, 0x20, 0xa1, 0x63, 0xd7, [15] = 1, [22] = 2, [26] = 0x10};

static void need_root(void)
{
	if (geteuid()) {
		print_message("SKIPPED: files of another user need root\n");
		skip();
	}
}

static void put_file(const char *name, const void *bytes, size_t count)
{
	FILE *file = fopen(name, "w");

	assert_non_null(file);
	assert_int_equal(fwrite(bytes, 1, count, file), count);
	assert_int_equal(fclose(file), 0);
}

static void put_text(const char *name, const char *text)
{
	put_file(name, text, strlen(text));
}

static void expect_text(const char *name, const char *text)
{
	char got[64] = "";
	FILE *file = fopen(name, "r");

	if (!file)
		fail_msg("%s is gone", name);
	assert_int_equal(fread(got, 1, sizeof(got) - 1, file), strlen(text));
	assert_string_equal(got, text);
	fclose(file);
}

static void expect_refused_reading(int error, const char *words)
{
	struct why why = {""};

	assert_int_equal(count_rows(path, &why), error);
	if (!strstr(why.text, words))
		fail_msg("\"%s\" does not say \"%s\"", why.text, words);
}

static void expect_refused_writing(const char *words)
{
	struct recording_writer *writer = NULL;
	struct why why = {""};

	assert_int_not_equal(recording_writer_new(path, &writer, &why), 0);
	if (!strstr(why.text, words))
		fail_msg("\"%s\" does not say \"%s\"", why.text, words);
}

/* Moves the folder away and puts another one there, with files of the same names. */
static char *put_impostor(void)
{
	char *moved = xasprintf("%s.moved", folder);

	assert_int_equal(rename(folder, moved), 0);
	assert_int_equal(mkdir(folder, 0700), 0);
	put_text(path, "precious");
	put_text(journal, "precious too");
	return moved;
}

static void expect_impostor_untouched(void)
{
	expect_text(path, "precious");
	expect_text(journal, "precious too");
}

static void a_recording_stays_in_its_folder_wherever_that_is_moved(void **state)
{
	struct recording_writer *writer = sample_writer(path);
	struct why why = {""};

	(void)state;
	sample_add_tables(writer);
	recording_writer_add_sum(writer, &sample_rows[0]);
	assert_int_equal(recording_writer_commit(writer, &why), 0);
	_cleanup_free_ char *moved = put_impostor();
	_cleanup_free_ char *moved_path = xasprintf("%s/a.dwell", moved);
	_cleanup_free_ char *moved_journal = xasprintf("%s-journal", moved_path);
	for (int i = 0; i < 3; i++) {
		recording_writer_add_sum(writer, &sample_rows[0]);
		assert_int_equal(recording_writer_commit(writer, &why), 0);
	}
	assert_int_equal(recording_writer_finish(writer, &why), 0);
	recording_writer_free(writer);
	expect_impostor_untouched();
	assert_int_equal(count_rows(moved_path, &why), 4);
	assert_int_not_equal(access(moved_journal, F_OK), 0);
	sample_remove_folder(xstrdup(moved));
}

static void a_recording_that_is_given_up_removes_nothing_else(void **state)
{
	struct recording_writer *writer = sample_writer(path);

	(void)state;
	_cleanup_free_ char *moved = put_impostor();
	recording_writer_discard(writer);
	expect_impostor_untouched();
	/* In the folder where it was made nothing is left. */
	assert_int_equal(rmdir(moved), 0);
	/* And what has taken the name in that folder stays. */
	assert_int_equal(unlink(path), 0);
	assert_int_equal(unlink(journal), 0);
	writer = sample_writer(path);
	assert_int_equal(unlink(path), 0);
	assert_int_equal(unlink(journal), 0);
	put_text(path, "precious");
	put_text(journal, "precious too");
	recording_writer_discard(writer);
	expect_impostor_untouched();
}

/* Whenever a recording begins, puts a link to the victim in its place. */
static void swap_for_ever(const char *victim)
{
	_cleanup_free_ char *aside = xasprintf("%s/aside", folder);

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	for (;;)
		if (!rename(path, aside) && symlink(victim, path))
			continue;
}

static void a_link_put_in_its_place_is_never_followed(void **state)
{
	char *safe = sample_folder();
	_cleanup_free_ char *victim = xasprintf("%s/victim", safe);

	(void)state;
	put_text(victim, "precious");
	pid_t child = fork();
	if (!child)
		swap_for_ever(victim);
	for (int i = 0; i < ROUNDS && !access(victim, F_OK); i++) {
		struct recording_writer *writer = NULL;

		if (!recording_writer_new(path, &writer, NULL))
			recording_writer_discard(writer);
	}
	assert_int_equal(kill(child, SIGKILL), 0);
	assert_int_equal(waitpid(child, NULL, 0), child);
	expect_text(victim, "precious");
	sample_remove_folder(safe);
}

static void what_lies_beside_and_is_not_ours_is_left_alone(void **state)
{
	static const char *const endings[] = {"-journal", "-wal", "-shm"};
	struct why why = {""};

	(void)state;
	need_root();
	sample_write(path);
	for (size_t i = 0; i < ARRAY_SIZE(endings); i++) {
		_cleanup_free_ char *beside = xasprintf("%s%s", path, endings[i]);

		put_text(beside, "");
		assert_int_equal(chown(beside, STRANGER, STRANGER), 0);
		expect_refused_writing("is in the way and not ours");
		assert_int_equal(access(beside, F_OK), 0);
		/* The recording that would have been replaced is still there. */
		assert_int_equal(count_rows(path, &why), SAMPLE_ROWS);
		assert_int_equal(unlink(beside), 0);
	}
	assert_int_equal(symlink("/etc/passwd", journal), 0);
	expect_refused_writing("is in the way and not ours");
	/* With the stranger's own recording, both are only leftovers. */
	assert_int_equal(unlink(journal), 0);
	put_text(journal, "");
	assert_int_equal(chown(journal, STRANGER, STRANGER), 0);
	assert_int_equal(chown(path, STRANGER, STRANGER), 0);
	sample_write(path);
	assert_int_equal(count_rows(path, &why), SAMPLE_ROWS);
}

static void a_strangers_journal_does_not_move_with_the_recording(void **state)
{
	_cleanup_free_ char *old = xasprintf("%s.old", path);
	_cleanup_free_ char *old_journal = xasprintf("%s-journal", old);
	struct why why = {""};

	(void)state;
	need_root();
	sample_write(path);
	put_file(journal, hot_header, sizeof(hot_header));
	assert_int_equal(chown(journal, STRANGER, STRANGER), 0);
	assert_int_equal(recording_move(path, old, &why), 0);
	assert_int_not_equal(access(old_journal, F_OK), 0);
	assert_int_equal(access(journal, F_OK), 0);
	assert_int_equal(count_rows(old, &why), SAMPLE_ROWS);
}

static void only_a_journal_of_the_recordings_owner_is_believed(void **state)
{
	struct why why = {""};

	(void)state;
	need_root();
	sample_write(path);
	put_file(journal, hot_header, sizeof(hot_header));
	expect_refused_reading(-ENODATA, "holds nothing");
	assert_int_equal(chown(journal, STRANGER, STRANGER), 0);
	expect_refused_reading(-EPERM, "a.dwell-journal belongs to user 1234");
	/* An empty one says nothing, whoever made it. */
	assert_int_equal(truncate(journal, 0), 0);
	assert_int_equal(count_rows(path, &why), SAMPLE_ROWS);
	assert_int_equal(unlink(journal), 0);
	assert_int_equal(symlink("/etc/passwd", journal), 0);
	expect_refused_reading(-EIO, "a.dwell-journal is not a file");
	assert_int_equal(unlink(journal), 0);
	assert_int_equal(mkfifo(journal, 0666), 0);
	expect_refused_reading(-EIO, "a.dwell-journal is not a file");
	assert_int_equal(unlink(journal), 0);
	assert_int_equal(mkdir(journal, 0777), 0);
	expect_refused_reading(-EIO, "a.dwell-journal is not a file");
	assert_int_equal(rmdir(journal), 0);
	assert_int_equal(count_rows(path, &why), SAMPLE_ROWS);
}

/* While a recording is being written, its journal is held: no other one counts. */
static void a_live_recording_is_read_whatever_lies_beside_it(void **state)
{
	struct recording_writer *writer = sample_writer(path);
	struct why why = {""};

	(void)state;
	sample_add_tables(writer);
	recording_writer_add_sum(writer, &sample_rows[0]);
	assert_int_equal(recording_writer_commit(writer, &why), 0);
	assert_int_equal(unlink(journal), 0);
	put_file(journal, hot_header, sizeof(hot_header));
	assert_int_equal(count_rows(path, &why), 1);
	recording_writer_add_sum(writer, &sample_rows[0]);
	assert_int_equal(recording_writer_finish(writer, &why), 0);
	recording_writer_free(writer);
	assert_int_equal(access(journal, F_OK), 0);
	assert_int_equal(unlink(journal), 0);
	assert_int_equal(count_rows(path, &why), 2);
}

/* A write-ahead log beside a recording, which dwell never makes, of another that has no threads. */
static void put_log(void)
{
	_cleanup_free_ char *copy = xasprintf("%s/copy", folder);
	_cleanup_free_ char *command = xasprintf("cp %s %s", path, copy);
	_cleanup_free_ char *log = xasprintf("%s-wal", copy);
	_cleanup_free_ char *planted = xasprintf("%s-wal", path);
	sqlite3 *db = NULL;

	assert_int_equal(system(command), 0);
	assert_int_equal(sqlite3_open(copy, &db), SQLITE_OK);
	assert_int_equal(
		sqlite3_exec(db, "PRAGMA journal_mode=WAL; DELETE FROM sums; DELETE FROM threads;",
			NULL, NULL, NULL),
		SQLITE_OK);
	assert_int_equal(rename(log, planted), 0);
	sqlite3_close(db);
}

static void a_planted_write_ahead_log_is_not_read(void **state)
{
	_cleanup_free_ char *shared = xasprintf("%s-shm", path);
	struct why why = {""};

	(void)state;
	sample_write(path);
	put_log();
	assert_int_equal(count_rows(path, &why), SAMPLE_ROWS);
	/* Reading makes no files. */
	assert_int_not_equal(access(shared, F_OK), 0);
}

/* Reads with copies going to a file system of 4 MiB. */
static int read_with_little_room(void)
{
	struct why why = {""};

	if (unshare(CLONE_NEWNS) || mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL) ||
		mount("small", "/var/tmp", "tmpfs", 0, "size=4M"))
		return 77;
	unsetenv("TMPDIR");
	if (count_rows(path, &why) != -ENODATA)
		return 1;
	/* The recording's own journal cannot be larger than that. */
	if (truncate(journal, 1LL << 40))
		return 2;
	return count_rows(path, &why) == -EIO && strstr(why.text, "foreign journal") ? 0 : 3;
}

static void holes_in_a_recording_and_its_journal_take_no_room(void **state)
{
	int status;

	(void)state;
	need_root();
	sample_write(path);
	put_file(journal, hot_header, sizeof(hot_header));
	assert_int_equal(truncate(path, 64 << 20), 0);
	assert_int_equal(truncate(journal, 32 << 20), 0);
	pid_t child = fork();
	if (!child)
		_exit(read_with_little_room());
	assert_int_equal(waitpid(child, &status, 0), child);
	if (WIFEXITED(status) && WEXITSTATUS(status) == 77) {
		print_message("SKIPPED: mounting is not allowed here\n");
		skip();
	}
	assert_int_equal(status, 0);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, make_place, remove_place)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(a_recording_stays_in_its_folder_wherever_that_is_moved),
		TEST(a_recording_that_is_given_up_removes_nothing_else),
		TEST(a_link_put_in_its_place_is_never_followed),
		TEST(what_lies_beside_and_is_not_ours_is_left_alone),
		TEST(a_strangers_journal_does_not_move_with_the_recording),
		TEST(only_a_journal_of_the_recordings_owner_is_believed),
		TEST(a_live_recording_is_read_whatever_lies_beside_it),
		TEST(a_planted_write_ahead_log_is_not_read),
		TEST(holes_in_a_recording_and_its_journal_take_no_room),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
