// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * movers [BLOCKS]: waits for a line; then two threads get BLOCKS blocks (5000) each, have them
 * grow, by which they move, and free them, while two others get as many of the same size, which
 * they keep: often at an address that a block has just moved from. {"kept": N, "bytes": N} of
 * blocks that live on. Waits for another line.
 */
#include <malloc.h>

#include "workload.h"

#define BYTES 140000
#define THREADS 4

static pthread_barrier_t begin, end;
static uint64_t blocks;

static void *used(void *block)
{
	if (!block)
		die("malloc");
	*(volatile char *)block = 1;
	__asm__ volatile("" : "+r"(block) : : "memory");
	return block;
}

NAMED static void move_all(void)
{
	for (uint64_t i = 0; i < blocks; i++)
		free(used(realloc(used(malloc(BYTES)), 3 * BYTES)));
}

NAMED static void keep_all(void)
{
	for (uint64_t i = 0; i < blocks; i++)
		used(malloc(BYTES));
}

static void *work(void *context)
{
	pthread_barrier_wait(&begin);
	if (*(bool *)context)
		keep_all();
	else
		move_all();
	pthread_barrier_wait(&end);
	for (;;)
		pause();
	return NULL;
}

int main(int argc, char **argv)
{
	static bool keeps[2] = {false, true};
	static char output[1024];

	blocks = argument(argc, argv, 1, 5000);
	setvbuf(stdout, output, _IOFBF, sizeof(output));
	/* Each block is a mapping of its own, whichever were freed before. */
	mallopt(M_MMAP_THRESHOLD, BYTES / 2);
	pthread_barrier_init(&begin, NULL, THREADS + 1);
	pthread_barrier_init(&end, NULL, THREADS + 1);
	for (unsigned int i = 0; i < THREADS; i++)
		start_thread(work, &keeps[i % 2]);
	wait_for_go();
	pthread_barrier_wait(&begin);
	pthread_barrier_wait(&end);
	printf("{\"kept\":%llu,\"bytes\":%llu}\n", (unsigned long long)blocks * THREADS / 2,
		(unsigned long long)blocks * THREADS / 2 * BYTES);
	fflush(stdout);
	wait_for_go();
	return 0;
}
