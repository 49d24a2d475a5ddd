// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * token THREADS STACKS DEPTH MS [CPU]: threads pass a token round for MS ms, each waiting for it
 * DEPTH calls deep, on one of STACKS ways that differ in their calls: the n-th wait of all takes
 * the n-th. Prints how often the token was passed, for each second. For bench/growth: what a switch
 * costs by the number of threads, of stacks, and of frames.
 */
#include <errno.h>
#include <linux/futex.h>
#include <pthread.h>
#include <sched.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define STACK_BYTES (128 << 10)
#define NAMED __attribute__((noinline, noclone, optimize("no-optimize-sibling-calls")))

static uint32_t *turns; /* of each thread: how often the token came to it */
static unsigned int thread_count, depth, arrived;
static uint64_t stack_count, passed, end_ns;

static uint64_t now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000000000ULL + (uint64_t)now.tv_nsec;
}

static long futex(uint32_t *word, int operation, uint32_t value)
{
	return syscall(SYS_futex, word, operation | FUTEX_PRIVATE_FLAG, value, NULL, NULL, 0);
}

NAMED static void wait_here(uint32_t *word, uint32_t seen)
{
	while (__atomic_load_n(word, __ATOMIC_ACQUIRE) == seen)
		futex(word, FUTEX_WAIT, seen);
}

static void go(uint64_t way, unsigned int left, uint32_t *word, uint32_t seen);

NAMED static void turn_left(uint64_t way, unsigned int left, uint32_t *word, uint32_t seen)
{
	go(way, left, word, seen);
}

NAMED static void turn_right(uint64_t way, unsigned int left, uint32_t *word, uint32_t seen)
{
	go(way, left, word, seen);
}

NAMED static void go(uint64_t way, unsigned int left, uint32_t *word, uint32_t seen)
{
	if (!left)
		wait_here(word, seen);
	else if (way & 1)
		turn_right(way >> 1, left - 1, word, seen);
	else
		turn_left(way >> 1, left - 1, word, seen);
}

static void pass(unsigned int to)
{
	__atomic_fetch_add(&turns[to], 1, __ATOMIC_RELEASE);
	futex(&turns[to], FUTEX_WAKE, 1);
}

static void *member(void *context)
{
	unsigned int self = (unsigned int)(uintptr_t)context, next = (self + 1) % thread_count;

	__atomic_fetch_add(&arrived, 1, __ATOMIC_RELAXED);
	for (uint32_t seen = 0; now_ns() < end_ns; seen++) {
		go(passed % stack_count, depth, &turns[self], seen);
		passed++;
		pass(next);
	}
	/* Whoever still waits for the token gets it once more, and sees that time is up. */
	pass(next);
	return NULL;
}

int main(int argc, char **argv)
{
	if (argc < 5)
		return 2;
	thread_count = (unsigned int)atoi(argv[1]);
	stack_count = strtoull(argv[2], NULL, 10);
	depth = (unsigned int)atoi(argv[3]);
	uint64_t ns = strtoull(argv[4], NULL, 10) * 1000000ULL;
	pthread_t *threads = calloc(thread_count, sizeof(*threads));
	turns = calloc(thread_count, sizeof(*turns));
	pthread_attr_t attributes;
	cpu_set_t cpus;

	CPU_ZERO(&cpus);
	CPU_SET(argc > 5 ? atoi(argv[5]) : 0, &cpus);
	if (!threads || !turns || sched_setaffinity(0, sizeof(cpus), &cpus))
		return 1;
	pthread_attr_init(&attributes);
	pthread_attr_setstacksize(&attributes, STACK_BYTES);
	end_ns = UINT64_MAX;
	for (unsigned int i = 0; i < thread_count; i++)
		if (pthread_create(&threads[i], &attributes, member, (void *)(uintptr_t)i))
			return 1;
	while (__atomic_load_n(&arrived, __ATOMIC_RELAXED) < thread_count)
		usleep(10000);
	puts("ready");
	fflush(stdout);
	uint64_t start = now_ns();
	end_ns = start + ns;
	pass(0);
	for (unsigned int i = 0; i < thread_count; i++)
		pthread_join(threads[i], NULL);
	printf("%.0f\n", (double)passed * 1e9 / (double)(now_ns() - start));
	return 0;
}
