// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * threads [COUNT] [MS]: prints {"pid"}, waits for a line on stdin, then starts COUNT threads that
 * sleep MS ms each in late_riser(); prints their logs and ends when stdin does.
 */
#include "workload.h"

#define MAX_THREADS 64

struct late {
	struct thread_log log;
	unsigned int number;
	uint64_t nap_ns;
};

NAMED static void *late_riser(void *context)
{
	struct late *late = context;
	struct phase *phase;
	char name[16];

	snprintf(name, sizeof(name), "late-%u", late->number);
	log_start(&late->log, name);
	phase = phase_begin(&late->log, 0, "nap");
	sleep_ns(late->nap_ns);
	phase_end(phase);
	log_end(&late->log);
	return NULL;
}

int main(int argc, char **argv)
{
	static struct late lates[MAX_THREADS];
	struct thread_log logs[MAX_THREADS];
	pthread_t threads[MAX_THREADS];
	uint64_t count = argument(argc, argv, 1, 4);

	if (count > MAX_THREADS)
		count = MAX_THREADS;
	printf("{\"pid\":%d}\n", (int)getpid());
	fflush(stdout);
	wait_for_go();
	for (unsigned int i = 0; i < count; i++) {
		lates[i].number = i;
		lates[i].nap_ns = argument(argc, argv, 2, 300) * NS_PER_MS;
		threads[i] = start_thread(late_riser, &lates[i]);
	}
	for (unsigned int i = 0; i < count; i++) {
		pthread_join(threads[i], NULL);
		logs[i] = lates[i].log;
	}
	print_logs(logs, count);
	wait_for_go();
	return 0;
}
