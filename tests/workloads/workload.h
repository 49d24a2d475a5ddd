/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What all workloads share: clocks, a log of phases for each thread, and the one JSON line that
 * tells the test what was really done. A phase's wall time is CLOCK_MONOTONIC, its CPU time
 * CLOCK_THREAD_CPUTIME_ID. A thread writes its own log only; main prints after joining it.
 */
#ifndef DWELL_TESTS_WORKLOAD_H
#define DWELL_TESTS_WORKLOAD_H

#include <pthread.h>
#include <sched.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define WORKLOAD_PHASES 4
#define NS_PER_MS 1000000ULL
#define NS_PER_S 1000000000ULL

/* Keeps a function's own frame on the stack: no inlining, no cloning, no tail call out of it. */
#define NAMED __attribute__((noinline, noclone, optimize("no-optimize-sibling-calls"), unused))

struct phase {
	const char *name;
	uint64_t count;
	uint64_t wall_ns;
	uint64_t cpu_ns;
	uint64_t wall_start_ns; /* of the open phase */
	uint64_t cpu_start_ns;
};

struct thread_log {
	int tid;
	char name[16];
	uint64_t start_ns; /* CLOCK_MONOTONIC */
	uint64_t end_ns;
	uint64_t cpu_ns; /* of the whole life until the end was logged */
	struct phase phases[WORKLOAD_PHASES];
};

static inline uint64_t clock_ns(clockid_t clock)
{
	struct timespec now;

	clock_gettime(clock, &now);
	return (uint64_t)now.tv_sec * NS_PER_S + (uint64_t)now.tv_nsec;
}

static inline uint64_t wall_ns(void)
{
	return clock_ns(CLOCK_MONOTONIC);
}

static inline uint64_t cpu_ns(void)
{
	return clock_ns(CLOCK_THREAD_CPUTIME_ID);
}

static inline int own_tid(void)
{
	return (int)syscall(SYS_gettid);
}

__attribute__((noreturn)) static inline void die(const char *what)
{
	perror(what);
	exit(120);
}

/* Argument number `index` as a number, or the default. */
static inline uint64_t argument(int argc, char **argv, int index, uint64_t otherwise)
{
	return argc > index ? strtoull(argv[index], NULL, 10) : otherwise;
}

static inline void set_name(const char *name)
{
	prctl(PR_SET_NAME, name, 0, 0, 0);
}

/* By syscall(), because libc's own wrappers may use the frame pointer for something else. */
static inline void sleep_ns(uint64_t ns)
{
	struct timespec left = {(time_t)(ns / NS_PER_S), (long)(ns % NS_PER_S)};

	while (syscall(SYS_clock_nanosleep, CLOCK_MONOTONIC, 0, &left, &left))
		;
}

/*
 * WORKLOAD_PAUSE_MS in the environment: for cases about the stacks of all that it does. A recorder
 * takes a moment to learn how to walk a new program's.
 */
__attribute__((constructor)) static void pause_at_start(void)
{
	const char *ms = getenv("WORKLOAD_PAUSE_MS");

	if (ms)
		sleep_ns(strtoull(ms, NULL, 10) * NS_PER_MS);
}

/* Computes for that much CPU time of the calling thread; 1 % of it or less is asking the clock. */
static inline void burn_ns(uint64_t ns)
{
	volatile uint64_t sink = 0;
	uint64_t end = cpu_ns() + ns;

	while (cpu_ns() < end)
		for (int i = 0; i < 20000; i++)
			sink += (uint64_t)i * i;
}

/* The n-th CPU that this process may use, counted from 0 and wrapping around. */
static inline int usable_cpu(unsigned int number)
{
	cpu_set_t set;
	unsigned int count;

	if (sched_getaffinity(0, sizeof(set), &set))
		die("sched_getaffinity");
	count = (unsigned int)CPU_COUNT(&set);
	number %= count;
	for (int cpu = 0; cpu < CPU_SETSIZE; cpu++)
		if (CPU_ISSET(cpu, &set) && !number--)
			return cpu;
	return 0;
}

