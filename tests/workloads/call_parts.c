// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * call_parts [THREADS [ROUNDS [TINY]]]: waits for a line; then THREADS threads call part_call()
 * ROUNDS times in each of four ways, and tiny_call() and outer_call(), which calls tiny_call(),
 * TINY times each. Ways: "sleep" for 3 ms, "spin" for 2 ms of CPU time, "lock" a mutex that thread
 * "holder" mostly has, "yield" the CPU often. More threads than CPUs are preempted and migrate.
 * Says {"pid", "tiny": calls of tiny_call(), "outer": of outer_call(), "threads": [...]} with wall
 * and CPU time of each way, taken right around the call. Waits for another line.
 */
#include <stdatomic.h>

#include "workload.h"

enum way { SLEEP, SPIN, LOCK, YIELD, WAYS };

_Static_assert(WAYS <= WORKLOAD_PHASES, "a phase for each way");

static const char *const names[WAYS] = {"sleep", "spin", "lock", "yield"};

pthread_mutex_t part_lock = PTHREAD_MUTEX_INITIALIZER;
static atomic_bool is_over, is_held;
static uint64_t rounds, tiny;
static volatile uint64_t sink;

NAMED void part_call(enum way way)
{
	switch (way) {
	case SLEEP:
		sleep_ns(3 * NS_PER_MS);
		break;
	case SPIN:
		burn_ns(2 * NS_PER_MS);
		break;
	case LOCK:
		pthread_mutex_lock(&part_lock);
		pthread_mutex_unlock(&part_lock);
		break;
	default:
		for (int i = 0; i < 100; i++)
			sched_yield();
	}
}

NAMED void tiny_call(void)
{
	sink++;
}

NAMED void outer_call(void)
{
	tiny_call();
	sink++;
}

static void *holder_main(void *unused)
{
	set_name("holder");
	while (!atomic_load(&is_over)) {
		pthread_mutex_lock(&part_lock);
		atomic_store(&is_held, true);
		sleep_ns(2 * NS_PER_MS);
		pthread_mutex_unlock(&part_lock);
		sleep_ns(NS_PER_MS / 10);
	}
	return unused;
}

static void *caller_main(void *log)
{
	log_start(log, "caller");
	for (uint64_t i = 0; i < rounds * WAYS; i++) {
		struct phase *phase = phase_begin(log, i % WAYS, names[i % WAYS]);
		part_call((enum way)(i % WAYS));
		phase_end(phase);
	}
	for (uint64_t i = 0; i < tiny; i++) {
		tiny_call();
		outer_call();
	}
	log_end(log);
	return NULL;
}

int main(int argc, char **argv)
{
	uint64_t count = argument(argc, argv, 1, 4);
	struct thread_log *logs = calloc(count, sizeof(*logs));
	pthread_t *threads = calloc(count, sizeof(*threads));
	pthread_t holder;

	rounds = argument(argc, argv, 2, 50);
	tiny = argument(argc, argv, 3, 1000);
	wait_for_go();
	holder = start_thread(holder_main, NULL);
	while (!atomic_load(&is_held))
		sched_yield();
	for (uint64_t i = 0; i < count; i++)
		threads[i] = start_thread(caller_main, &logs[i]);
	for (uint64_t i = 0; i < count; i++)
		pthread_join(threads[i], NULL);
	atomic_store(&is_over, true);
	pthread_join(holder, NULL);
	printf("{\"pid\":%d,\"tiny\":%llu,\"outer\":%llu,\"threads\":[", (int)getpid(),
		(unsigned long long)(2 * tiny * count), (unsigned long long)(tiny * count));
	for (uint64_t i = 0; i < count; i++) {
		if (i)
			putchar(',');
		print_thread(&logs[i]);
	}
	printf("]}\n");
	fflush(stdout);
	wait_for_go();
	return 0;
}
