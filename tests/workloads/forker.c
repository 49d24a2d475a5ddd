// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * forker [COUNT] [MS]: COUNT children, two at a time, each of which sleeps MS ms, has a grandchild
 * that does the same, and ends. Prints {"pid", "children": COUNT, "wall_ns"}.
 */
#include "workload.h"

#include <sys/wait.h>

NAMED static void live_shortly(const char *name, uint64_t ns)
{
	set_name(name);
	sleep_ns(ns);
}

NAMED static void child_main(uint64_t ns)
{
	pid_t grandchild = fork();

	if (grandchild < 0)
		die("fork");
	if (!grandchild) {
		live_shortly("grandchild", ns);
		_exit(0);
	}
	live_shortly("child", ns);
	waitpid(grandchild, NULL, 0);
	_exit(0);
}

int main(int argc, char **argv)
{
	uint64_t count = argument(argc, argv, 1, 10);
	uint64_t life_ns = argument(argc, argv, 2, 50) * NS_PER_MS;
	uint64_t start_ns = wall_ns();
	uint64_t alive = 0;

	for (uint64_t i = 0; i < count; i++) {
		pid_t child = fork();
		if (child < 0)
			die("fork");
		if (!child)
			child_main(life_ns);
		if (++alive == 2) {
			wait(NULL);
			alive--;
		}
	}
	while (wait(NULL) > 0)
		;
	printf("{\"pid\":%d,\"children\":%llu,\"wall_ns\":%llu}\n", (int)getpid(),
		(unsigned long long)count, (unsigned long long)(wall_ns() - start_ns));
	return 0;
}
