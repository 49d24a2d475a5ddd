// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * deep_sleeper: threads that sleep for as long as the program lives, each in another system call.
 * Prints {"pid", "sleep", "pipe", "futex", "poll"} (the tids) when all are asleep; ends when its
 * stdin does.
 */
#include "workload.h"

#include <poll.h>

static volatile int tids[4];
static int silent_pipe[2];
static pthread_mutex_t held = PTHREAD_MUTEX_INITIALIZER;

NAMED static void *asleep_in_nanosleep(void *context)
{
	(void)context;
	set_name("deep-sleep");
	tids[0] = own_tid();
	sleep_ns(1000000 * NS_PER_S);
	return NULL;
}

NAMED static void *asleep_in_pipe(void *context)
{
	char byte;

	(void)context;
	set_name("deep-pipe");
	tids[1] = own_tid();
	if (read(silent_pipe[0], &byte, 1) != 1)
		die("read");
	return NULL;
}

NAMED static void *asleep_in_futex(void *context)
{
	(void)context;
	set_name("deep-futex");
	tids[2] = own_tid();
	pthread_mutex_lock(&held);
	return NULL;
}

NAMED static void *asleep_in_poll(void *context)
{
	struct pollfd silent = {.fd = silent_pipe[0], .events = POLLIN};

	(void)context;
	set_name("deep-poll");
	tids[3] = own_tid();
	poll(&silent, 1, -1);
	return NULL;
}

int main(void)
{
	if (pipe(silent_pipe))
		die("pipe");
	pthread_mutex_lock(&held);
	start_thread(asleep_in_nanosleep, NULL);
	start_thread(asleep_in_pipe, NULL);
	start_thread(asleep_in_futex, NULL);
	start_thread(asleep_in_poll, NULL);
	for (int i = 0; i < 4; i++)
		wait_until_asleep(&tids[i]);
	printf("{\"pid\":%d,\"sleep\":%d,\"pipe\":%d,\"futex\":%d,\"poll\":%d}\n", (int)getpid(),
		tids[0], tids[1], tids[2], tids[3]);
	fflush(stdout);
	wait_for_go();
	return 0;
}
