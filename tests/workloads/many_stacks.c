// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * many_stacks COUNT [DEPTH] [US]: walks a binary tree of calls, DEPTH deep, and sleeps US us at its
 * first COUNT leaves, so that each of these waits has a user stack of its own. Prints {"pid",
 * "count", "wall_ns"}.
 */
#include "workload.h"

static uint64_t remaining, count, nap_ns;

/* The caller of a libc function without frame pointers is not on the stack, its caller is. */
NAMED static void doze(void)
{
	sleep_ns(nap_ns);
}

NAMED static void leaf(void)
{
	doze();
	remaining--;
	count++;
}

NAMED static void right(unsigned int depth);

NAMED static void left(unsigned int depth)
{
	if (!remaining)
		return;
	if (!depth) {
		leaf();
		return;
	}
	left(depth - 1);
	right(depth - 1);
}

NAMED static void right(unsigned int depth)
{
	if (!remaining)
		return;
	if (!depth) {
		leaf();
		return;
	}
	left(depth - 1);
	right(depth - 1);
}

int main(int argc, char **argv)
{
	uint64_t start_ns = wall_ns();

	prctl(PR_SET_TIMERSLACK, 1, 0, 0, 0);
	remaining = argument(argc, argv, 1, 1000);
	nap_ns = argument(argc, argv, 3, 20) * 1000;
	left((unsigned int)argument(argc, argv, 2, 20));
	printf("{\"pid\":%d,\"count\":%llu,\"wall_ns\":%llu}\n", (int)getpid(),
		(unsigned long long)count, (unsigned long long)(wall_ns() - start_ns));
	return 0;
}
