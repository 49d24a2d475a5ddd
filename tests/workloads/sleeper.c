// SPDX-License-Identifier: GPL-2.0-or-later
/* sleeper [COUNT] [MS] [THREADS]: each thread sleeps COUNT times MS ms, in take_nap(). */
#include "workload.h"

#define MAX_THREADS 64

struct sleeper {
	struct thread_log log;
	unsigned int number;
	uint64_t count;
	uint64_t nap_ns;
};

/* The caller of a libc function without frame pointers is not on the stack, its caller is. */
NAMED static void lie_down(uint64_t ns)
{
	sleep_ns(ns);
}

NAMED static void take_nap(struct sleeper *sleeper)
{
	struct phase *phase = phase_begin(&sleeper->log, 0, "nap");

	lie_down(sleeper->nap_ns);
	phase_end(phase);
}

static void *sleeper_main(void *context)
{
	struct sleeper *sleeper = context;
	char name[16];

	snprintf(name, sizeof(name), "sleeper-%u", sleeper->number);
	log_start(&sleeper->log, name);
	for (uint64_t i = 0; i < sleeper->count; i++)
		take_nap(sleeper);
	log_end(&sleeper->log);
	return NULL;
}

int main(int argc, char **argv)
{
	static struct sleeper sleepers[MAX_THREADS];
	struct thread_log logs[MAX_THREADS];
	pthread_t threads[MAX_THREADS];
	uint64_t count = argument(argc, argv, 3, 1);

	for (unsigned int i = 0; i < count && i < MAX_THREADS; i++) {
		sleepers[i].number = i;
		sleepers[i].count = argument(argc, argv, 1, 10);
		sleepers[i].nap_ns = argument(argc, argv, 2, 100) * NS_PER_MS;
		threads[i] = start_thread(sleeper_main, &sleepers[i]);
	}
	for (unsigned int i = 0; i < count && i < MAX_THREADS; i++) {
		pthread_join(threads[i], NULL);
		logs[i] = sleepers[i].log;
	}
	print_logs(logs, count < MAX_THREADS ? count : MAX_THREADS);
	return 0;
}
