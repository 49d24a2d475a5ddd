// SPDX-License-Identifier: GPL-2.0-or-later
/* Who has the other end of a pipe: the one that has it, or nobody. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "capture/pipe_ends.h"

#define PIPE 4711

static void the_one_with_the_other_end_is_told(void **state)
{
	static const struct {
		struct pipe_end ends[4];
		uint32_t other; /* of process 1 */
	} cases[] = {
		{{{PIPE, 1, true, false}, {PIPE, 2, false, true}}, 2},
		{{{PIPE, 1, false, true}, {PIPE, 2, true, false}}, 2},
		/* In several descriptors, and of another pipe. */
		{{{PIPE, 1, true, false}, {PIPE, 2, true, false}, {PIPE, 2, false, true},
			 {PIPE + 1, 3, false, true}},
			2},
		/* Another reader has no other end. */
		{{{PIPE, 1, true, false}, {PIPE, 2, true, false}}, 0},
		{{{PIPE, 1, true, false}, {PIPE, 2, false, true}, {PIPE, 3, false, true}}, 0},
		{{{PIPE, 1, true, false}, {PIPE, 1, false, true}, {PIPE, 2, false, true}}, 0},
		{{{PIPE, 2, false, true}}, 0},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct pipe_ends ends = {0};
		for (size_t j = 0; j < 4 && cases[i].ends[j].pid; j++)
			pipe_ends_add(&ends, &cases[i].ends[j]);
		assert_int_equal(pipe_ends_other(&ends, PIPE, 1), cases[i].other);
		ends.is_partial = true;
		assert_int_equal(pipe_ends_other(&ends, PIPE, 1), 0);
		pipe_ends_clear(&ends);
	}
}

static void ends_are_found_in_processes(void **state)
{
	struct pipe_ends ends = {0};
	struct stat status;
	int fds[2];

	(void)state;
	/* What others have cannot be seen by everybody. */
	if (geteuid())
		skip();
	assert_int_equal(pipe(fds), 0);
	assert_int_equal(fstat(fds[0], &status), 0);
	pid_t child = fork();
	if (!child) {
		close(fds[0]);
		pause();
		_exit(0);
	}
	close(fds[1]);
	/* The child closes its copy a moment later. */
	uint32_t other = 0;
	for (int i = 0; i < 1000 && !other; i++) {
		pipe_ends_want(&ends, status.st_ino);
		pipe_ends_look(&ends);
		other = pipe_ends_other(&ends, status.st_ino, (uint32_t)getpid());
		pipe_ends_clear(&ends);
		ends = (struct pipe_ends){0};
		usleep(1000);
	}
	kill(child, SIGKILL);
	waitpid(child, NULL, 0);
	close(fds[0]);
	assert_int_equal(other, child);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_one_with_the_other_end_is_told),
		cmocka_unit_test(ends_are_found_in_processes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
