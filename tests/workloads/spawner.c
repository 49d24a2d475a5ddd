// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * spawner COUNT PARALLEL PROGRAM [ARGUMENT...]: starts PROGRAM COUNT times, up to PARALLEL at a
 * time, by posix_spawn(). Prints {"pid", "count", "failed", "wall_ns"}.
 */
#include "workload.h"

#include <errno.h>
#include <spawn.h>
#include <sys/wait.h>

extern char **environ;

static uint64_t reap(void)
{
	int status;

	while (wait(&status) < 0)
		if (errno != EINTR)
			die("wait");
	return status ? 1 : 0;
}

int main(int argc, char **argv)
{
	uint64_t count = argument(argc, argv, 1, 100), parallel = argument(argc, argv, 2, 2);
	uint64_t living = 0, failed = 0, start_ns = wall_ns();

	if (argc < 4)
		return 2;
	for (uint64_t i = 0; i < count; i++) {
		pid_t child;
		if (living == parallel) {
			failed += reap();
			living--;
		}
		if ((errno = posix_spawn(&child, argv[3], NULL, NULL, argv + 3, environ)))
			die("posix_spawn");
		living++;
	}
	while (living--)
		failed += reap();
	printf("{\"pid\":%d,\"count\":%llu,\"failed\":%llu,\"wall_ns\":%llu}\n", (int)getpid(),
		(unsigned long long)count, (unsigned long long)failed,
		(unsigned long long)(wall_ns() - start_ns));
	return 0;
}
