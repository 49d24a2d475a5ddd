// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * call_slow [REQUESTS [EACH]]: waits for a line, then calls handle_request() REQUESTS times, 50 us
 * of CPU time each. Of EACH requests the last one wants cache_lock, which thread "refresher" has by
 * then: it writes its file, calls fsync(), and sleeps for 15 ms. Says {"pid", "tid", "requests",
 * "slow", "slow_ns": wall time of these, "wait_ns": for the lock, "wall_ns": of all requests}, and
 * waits for another line.
 */
#include "workload.h"

#define WORK_NS 50000
#define REFRESH_NS (15 * NS_PER_MS)

pthread_mutex_t cache_lock = PTHREAD_MUTEX_INITIALIZER;
static int to_refresher[2], to_server[2];
static uint64_t wait_ns;

NAMED static void read_cache(void)
{
	uint64_t begin = wall_ns();

	pthread_mutex_lock(&cache_lock);
	wait_ns += wall_ns() - begin;
	pthread_mutex_unlock(&cache_lock);
}

/* As burn_ns(), which asks the clock too seldom for so short a time. */
NAMED static void compute(void)
{
	uint64_t end = cpu_ns() + WORK_NS;

	while (cpu_ns() < end)
		;
}

NAMED void handle_request(bool wants_cache)
{
	compute();
	if (wants_cache)
		read_cache();
}

NAMED static void refresh(int fd)
{
	if (pwrite(fd, "cache", 5, 0) != 5 || fsync(fd))
		die("refresh");
	sleep_ns(REFRESH_NS);
}

static void *refresher_main(void *unused)
{
	char path[] = "call_slow.XXXXXX", byte;
	int fd = mkstemp(path);

	set_name("refresher");
	if (fd < 0 || unlink(path))
		die(path);
	while (read(to_refresher[0], &byte, 1) == 1) {
		pthread_mutex_lock(&cache_lock);
		give(to_server[1]);
		refresh(fd);
		pthread_mutex_unlock(&cache_lock);
	}
	close(fd);
	return unused;
}

int main(int argc, char **argv)
{
	uint64_t requests = argument(argc, argv, 1, 20000), each = argument(argc, argv, 2, 1000);
	uint64_t all_ns = 0, slow_ns = 0, slow = 0;
	pthread_t refresher;

	if (pipe(to_refresher) || pipe(to_server))
		die("pipe");
	wait_for_go();
	refresher = start_thread(refresher_main, NULL);
	for (uint64_t i = 1; i <= requests; i++) {
		bool wants_cache = i % each == 0;
		if (wants_cache) {
			give(to_refresher[1]);
			take(to_server[0]);
		}
		uint64_t begin = wall_ns();
		handle_request(wants_cache);
		uint64_t took = wall_ns() - begin;
		all_ns += took;
		slow += wants_cache;
		slow_ns += wants_cache ? took : 0;
	}
	close(to_refresher[1]);
	pthread_join(refresher, NULL);
	printf("{\"pid\":%d,\"tid\":%d,\"requests\":%llu,\"slow\":%llu,\"slow_ns\":%llu,"
	       "\"wait_ns\":%llu,\"wall_ns\":%llu}\n",
		(int)getpid(), own_tid(), (unsigned long long)requests, (unsigned long long)slow,
		(unsigned long long)slow_ns, (unsigned long long)wait_ns,
		(unsigned long long)all_ns);
	fflush(stdout);
	wait_for_go();
	return 0;
}
