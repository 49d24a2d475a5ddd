// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * exit_while_blocked group|kill [MS]: a thread blocks in a pipe for MS ms and ends without having
 * been woken by data. group: main leaves by exit_group. kill: the thread is that of a child process
 * which is SIGKILLed. Prints {"pid", "tid", "wall_ns"} of the blocked one.
 */
#include "workload.h"

#include <signal.h>
#include <sys/wait.h>

static int silent_pipe[2];
static volatile int blocked_tid;

NAMED static void *block_until_death(void *context)
{
	char byte;

	(void)context;
	set_name("doomed");
	blocked_tid = own_tid();
	if (read(silent_pipe[0], &byte, 1) != 1)
		die("read");
	return NULL;
}

static void print_doomed(int pid, int tid, uint64_t start_ns)
{
	printf("{\"pid\":%d,\"tid\":%d,\"wall_ns\":%llu}\n", pid, tid,
		(unsigned long long)(wall_ns() - start_ns));
	fflush(stdout);
}

int main(int argc, char **argv)
{
	uint64_t block_ns = argument(argc, argv, 2, 500) * NS_PER_MS;
	uint64_t start_ns = wall_ns();
	pid_t child;

	if (pipe(silent_pipe))
		die("pipe");
	if (argc < 2 || strcmp(argv[1], "kill")) {
		start_thread(block_until_death, NULL);
		sleep_ns(block_ns);
		print_doomed((int)getpid(), blocked_tid, start_ns);
		_exit(0);
	}
	child = fork();
	if (child < 0)
		die("fork");
	if (!child)
		block_until_death(NULL);
	sleep_ns(block_ns);
	kill(child, SIGKILL);
	waitpid(child, NULL, 0);
	print_doomed((int)child, (int)child, start_ns);
	return 0;
}
