// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * call_marks [ROUNDS]: waits for a line, then two threads make ROUNDS requests each, of 1 ms asleep
 * and 1 ms of CPU time, from mark (USDT) request__start to request__done, whose argument is the
 * request's number. Says how long they took, as {"pid", "threads"}, and waits for another line.
 */
#include "mark.h"
#include "workload.h"

#define THREADS 2

static uint64_t rounds;

NAMED static void begin(uint64_t number)
{
	__asm__ volatile(MARK("call_marks", "request__start", "8@%%rbx")
			 :
			 : "b"(number)
			 : "memory");
}

NAMED static void end(uint64_t number)
{
	__asm__ volatile(MARK("call_marks", "request__done", "8@%%rbx") : : "b"(number) : "memory");
}

static void *server_main(void *log)
{
	log_start(log, "server");
	for (uint64_t i = 0; i < rounds; i++) {
		struct phase *phase = phase_begin(log, 0, "request");
		begin(i);
		sleep_ns(NS_PER_MS);
		burn_ns(NS_PER_MS);
		end(i);
		phase_end(phase);
	}
	log_end(log);
	return NULL;
}

int main(int argc, char **argv)
{
	struct thread_log logs[THREADS];
	pthread_t threads[THREADS];

	rounds = argument(argc, argv, 1, 100);
	wait_for_go();
	for (int i = 0; i < THREADS; i++)
		threads[i] = start_thread(server_main, &logs[i]);
	for (int i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
	print_logs(logs, THREADS);
	wait_for_go();
	return 0;
}