/* tid 0: the calling thread. */
static inline void pin(int tid, int cpu)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	if (sched_setaffinity(tid, sizeof(set), &set))
		die("sched_setaffinity");
}

/* A token through a pipe: waiting for it, and passing it on. */
NAMED static void take(int fd)
{
	char byte;

	if (read(fd, &byte, 1) != 1)
		die("read");
}

NAMED static void give(int fd)
{
	if (write(fd, "x", 1) != 1)
		die("write");
}

static inline void log_start(struct thread_log *log, const char *name)
{
	memset(log, 0, sizeof(*log));
	log->start_ns = wall_ns();
	log->tid = own_tid();
	snprintf(log->name, sizeof(log->name), "%s", name);
	set_name(name);
}

static inline void log_end(struct thread_log *log)
{
	log->cpu_ns = cpu_ns();
	log->end_ns = wall_ns();
}

static inline struct phase *phase_begin(
	struct thread_log *log, unsigned int index, const char *name)
{
	struct phase *phase = &log->phases[index];

	phase->name = name;
	phase->cpu_start_ns = cpu_ns();
	phase->wall_start_ns = wall_ns();
	return phase;
}

static inline void phase_end(struct phase *phase)
{
	phase->wall_ns += wall_ns() - phase->wall_start_ns;
	phase->cpu_ns += cpu_ns() - phase->cpu_start_ns;
	phase->count++;
}

static inline void print_thread(const struct thread_log *log)
{
	bool is_first = true;

	printf("{\"tid\":%d,\"name\":\"%s\",\"start_ns\":%llu,\"wall_ns\":%llu,\"cpu_ns\":%llu,"
	       "\"phases\":{",
		log->tid, log->name, (unsigned long long)log->start_ns,
		(unsigned long long)(log->end_ns - log->start_ns), (unsigned long long)log->cpu_ns);
	for (unsigned int i = 0; i < WORKLOAD_PHASES; i++) {
		const struct phase *phase = &log->phases[i];
		if (!phase->count)
			continue;
		printf("%s\"%s\":{\"count\":%llu,\"wall_ns\":%llu,\"cpu_ns\":%llu}",
			is_first ? "" : ",", phase->name, (unsigned long long)phase->count,
			(unsigned long long)phase->wall_ns, (unsigned long long)phase->cpu_ns);
		is_first = false;
	}
	printf("}}");
}

/* The line about what was done: {"pid": ..., "threads": [...]}. */
static inline void print_logs(const struct thread_log *logs, size_t count)
{
	printf("{\"pid\":%d,\"threads\":[", (int)getpid());
	for (size_t i = 0; i < count; i++) {
		if (i)
			putchar(',');
		print_thread(&logs[i]);
	}
	printf("]}\n");
	fflush(stdout);
}

/* Until the test says so by a line, or by closing our stdin. */
static inline void wait_for_go(void)
{
	char byte;

	while (read(0, &byte, 1) == 1 && byte != '\n')
		;
}

/* One letter, as in /proc: 'S' asleep, 'R' running or runnable. */
static inline char thread_state(int tid)
{
	char path[64], line[256];
	const char *after;
	FILE *file;

	snprintf(path, sizeof(path), "/proc/self/task/%d/stat", tid);
	file = fopen(path, "r");
	if (!file)
		return 0;
	after = fgets(line, sizeof(line), file) ? strrchr(line, ')') : NULL;
	fclose(file);
	return after && after[1] ? after[2] : 0;
}

/* Until the thread has been seen asleep ten times in a row, so that it is there to stay. */
static inline void wait_until_asleep(const volatile int *tid)
{
	for (int seen = 0; seen < 10;) {
		sleep_ns(NS_PER_MS);
		seen = *tid && thread_state(*tid) == 'S' ? seen + 1 : 0;
	}
}

static inline pthread_t start_thread(void *(*function)(void *), void *context)
{
	pthread_t thread;

	if (pthread_create(&thread, NULL, function, context))
		die("pthread_create");
	return thread;
}

#endif
