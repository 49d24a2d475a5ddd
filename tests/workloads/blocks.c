// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * blocks [ROUNDS [THREADS]]: waits for a line, then gets and gives back blocks of memory ROUNDS
 * times in each of THREADS threads, in a function for each way, and says what was asked for and
 * given back by function:
 * {"pid": N, "sites": [{"name", "bytes", "allocations", "freed_bytes", "frees"}], "wrong": 0}.
 * Waits for another line.
 *
 * Some blocks are not given back. Before the first line there are blocks already, of which some are
 * given back and some grow meanwhile, and all threads, so that no block is made that is not said.
 * wrong: blocks without what was written to them, and those that could not be had but were.
 */
#include <errno.h>

#include "workload.h"

#define EARLY 64
#define EARLY_BYTES 1000
#define MARK 0x5a

enum site {
	BY_MALLOC,
	BY_CALLOC,
	BY_REALLOC,
	BY_REALLOCARRAY,
	BY_POSIX_MEMALIGN,
	BY_ALIGNED_ALLOC,
	BY_LARGE_REALLOC,
	OF_EARLY_BLOCKS,
	IN_BULK,
	IN_VAIN,
	SITES
};

struct sums {
	uint64_t bytes;
	uint64_t allocations;
	uint64_t freed_bytes;
	uint64_t frees;
};

struct worker {
	uint64_t rounds;
	uint64_t wrong;
	struct sums sums[SITES];
	void *early[EARLY];
};

static pthread_barrier_t begin, end;

/* Compilers know what becomes of blocks, and leave them out. */
static void *hidden(void *block)
{
	__asm__ volatile("" : "+r"(block) : : "memory");
	return block;
}

static void *got(struct worker *worker, enum site site, void *block, size_t bytes)
{
	if (!block)
		die("allocate");
	worker->sums[site].bytes += bytes;
	worker->sums[site].allocations++;
	*(volatile unsigned char *)block = MARK;
	return hidden(block);
}

static void gone(struct worker *worker, enum site site, size_t bytes)
{
	worker->sums[site].freed_bytes += bytes;
	worker->sums[site].frees++;
}

NAMED static void give_back(struct worker *worker, enum site site, void *block, size_t bytes)
{
	worker->wrong += *(unsigned char *)block != MARK;
	free(block);
	gone(worker, site, bytes);
}

NAMED static void by_malloc(struct worker *worker, uint64_t round)
{
	size_t bytes = 100 + round % 50;
	void *block = got(worker, BY_MALLOC, malloc(bytes), bytes);

	give_back(worker, BY_MALLOC, block, bytes);
}

NAMED static void by_calloc(struct worker *worker, uint64_t round)
{
	void *block = got(worker, BY_CALLOC, calloc(10, 20), 200);

	if (round % 4)
		give_back(worker, BY_CALLOC, block, 200);
}

/* The first block from nowhere, and the last one into nothing. */
NAMED static void by_realloc(struct worker *worker, uint64_t round)
{
	void *block = got(worker, BY_REALLOC, realloc(NULL, 64), 64);

	block = got(worker, BY_REALLOC, realloc(block, 200), 200);
	gone(worker, BY_REALLOC, 64);
	block = got(worker, BY_REALLOC, realloc(block, 5000), 5000);
	gone(worker, BY_REALLOC, 200);
	worker->wrong += *(unsigned char *)block != MARK;
	if (round % 2)
		free(block);
	else
		block = realloc(block, 0);
	gone(worker, BY_REALLOC, 5000);
}

NAMED static void by_reallocarray(struct worker *worker, uint64_t round)
{
	void *block = got(worker, BY_REALLOCARRAY, malloc(30), 30);

	block = got(worker, BY_REALLOCARRAY, reallocarray(block, 30, 20), 600);
	gone(worker, BY_REALLOCARRAY, 30);
	if (round % 8)
		give_back(worker, BY_REALLOCARRAY, block, 600);
}

NAMED static void by_posix_memalign(struct worker *worker, uint64_t round)
{
	void *block = NULL;

	(void)round;
	if (posix_memalign(&block, 64, 500))
		die("posix_memalign");
	block = got(worker, BY_POSIX_MEMALIGN, block, 500);
	give_back(worker, BY_POSIX_MEMALIGN, block, 500);
}

NAMED static void by_aligned_alloc(struct worker *worker, uint64_t round)
{
	void *block = got(worker, BY_ALIGNED_ALLOC, aligned_alloc(64, 320), 320);

	if (round % 2)
		give_back(worker, BY_ALIGNED_ALLOC, block, 320);
}

/* Blocks that are mappings of their own, which move as a whole. */
NAMED static void by_large_realloc(struct worker *worker, uint64_t round)
{
	void *block;

	if (round % 16)
		return;
	block = got(worker, BY_LARGE_REALLOC, malloc(300000), 300000);
	block = got(worker, BY_LARGE_REALLOC, realloc(block, 900000), 900000);
	gone(worker, BY_LARGE_REALLOC, 300000);
	give_back(worker, BY_LARGE_REALLOC, block, 900000);
}

