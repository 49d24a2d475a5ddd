// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * crowd COUNT: as many threads, all asleep for as long as the program lives. Prints {"pid",
 * "count"} when they are; ends when its stdin does.
 */
#include "workload.h"

#define STACK_BYTES (32 << 10)

static volatile uint64_t awake;
static pthread_mutex_t held = PTHREAD_MUTEX_INITIALIZER;

NAMED static void wait_for_ever(void)
{
	pthread_mutex_lock(&held);
}

static void *sleeper_main(void *context)
{
	(void)context;
	set_name("crowd-sleeper");
	__sync_fetch_and_sub(&awake, 1);
	wait_for_ever();
	return NULL;
}

int main(int argc, char **argv)
{
	uint64_t count = argument(argc, argv, 1, 100);
	pthread_attr_t small;
	pthread_t thread;

	pthread_mutex_lock(&held);
	pthread_attr_init(&small);
	pthread_attr_setstacksize(&small, STACK_BYTES);
	for (uint64_t i = 0; i < count; i++) {
		__sync_fetch_and_add(&awake, 1);
		if (pthread_create(&thread, &small, sleeper_main, NULL))
			die("pthread_create");
	}
	while (awake)
		sleep_ns(NS_PER_MS);
	/* From the last word to the futex. */
	sleep_ns(500 * NS_PER_MS);
	printf("{\"pid\":%d,\"count\":%llu}\n", (int)getpid(), (unsigned long long)count);
	fflush(stdout);
	wait_for_go();
	_exit(0);
}
