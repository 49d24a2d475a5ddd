// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Names of JIT compilers: the table against one name per address kept by brute force, and the file
 * as this process itself would write it.
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
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "symbol/jit.h"
#include "symbol/jit_table.h"
#include "symbol/outside/outside.h"
#include "util/mem.h"

/* No helpers: what is looked at is our own. */
static struct outside here = {.names = {OUTSIDE_NAMES_BYTES}};

static void later_functions_take_the_place_of_earlier_ones(void **state)
{
	enum { ADDRESSES = 400, ROUNDS = 3000 };
	struct jit_table table = {0};
	int last[ADDRESSES];
	uint64_t origin[ROUNDS];
	uint32_t seed = 3;

	(void)state;
	memset(last, -1, sizeof(last));
	for (int round = 0; round < ROUNDS; round++) {
		char text[16];
		seed = seed * 1664525 + 1013904223;
		uint64_t start = (seed >> 8) % (ADDRESSES - 1);
		uint64_t end = start + 1 + (seed >> 20) % 40;
		end = end < ADDRESSES ? end : ADDRESSES;
		jit_table_add(&table, start, end, text, (size_t)sprintf(text, "%d", round));
		origin[round] = start;
		for (uint64_t i = start; i < end; i++)
			last[i] = round;
		if (round % 7 && round > 20)
			continue;
		for (uint64_t i = 0; i < ADDRESSES; i++) {
			uint64_t offset = 0;
			const char *name = jit_table_find(&table, i, &offset);
			assert_int_equal(name ? atoi(name) : -1, last[i]);
			if (name)
				assert_int_equal(i - offset, origin[last[i]]);
		}
	}
	jit_table_clear(&table);
}

static char *own_path(void)
{
	return xasprintf("/tmp/perf-%d.map", (int)getpid());
}

static void write_file(const char *mode, const char *text)
{
	_cleanup_free_ char *path = own_path();
	_cleanup_fclose_ FILE *out = fopen(path, mode);

	assert_non_null(out);
	fputs(text, out);
}

static int remove_file(void **state)
{
	_cleanup_free_ char *path = own_path();

	(void)state;
	unlink(path);
	return 0;
}

static struct jit_map *read_own(void)
{
	struct jit_map *map = NULL;

	assert_int_equal(jit_map_read(&here, (uint32_t)getpid(), &map), 0);
	return map;
}

static const char *name_at(struct jit_map *map, uint64_t address)
{
	uint64_t offset;
	const char *name = jit_map_name(map, address, &offset);

	return name ? name : "none";
}

static void a_line_is_a_function(void **state)
{
	uint64_t offset = 0;

	(void)state;
	write_file("w", "7f0000001000 20 JS:*fib [eval]:1:13\n"
			"0x7f0000002000 0x10 with prefixes\n"
			"garbage\n"
			"\n"
			"7f0000003000\n"
			"7f0000003000 10\n"
			"7f0000003000 10 \n"
			"7f0000003000 0 empty\n"
			"7f000000300g 10 no number\n"
			"-7f0000003000 10 negative\n"
			"10000000000000000 10 too large\n"
			"ffffffffffffff00 1000 around the end\n"
			"7F0000004000 10 capitals\n");
	struct jit_map *map = read_own();
	assert_string_equal(name_at(map, 0x7f0000000fff), "none");
	assert_string_equal(name_at(map, 0x7f0000001000), "JS:*fib [eval]:1:13");
	assert_string_equal(jit_map_name(map, 0x7f000000101f, &offset), "JS:*fib [eval]:1:13");
	assert_int_equal(offset, 0x1f);
	assert_string_equal(name_at(map, 0x7f0000001020), "none");
	assert_string_equal(name_at(map, 0x7f000000200f), "with prefixes");
	assert_string_equal(name_at(map, 0x7f0000003000), "none");
	assert_string_equal(name_at(map, 0xffffffffffffff00), "none");
	assert_string_equal(name_at(map, 0x7f0000004000), "capitals");
	assert_string_equal(name_at(map, 0), "none");
	jit_map_free(map);
}

static void what_is_appended_is_read_when_its_line_is_whole(void **state)
{
	(void)state;
	write_file("w", "1000 10 first\n2000 10 sec");
	struct jit_map *map = read_own();
	assert_string_equal(name_at(map, 0x1000), "first");
	assert_string_equal(name_at(map, 0x2000), "none");
	assert_int_equal(jit_map_refresh(map), 0);
	write_file("a", "ond\n1008 10 third\n");
	assert_int_equal(jit_map_refresh(map), 1);
	assert_string_equal(name_at(map, 0x1007), "first");
	assert_string_equal(name_at(map, 0x1008), "third");
	assert_string_equal(name_at(map, 0x2000), "second");
	jit_map_free(map);
}

static void another_file_in_its_place_is_read_from_its_start(void **state)
{
	_cleanup_free_ char *path = own_path();
	_cleanup_free_ char *other = xasprintf("%s.new", path);

	(void)state;
	write_file("w", "1000 10 old\n3000 10 gone\n");
	struct jit_map *map = read_own();
	_cleanup_fclose_ FILE *out = fopen(other, "w");
	fputs("1000 10 new\n", out);
	fflush(out);
	assert_int_equal(rename(other, path), 0);
	assert_int_equal(jit_map_refresh(map), 1);
	assert_string_equal(name_at(map, 0x1000), "new");
	assert_string_equal(name_at(map, 0x3000), "none");
	/* Cut short in place. */
	write_file("w", "");
	assert_int_equal(jit_map_refresh(map), 1);
	assert_string_equal(name_at(map, 0x1000), "none");
	/* Gone: what was read stays. */
	write_file("w", "1000 10 last\n");
	assert_int_equal(jit_map_refresh(map), 1);
	unlink(path);
	assert_int_equal(jit_map_refresh(map), -ENOENT);
	assert_string_equal(name_at(map, 0x1000), "last");
	jit_map_free(map);
}

