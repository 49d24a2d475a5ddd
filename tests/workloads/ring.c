// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * ring [THREADS] [ROUNDS]: threads "r0", "r1", ... pass a token around through pipes; each holds it
 * for a moment. Prints how often each one got it.
 */
#include "workload.h"

#define MAX_THREADS 64

static unsigned int thread_count;
static uint64_t round_count;
static int pipes[MAX_THREADS][2];

static void *member(void *context)
{
	unsigned int own = (unsigned int)(uintptr_t)context;
	char name[16], token;

	snprintf(name, sizeof(name), "r%u", own);
	set_name(name);
	/* Else one may lose its CPU between passing the token on and waiting for it again. */
	sched_setscheduler(0, SCHED_FIFO, &(struct sched_param){.sched_priority = 1});
	for (uint64_t i = 0; i < round_count; i++) {
		if (read(pipes[own][0], &token, 1) != 1)
			die("read");
		burn_ns(50000);
		if (write(pipes[(own + 1) % thread_count][1], &token, 1) != 1)
			die("write");
	}
	return NULL;
}

int main(int argc, char **argv)
{
	pthread_t threads[MAX_THREADS];

	thread_count = (unsigned int)argument(argc, argv, 1, 5);
	round_count = argument(argc, argv, 2, 200);
	if (thread_count < 2 || thread_count > MAX_THREADS)
		die("ring");
	for (unsigned int i = 0; i < thread_count; i++)
		if (pipe(pipes[i]))
			die("pipe");
	for (unsigned int i = 0; i < thread_count; i++)
		threads[i] = start_thread(member, (void *)(uintptr_t)i);
	/* Long enough for all of them to be in their first wait. */
	sleep_ns(50 * NS_PER_MS);
	if (write(pipes[0][1], "t", 1) != 1)
		die("write");
	for (unsigned int i = 0; i < thread_count; i++)
		pthread_join(threads[i], NULL);
	printf("{\"threads\":%u,\"rounds\":%llu}\n", thread_count, (unsigned long long)round_count);
	return 0;
}
