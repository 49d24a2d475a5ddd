// SPDX-License-Identifier: GPL-2.0-or-later
/* Whose file a recording is, what it replaces, and what names it may have. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "recording_file_sample.h"

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
		TEST(a_recording_is_private_even_if_the_file_it_replaces_was_not),
		TEST(under_sudo_the_recording_belongs_to_the_invoking_user),
		TEST(what_is_not_a_file_is_never_replaced),
		TEST(a_link_is_replaced_and_its_target_spared),
		TEST(names_that_mean_something_to_sqlite_are_just_names),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
