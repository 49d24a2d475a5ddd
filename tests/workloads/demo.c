// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * demo [MS]: what `make try` records. Threads with telling names do the things that a wait profiler
 * is for: a convoy for one lock, a disk writer that syncs, a hog that wants a CPU for itself, and a
 * sleeper with nothing to do. Prints the log of its threads if asked to by a second argument.
 */
#include "workload.h"

enum { CONVOY = 3, DEMO_THREADS = CONVOY + 3 };

struct demo {
	struct thread_log log;
	const char *name;
	void (*step)(struct demo *demo);
	uint64_t end_ns;
	pthread_mutex_t *lock;
	int fd;
};

/* By itself: that of a function has a number of the compiler behind its name. */
static pthread_mutex_t convoy_lock = PTHREAD_MUTEX_INITIALIZER;

NAMED static void work_under_the_lock(void)
{
	burn_ns(1 * NS_PER_MS);
	sleep_ns(4 * NS_PER_MS);
}

NAMED static void take_a_turn(struct demo *demo)
{
	pthread_mutex_lock(demo->lock);
	work_under_the_lock();
	pthread_mutex_unlock(demo->lock);
	/* Without a pause the one that unlocks would take the lock again before anybody woke. */
	sleep_ns(NS_PER_MS / 10);
}

NAMED static void save_to_disk(struct demo *demo)
{
	static const char page[4096];

	if (pwrite(demo->fd, page, sizeof(page), 0) != (ssize_t)sizeof(page))
		die("pwrite");
	fsync(demo->fd);
}

NAMED static void crunch_numbers(struct demo *demo)
{
	(void)demo;
	burn_ns(20 * NS_PER_MS);
}

NAMED static void wait_for_nothing(struct demo *demo)
{
	uint64_t now = wall_ns();

	sleep_ns(demo->end_ns > now ? demo->end_ns - now : 0);
}

static void *demo_main(void *context)
{
	struct demo *demo = context;

	log_start(&demo->log, demo->name);
	while (wall_ns() < demo->end_ns) {
		struct phase *phase = phase_begin(&demo->log, 0, "step");
		demo->step(demo);
		phase_end(phase);
	}
	log_end(&demo->log);
	return NULL;
}

/* A file that has no name any more, so that nothing stays behind however we end. */
static int temporary_file(void)
{
	const char *folder = getenv("TMPDIR");
	char path[4096];
	int fd;

	snprintf(path, sizeof(path), "%s/dwell-demo.XXXXXX", folder ? folder : "/tmp");
	fd = mkstemp(path);
	if (fd < 0)
		die(path);
	unlink(path);
	return fd;
}

int main(int argc, char **argv)
{
	static struct demo demos[DEMO_THREADS] = {
		{.name = "convoy-1", .step = take_a_turn},
		{.name = "convoy-2", .step = take_a_turn},
		{.name = "convoy-3", .step = take_a_turn},
		{.name = "disk-writer", .step = save_to_disk},
		{.name = "cpu-hog", .step = crunch_numbers},
		{.name = "idler", .step = wait_for_nothing},
	};
	uint64_t end_ns = wall_ns() + argument(argc, argv, 1, 5000) * NS_PER_MS;
	struct thread_log logs[DEMO_THREADS];
	pthread_t threads[DEMO_THREADS];
	int fd = temporary_file();

	for (unsigned int i = 0; i < DEMO_THREADS; i++) {
		demos[i].lock = &convoy_lock;
		demos[i].fd = fd;
		demos[i].end_ns = end_ns;
		threads[i] = start_thread(demo_main, &demos[i]);
	}
	/* Joining a thread all that time would be one long wait for hundreds of its short ones. */
	if (wall_ns() < end_ns)
		sleep_ns(end_ns - wall_ns());
	for (unsigned int i = 0; i < DEMO_THREADS; i++) {
		pthread_join(threads[i], NULL);
		logs[i] = demos[i].log;
	}
	if (argc > 2)
		print_logs(logs, DEMO_THREADS);
	return 0;
}
