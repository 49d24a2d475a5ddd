// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * pulse COUNT MS: as many threads, each of which sleeps so long, again and again. Prints {"pid",
 * "count"} when all are there; ends when its stdin does.
 */
#include "workload.h"

#define STACK_BYTES (32 << 10)

static uint64_t sleep_ms;
static volatile uint64_t expected;

NAMED static void sleep_once(void)
{
	sleep_ns(sleep_ms * NS_PER_MS);
}

static void *pulse_main(void *context)
{
	(void)context;
	__sync_fetch_and_sub(&expected, 1);
	for (;;)
		sleep_once();
	return NULL;
}

int main(int argc, char **argv)
{
	uint64_t count = argument(argc, argv, 1, 100);
	pthread_attr_t small;
	pthread_t thread;

	sleep_ms = argument(argc, argv, 2, 500);
	pthread_attr_init(&small);
	pthread_attr_setstacksize(&small, STACK_BYTES);
	for (uint64_t i = 0; i < count; i++) {
		__sync_fetch_and_add(&expected, 1);
		if (pthread_create(&thread, &small, pulse_main, NULL))
			die("pthread_create");
	}
	while (expected)
		sleep_ns(NS_PER_MS);
	printf("{\"pid\":%d,\"count\":%llu}\n", (int)getpid(), (unsigned long long)count);
	fflush(stdout);
	wait_for_go();
	_exit(0);
}