/* One of three is given back, one becomes larger, one stays. */
NAMED static void of_early_blocks(struct worker *worker, uint64_t round)
{
	void *block = round < EARLY ? worker->early[round] : NULL;

	if (!block || round % 3 == 2)
		return;
	if (round % 3 == 0) {
		free(block);
		return;
	}
	got(worker, OF_EARLY_BLOCKS, realloc(block, 3 * EARLY_BYTES), 3 * EARLY_BYTES);
}

/* Much of it, for estimates. */
NAMED static void in_bulk(struct worker *worker, uint64_t round)
{
	(void)round;
	for (unsigned int i = 0; i < 4; i++) {
		void *block = got(worker, IN_BULK, malloc(8000), 8000);

		give_back(worker, IN_BULK, block, 8000);
	}
}

/* What cannot be had is nothing, and the old block stays. */
NAMED static void in_vain(struct worker *worker, uint64_t round)
{
	volatile size_t much = PTRDIFF_MAX;
	/* Compilers know that realloc() would have freed it. */
	void *volatile block;
	void *memory = NULL;

	if (round % 8)
		return;
	block = got(worker, IN_VAIN, malloc(150), 150);
	worker->wrong += malloc(much) || calloc(much, 2) || realloc(block, much);
	worker->wrong += reallocarray(block, much, 4) || !posix_memalign(&memory, 64, much);
	give_back(worker, IN_VAIN, block, 150);
}

static const struct {
	const char *name;
	void (*go)(struct worker *worker, uint64_t round);
} ways[] = {
	[BY_MALLOC] = {"by_malloc", by_malloc},
	[BY_CALLOC] = {"by_calloc", by_calloc},
	[BY_REALLOC] = {"by_realloc", by_realloc},
	[BY_REALLOCARRAY] = {"by_reallocarray", by_reallocarray},
	[BY_POSIX_MEMALIGN] = {"by_posix_memalign", by_posix_memalign},
	[BY_ALIGNED_ALLOC] = {"by_aligned_alloc", by_aligned_alloc},
	[BY_LARGE_REALLOC] = {"by_large_realloc", by_large_realloc},
	[OF_EARLY_BLOCKS] = {"of_early_blocks", of_early_blocks},
	[IN_BULK] = {"in_bulk", in_bulk},
	[IN_VAIN] = {"in_vain", in_vain},
};

static void *work(void *context)
{
	struct worker *worker = context;

	pthread_barrier_wait(&begin);
	for (uint64_t round = 0; round < worker->rounds; round++)
		for (size_t i = 0; i < SITES; i++)
			ways[i].go(worker, round);
	pthread_barrier_wait(&end);
	for (;;)
		pause();
	return NULL;
}

static void print_all(const struct worker *workers, uint64_t threads)
{
	uint64_t wrong = 0;

	printf("{\"pid\":%d,\"sites\":[", (int)getpid());
	for (size_t site = 0; site < SITES; site++) {
		struct sums sum = {0};

		for (uint64_t i = 0; i < threads; i++) {
			const struct sums *sums = &workers[i].sums[site];
			sum.bytes += sums->bytes;
			sum.allocations += sums->allocations;
			sum.freed_bytes += sums->freed_bytes;
			sum.frees += sums->frees;
		}
		printf("%s{\"name\":\"%s\",\"bytes\":%llu,\"allocations\":%llu,"
		       "\"freed_bytes\":%llu,\"frees\":%llu}",
			site ? "," : "", ways[site].name, (unsigned long long)sum.bytes,
			(unsigned long long)sum.allocations, (unsigned long long)sum.freed_bytes,
			(unsigned long long)sum.frees);
	}
	for (uint64_t i = 0; i < threads; i++)
		wrong += workers[i].wrong;
	printf("],\"wrong\":%llu}\n", (unsigned long long)wrong);
	fflush(stdout);
}

int main(int argc, char **argv)
{
	uint64_t rounds = argument(argc, argv, 1, 500), threads = argument(argc, argv, 2, 1);
	struct worker *workers = calloc(threads, sizeof(*workers));
	static char output[8192];

	if (!workers || !threads)
		die("blocks [ROUNDS [THREADS]]");
	/* Printing allocates nothing. */
	setvbuf(stdout, output, _IOFBF, sizeof(output));
	pthread_barrier_init(&begin, NULL, (unsigned int)threads + 1);
	pthread_barrier_init(&end, NULL, (unsigned int)threads + 1);
	for (uint64_t i = 0; i < threads; i++) {
		workers[i].rounds = rounds;
		for (size_t n = 0; n < EARLY; n++)
			workers[i].early[n] = hidden(malloc(EARLY_BYTES));
		start_thread(work, &workers[i]);
	}
	wait_for_go();
	pthread_barrier_wait(&begin);
	pthread_barrier_wait(&end);
	print_all(workers, threads);
	wait_for_go();
	return 0;
}
