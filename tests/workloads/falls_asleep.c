// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * falls_asleep [MS]: after a line on stdin a thread computes for MS ms of CPU time and then sleeps
 * until the program is killed. Prints {"pid", "tid"} at once, and the log of the computing, with
 * the phase "wakeful", right before it falls asleep.
 */
#include "workload.h"

struct faller {
	struct thread_log log;
	volatile int tid;
	uint64_t burn_ns;
};

NAMED static void sleep_for_ever(void)
{
	for (;;)
		sleep_ns(1000000 * NS_PER_S);
}

static void *faller_main(void *context)
{
	struct faller *faller = context;
	struct phase *phase;

	log_start(&faller->log, "falls-asleep");
	faller->tid = faller->log.tid;
	wait_for_go();
	phase = phase_begin(&faller->log, 0, "wakeful");
	burn_ns(faller->burn_ns);
	phase_end(phase);
	log_end(&faller->log);
	print_logs(&faller->log, 1);
	sleep_for_ever();
	return NULL;
}

int main(int argc, char **argv)
{
	static struct faller faller;

	faller.burn_ns = argument(argc, argv, 1, 300) * NS_PER_MS;
	start_thread(faller_main, &faller);
	while (!faller.tid)
		sleep_ns(NS_PER_MS);
	printf("{\"pid\":%d,\"tid\":%d}\n", (int)getpid(), faller.tid);
	fflush(stdout);
	sleep_for_ever();
}
