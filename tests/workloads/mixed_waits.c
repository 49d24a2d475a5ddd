// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * mixed_waits [MS]: prints {"pid"}, waits for a line on stdin, then starts four threads which wait
 * and compute in turns for MS ms, in sleep, poll, futex and pipe; no wait is longer than 50 ms.
 * Prints their logs and ends when stdin does. A thread's whole life lies between the two lines.
 */
#include "workload.h"

#include <poll.h>

enum { MIXED = 4 };

struct mixed {
	struct thread_log log;
	const char *name;
	void (*wait)(struct mixed *mixed, uint64_t ns);
	int fds[2];
	uint64_t wall_ns;
	unsigned int seed;
};

struct feeder {
	struct thread_log log;
	int fd;
	uint64_t wall_ns;
};

NAMED static void wait_in_sleep(struct mixed *mixed, uint64_t ns)
{
	(void)mixed;
	sleep_ns(ns);
}

NAMED static void wait_in_poll(struct mixed *mixed, uint64_t ns)
{
	struct pollfd silent = {.fd = mixed->fds[0], .events = POLLIN};

	poll(&silent, 1, (int)(ns / NS_PER_MS));
}

NAMED static void wait_in_futex(struct mixed *mixed, uint64_t ns)
{
	pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
	pthread_cond_t never = PTHREAD_COND_INITIALIZER;
	struct timespec end;

	(void)mixed;
	clock_gettime(CLOCK_REALTIME, &end);
	end.tv_nsec += (long)ns;
	end.tv_sec += end.tv_nsec / (long)NS_PER_S;
	end.tv_nsec %= (long)NS_PER_S;
	pthread_mutex_lock(&mutex);
	pthread_cond_timedwait(&never, &mutex, &end);
	pthread_mutex_unlock(&mutex);
}

/* Reads what feeder_main() writes every few ms. */
NAMED static void wait_in_pipe(struct mixed *mixed, uint64_t ns)
{
	char byte;

	(void)ns;
	if (read(mixed->fds[0], &byte, 1) < 0)
		die("read");
}

static void *mixed_main(void *context)
{
	struct mixed *mixed = context;
	uint64_t end;

	log_start(&mixed->log, mixed->name);
	end = mixed->log.start_ns + mixed->wall_ns;
	while (wall_ns() < end) {
		struct phase *phase = phase_begin(&mixed->log, 0, "wait");
		mixed->wait(mixed, (1 + (uint64_t)rand_r(&mixed->seed) % 40) * NS_PER_MS);
		phase_end(phase);
		phase = phase_begin(&mixed->log, 1, "burn");
		burn_ns((uint64_t)rand_r(&mixed->seed) % 2000 * 1000);
		phase_end(phase);
	}
	log_end(&mixed->log);
	return NULL;
}

static void *feeder_main(void *context)
{
	struct feeder *feeder = context;
	uint64_t end = wall_ns() + feeder->wall_ns;
	unsigned int seed = 7;

	log_start(&feeder->log, "mix-feeder");
	while (wall_ns() < end) {
		sleep_ns((1 + (uint64_t)rand_r(&seed) % 20) * NS_PER_MS);
		if (write(feeder->fd, "o", 1) != 1)
			die("write");
	}
	close(feeder->fd);
	log_end(&feeder->log);
	return NULL;
}

int main(int argc, char **argv)
{
	static struct mixed mixed[MIXED] = {
		{.name = "mix-sleep", .wait = wait_in_sleep},
		{.name = "mix-poll", .wait = wait_in_poll},
		{.name = "mix-futex", .wait = wait_in_futex},
		{.name = "mix-pipe", .wait = wait_in_pipe},
	};
	static struct feeder feeder;
	struct thread_log logs[MIXED + 1];
	pthread_t threads[MIXED + 1];

	printf("{\"pid\":%d}\n", (int)getpid());
	fflush(stdout);
	wait_for_go();
	feeder.wall_ns = argument(argc, argv, 1, 2000) * NS_PER_MS;
	for (unsigned int i = 0; i < MIXED; i++) {
		if (pipe(mixed[i].fds))
			die("pipe");
		mixed[i].seed = i + 1;
		mixed[i].wall_ns = feeder.wall_ns;
		threads[i] = start_thread(mixed_main, &mixed[i]);
	}
	feeder.fd = mixed[MIXED - 1].fds[1];
	threads[MIXED] = start_thread(feeder_main, &feeder);
	for (unsigned int i = 0; i < MIXED; i++) {
		pthread_join(threads[i], NULL);
		logs[i] = mixed[i].log;
	}
	pthread_join(threads[MIXED], NULL);
	logs[MIXED] = feeder.log;
	print_logs(logs, MIXED + 1);
	wait_for_go();
	return 0;
}
