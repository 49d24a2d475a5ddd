// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * callers [THREADS] [CALLS]: waits for a line, then THREADS threads (at most 8) on one CPU call
 * hit() CALLS times each, thread "caller_N" from below 10 * (N + 1) calls of way_N(), so that each
 * call's stack tells which thread it is of. All of it is on one CPU, so that they preempt each
 * other.
 */
#include "workload.h"

#define MOST_THREADS 8
#define STEPS 10

struct caller {
	struct thread_log log;
	unsigned int number;
	uint64_t calls;
};

/* What is counted. */
__attribute__((noinline, noclone)) void hit(void)
{
	__asm__ volatile("" ::: "memory");
}

NAMED static void call_all(uint64_t calls)
{
	for (uint64_t i = 0; i < calls; i++)
		hit();
}

#define WAY(number)                                                                                \
	NAMED static void way_##number(unsigned int steps, uint64_t calls)                         \
	{                                                                                          \
		if (steps > 1)                                                                     \
			way_##number(steps - 1, calls);                                            \
		else                                                                               \
			call_all(calls);                                                           \
		__asm__ volatile("" ::: "memory");                                                 \
	}

WAY(0)
WAY(1)
WAY(2)
WAY(3)
WAY(4)
WAY(5)
WAY(6)
WAY(7)

static void *caller_main(void *context)
{
	static void (*const ways[MOST_THREADS])(unsigned int steps, uint64_t calls) = {
		way_0, way_1, way_2, way_3, way_4, way_5, way_6, way_7};
	struct caller *caller = context;
	char name[16];

	snprintf(name, sizeof(name), "caller_%u", caller->number);
	log_start(&caller->log, name);
	pin(0, usable_cpu(0));
	struct phase *phase = phase_begin(&caller->log, 0, "calls");
	ways[caller->number](STEPS * (caller->number + 1), caller->calls);
	phase_end(phase);
	log_end(&caller->log);
	return NULL;
}

int main(int argc, char **argv)
{
	struct caller callers[MOST_THREADS] = {0};
	struct thread_log logs[MOST_THREADS];
	uint64_t threads = argument(argc, argv, 1, MOST_THREADS);
	pthread_t started[MOST_THREADS];

	if (threads > MOST_THREADS)
		threads = MOST_THREADS;
	wait_for_go();
	for (unsigned int i = 0; i < threads; i++) {
		callers[i].number = i;
		callers[i].calls = argument(argc, argv, 2, 10000);
		if (pthread_create(&started[i], NULL, caller_main, &callers[i]))
			die("pthread_create");
	}
	for (unsigned int i = 0; i < threads; i++) {
		pthread_join(started[i], NULL);
		logs[i] = callers[i].log;
	}
	print_logs(logs, threads);
	wait_for_go();
	return 0;
}
