// SPDX-License-Identifier: GPL-2.0-or-later
/* The way to a mapped file when /proc/PID/map_files does not lead there. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/wait.h>
#include <unistd.h>

#include "symbol/locate.h"
#include "util/mem.h"

/* A mapping that no process has, so that only the path counts. */
static struct map_line line_of(char *path, bool is_deleted)
{
	return (struct map_line){
		.start = 1, .end = 2, .inode = 3, .path = path, .is_deleted = is_deleted};
}

static int locate(pid_t pid, char *path, bool is_deleted, struct file_stamp *ret)
{
	struct map_line line = line_of(path, is_deleted);

	return locate_mapped_file((uint32_t)pid, &line, ret);
}

static void a_file_is_found_by_its_path(void **state)
{
	char path[] = "/tmp/dwell-test-XXXXXX";
	_cleanup_close_ int fd = mkstemp(path);
	struct file_stamp stamp = {0};
	char byte;

	(void)state;
	assert_int_equal(write(fd, "hello", 5), 5);
	_cleanup_close_ int path_fd = locate(getpid(), path, false, &stamp);
	assert_true(path_fd >= 0);
	assert_int_equal(stamp.bytes, 5);
	assert_int_not_equal(stamp.mtime_ns, 0);
	_cleanup_close_ int read_fd = locate_open(path_fd, LOCATE_FOR_NAMES);
	assert_int_equal(read(read_fd, &byte, 1), 1);
	assert_int_equal(byte, 'h');
	assert_int_equal(locate(getpid(), path, true, &stamp), -1);
	unlink(path);
	assert_int_equal(locate(getpid(), path, false, &stamp), -1);
}

static void a_file_that_was_told_of_is_taken_by_its_inode_only(void **state)
{
	char path[] = "/tmp/dwell-test-XXXXXX";
	_cleanup_close_ int fd = mkstemp(path);
	struct file_stamp stamp = {0};
	struct stat status;

	(void)state;
	assert_int_equal(fstat(fd, &status), 0);
	struct map_line line = {.start = 1,
		.end = 2,
		.path = path,
		.inode = status.st_ino,
		.dev_major = major(status.st_dev),
		.dev_minor = minor(status.st_dev)};
	_cleanup_close_ int found = locate_told_file((uint32_t)getpid(), &line, &stamp);
	assert_true(found >= 0);
	assert_int_equal(write(fd, "x", 1), 1);
	_cleanup_close_ int again = locate_told_file((uint32_t)getpid(), &line, &stamp);
	assert_true(again >= 0);
	assert_int_equal(stamp.bytes, 1);
	/* Another file has its name by now. */
	line.inode++;
	assert_int_equal(locate_told_file((uint32_t)getpid(), &line, &stamp), -1);
	unlink(path);
}

static void what_is_no_regular_file_is_left_alone(void **state)
{
	char folder[] = "/tmp/dwell-test-XXXXXX";
	struct file_stamp stamp = {.bytes = 7};

	(void)state;
	assert_non_null(mkdtemp(folder));
	_cleanup_free_ char *fifo = xasprintf("%s/fifo", folder);
	assert_int_equal(mkfifo(fifo, 0600), 0);
	assert_int_equal(locate(getpid(), fifo, false, &stamp), -1);
	assert_int_equal(locate(getpid(), folder, false, &stamp), -1);
	assert_int_equal(locate(getpid(), (char *)"/dev/null", false, &stamp), -1);
	assert_int_equal(stamp.bytes, 7);
	unlink(fifo);
	rmdir(folder);
}

static void a_file_that_is_held_is_known_until_it_changes(void **state)
{
	char path[] = "/tmp/dwell-test-XXXXXX", other[] = "/tmp/dwell-test-XXXXXX";
	_cleanup_close_ int fd = mkstemp(path);
	_cleanup_close_ int other_fd = mkstemp(other);
	struct file_stamp stamp = {0};
	struct stat status;

	(void)state;
	assert_int_equal(write(fd, "hello", 5), 5);
	_cleanup_close_ int path_fd = locate(getpid(), path, false, &stamp);
	assert_int_equal(fstat(fd, &status), 0);
	struct map_line line = {.path = path,
		.inode = status.st_ino,
		.dev_major = major(status.st_dev),
		.dev_minor = minor(status.st_dev)};
	assert_true(locate_holds(path_fd, &stamp, &line));
	assert_false(locate_holds(-1, &stamp, &line));
	line.dev_minor++;
	assert_false(locate_holds(path_fd, &stamp, &line));
	line.dev_minor--;
	assert_false(locate_holds(other_fd, &stamp, &line));
	/* Held, it keeps its number: a new file of the same name is another one. */
	unlink(path);
	assert_true(locate_holds(path_fd, &stamp, &line));
	assert_int_equal(write(fd, "!", 1), 1);
	assert_false(locate_holds(path_fd, &stamp, &line));
	unlink(other);
}

static void wait_in_root(const char *root, int tell_fd)
{
	if (!chroot(root) && write(tell_fd, "r", 1) == 1)
		pause();
	_exit(1);
}

static void a_link_in_another_root_does_not_lead_out_of_it(void **state)
{
	char folder[] = "/tmp/dwell-test-XXXXXX", way_out[64], inside[64], byte;
	struct file_stamp stamp;
	int ends[2];

	(void)state;
	assert_non_null(mkdtemp(folder));
	snprintf(way_out, sizeof(way_out), "%s/link", folder);
	snprintf(inside, sizeof(inside), "%s/inside", folder);
	assert_int_equal(symlink("/etc/passwd", way_out), 0);
	close(open(inside, O_WRONLY | O_CREAT | O_CLOEXEC, 0600));
	assert_int_equal(pipe2(ends, O_CLOEXEC), 0);
	pid_t child = fork();
	if (!child)
		wait_in_root(folder, ends[1]);
	close(ends[1]);
	bool is_there = read(ends[0], &byte, 1) == 1;
	close(ends[0]);
	_cleanup_close_ int path_fd = -1;
	if (is_there) {
		path_fd = locate(child, (char *)"/inside", false, &stamp);
		assert_true(path_fd >= 0);
		assert_int_equal(locate(child, (char *)"/link", false, &stamp), -1);
		assert_int_equal(locate(child, (char *)"/../../etc/passwd", false, &stamp), -1);
	}
	kill(child, SIGKILL);
	assert_int_equal(waitpid(child, NULL, 0), child);
	unlink(way_out);
	unlink(inside);
	rmdir(folder);
	if (!is_there)
		skip();
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_file_is_found_by_its_path),
		cmocka_unit_test(a_file_that_is_held_is_known_until_it_changes),
		cmocka_unit_test(a_file_that_was_told_of_is_taken_by_its_inode_only),
		cmocka_unit_test(what_is_no_regular_file_is_left_alone),
		cmocka_unit_test(a_link_in_another_root_does_not_lead_out_of_it),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
