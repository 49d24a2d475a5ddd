// SPDX-License-Identifier: GPL-2.0-or-later
/* hogs [MS]: two threads pinned to one CPU compute for MS ms of wall time, in hog_the_cpu(). */
#include "workload.h"

struct hog {
	struct thread_log log;
	unsigned int number;
	uint64_t wall_ns;
	pthread_barrier_t *start;
};

NAMED static void hog_the_cpu(struct hog *hog)
{
	struct phase *phase = phase_begin(&hog->log, 0, "hog");
	uint64_t end = wall_ns() + hog->wall_ns;
	volatile uint64_t sink = 0;

	while (wall_ns() < end)
		for (int i = 0; i < 20000; i++)
			sink += (uint64_t)i;
	phase_end(phase);
}

static void *hog_main(void *context)
{
	struct hog *hog = context;

	log_start(&hog->log, hog->number ? "hog-two" : "hog-one");
	pin(0, usable_cpu(0));
	pthread_barrier_wait(hog->start);
	hog_the_cpu(hog);
	log_end(&hog->log);
	return NULL;
}

int main(int argc, char **argv)
{
	static struct hog hogs[2];
	struct thread_log logs[2];
	pthread_t threads[2];
	pthread_barrier_t start;

	pthread_barrier_init(&start, NULL, 2);
	for (unsigned int i = 0; i < 2; i++) {
		hogs[i].number = i;
		hogs[i].wall_ns = argument(argc, argv, 1, 2000) * NS_PER_MS;
		hogs[i].start = &start;
		threads[i] = start_thread(hog_main, &hogs[i]);
	}
	for (unsigned int i = 0; i < 2; i++) {
		pthread_join(threads[i], NULL);
		logs[i] = hogs[i].log;
	}
	print_logs(logs, 2);
	return 0;
}