static void a_line_without_end_is_skipped(void **state)
{
	_cleanup_free_ char *path = own_path();

	(void)state;
	write_file("w", "1000 10 before\n5000 10 ");
	_cleanup_fclose_ FILE *out = fopen(path, "a");
	for (int i = 0; i < 700000; i++)
		putc('x', out);
	fputs(" 6000 10 inside\n2000 10 after\n", out);
	fflush(out);
	struct jit_map *map = read_own();
	assert_string_equal(name_at(map, 0x1000), "before");
	assert_string_equal(name_at(map, 0x5000), "none");
	assert_string_equal(name_at(map, 0x6000), "none");
	assert_string_equal(name_at(map, 0x2000), "after");
	jit_map_free(map);
}

static void what_is_no_plain_file_of_its_user_is_refused(void **state)
{
	_cleanup_free_ char *path = own_path();
	struct jit_map *map = NULL;
	uint32_t pid = (uint32_t)getpid();

	(void)state;
	assert_int_equal(jit_map_read(&here, pid, &map), -ENOENT);
	assert_int_equal(mkfifo(path, 0600), 0);
	assert_int_equal(jit_map_read(&here, pid, &map), -ENOENT);
	unlink(path);
	assert_int_equal(symlink("/etc/passwd", path), 0);
	assert_int_equal(jit_map_read(&here, pid, &map), -ENOENT);
	unlink(path);
	if (!getuid()) {
		write_file("w", "1000 10 forged\n");
		assert_int_equal(chown(path, 12345, 12345), 0);
		assert_int_equal(jit_map_read(&here, pid, &map), -EPERM);
	}
	assert_null(map);
	assert_int_equal(jit_map_read(&here, 0x7fffffff, &map), -ESRCH);
}

static void a_large_file_that_grows_is_read_fast(void **state)
{
	_cleanup_free_ char *path = own_path();
	_cleanup_fclose_ FILE *out = fopen(path, "w");
	struct jit_map *map = NULL;

	(void)state;
	for (uint64_t i = 0; i < 200000; i++) {
		fprintf(out, "%lx 40 function %lu\n", 0x10000000 + i * 64, i);
		if (i % 10000)
			continue;
		fflush(out);
		if (!map)
			map = read_own();
		else
			assert_int_equal(jit_map_refresh(map), 1);
		_cleanup_free_ char *wanted = xasprintf("function %lu", i / 2);
		assert_string_equal(name_at(map, 0x10000000 + i / 2 * 64 + 63), wanted);
	}
	jit_map_free(map);
}

/* Writes its own file below a root of its own, tells when it is done, and waits. */
static void live_in_own_root(const char *root, int tell_fd)
{
	if (chroot(root) || chdir("/"))
		_exit(1);
	_cleanup_free_ char *path = own_path();
	FILE *out = fopen(path, "w");
	if (!out)
		_exit(1);
	fprintf(out, "1000 10 in its own root\n");
	fclose(out);
	_exit(write(tell_fd, "x", 1) == 1 ? pause() : 1);
}

static void the_file_is_that_of_the_process_root_and_its_own_pid(void **state)
{
	char root[] = "/tmp/dwell-test-XXXXXX", letter;
	struct jit_map *map = NULL;
	int pipe_fds[2];

	(void)state;
	if (getuid())
		skip();
	assert_non_null(mkdtemp(root));
	_cleanup_free_ char *folder = xasprintf("%s/tmp", root);
	assert_int_equal(mkdir(folder, 0700), 0);
	assert_int_equal(pipe2(pipe_fds, O_CLOEXEC), 0);
	/* A fork into a pid namespace of its own, where the child is 1. */
	pid_t child = (pid_t)syscall(SYS_clone, CLONE_NEWPID | SIGCHLD, 0, 0, 0, 0);
	assert_true(child >= 0);
	if (!child)
		live_in_own_root(root, pipe_fds[1]);
	assert_int_equal(read(pipe_fds[0], &letter, 1), 1);
	assert_int_equal(jit_map_read(&here, (uint32_t)child, &map), 0);
	assert_string_equal(name_at(map, 0x1000), "in its own root");
	kill(child, SIGKILL);
	assert_int_equal(waitpid(child, NULL, 0), child);
	assert_int_equal(jit_map_refresh(map), -ESRCH);
	assert_string_equal(name_at(map, 0x1000), "in its own root");
	jit_map_free(map);
	_cleanup_free_ char *path = xasprintf("%s/perf-1.map", folder);
	assert_int_equal(unlink(path), 0);
	rmdir(folder);
	rmdir(root);
	close(pipe_fds[0]);
	close(pipe_fds[1]);
}

#define WITH_FILE(test) cmocka_unit_test_setup_teardown(test, remove_file, remove_file)

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(later_functions_take_the_place_of_earlier_ones),
		WITH_FILE(a_line_is_a_function),
		WITH_FILE(what_is_appended_is_read_when_its_line_is_whole),
		WITH_FILE(another_file_in_its_place_is_read_from_its_start),
		WITH_FILE(a_line_without_end_is_skipped),
		WITH_FILE(what_is_no_plain_file_of_its_user_is_refused),
		WITH_FILE(a_large_file_that_grows_is_read_fast),
		cmocka_unit_test(the_file_is_that_of_the_process_root_and_its_own_pid),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
