/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A recording as a file, for the tests of what happens to that file: its path and its journal's in
 * a folder of the test's own, and a folder for the copies that readers make. Include after cmocka.
 */
#ifndef DWELL_TESTS_RECORDING_FILE_SAMPLE_H
#define DWELL_TESTS_RECORDING_FILE_SAMPLE_H

#include <sys/wait.h>

#include "recording_sample.h"

/* Of the test that runs: make_place() sets them, remove_place() takes them away. */
static char *folder, *path, *journal, *temporary;

static inline int make_place(void **state)
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

static inline int remove_place(void **state)
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
static inline int status_of(pid_t child)
{
	int status;

	assert_int_equal(waitpid(child, &status, 0), child);
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

/* Rows that can be read, or -errno with why. */
static inline int count_rows(const char *name, struct why *why)
{
	struct recording *recording = NULL;
	size_t count = 0;
	int error = recording_open(name, &recording, why);

	if (!error)
		error = recording_each_row(recording, sample_count_row, &count, why);
	recording_free(recording);
	return error ? error : (int)count;
}

static inline void expect_rows(int expected)
{
	struct why why = {""};
	int rows = count_rows(path, &why);

	if (rows != expected)
		fail_msg("%d rows instead of %d: %s", rows, expected, why.text);
}

/*
 * So many commits of one row and one open interval. Killed children write them, too: what fails
 * ends the process, and its parent sees the status.
 */
static inline void add_slices(struct recording_writer *writer, int commits)
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

#endif
