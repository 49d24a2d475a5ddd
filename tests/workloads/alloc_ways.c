// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * alloc_ways [STEPS [THREADS]]: threads get, grow and give back blocks in every way that libc has,
 * also at their ends, while main forks children that do so, too. Each looks whether it got what it
 * asked for, and whether errno is as it was. Ends with status 1 if anything is wrong:
 * {"blocks": N, "children": N, "wrong": 0}.
 */
#include <errno.h>
#include <malloc.h>
#include <sys/wait.h>

#include "workload.h"

#define HELD 64
#define CHILDREN 50
#define ERRNO 77 /* that of nothing that could happen here */
#define MARK 0x5a

struct held {
	unsigned char *block;
	size_t size;
};

struct worker {
	pthread_t thread;
	uint64_t steps;
	uint64_t random;
	uint64_t blocks;
	uint64_t wrong;
	struct held held[HELD];
};

static pthread_key_t at_end;

static void give_back_at_end(void *block)
{
	free(block);
	free(malloc(100));
}

static uint64_t chance(struct worker *worker, uint64_t below)
{
	worker->random = worker->random * 6364136223846793005ULL + 1442695040888963407ULL;
	return (worker->random >> 33) % below;
}

/* A block by one of the ways, its alignment, and whether it has to be zero. */
static void *get(unsigned int way, size_t size, size_t *alignment, bool *is_zero)
{
	void *block = NULL;

	*alignment = way < 4 ? 8 : way < 7 ? 256 : (size_t)sysconf(_SC_PAGESIZE);
	*is_zero = way == 1;
	switch (way) {
	case 0:
		return malloc(size);
	case 1:
		return calloc(size, 1);
	case 2:
		return realloc(NULL, size);
	case 3:
		return reallocarray(NULL, size, 1);
	case 4:
		return posix_memalign(&block, 256, size) ? NULL : block;
	case 5:
		return aligned_alloc(256, (size + 255) / 256 * 256);
	case 6:
		return memalign(256, size);
	default:
		return valloc(size);
	}
}

static void step(struct worker *worker)
{
	struct held *held = &worker->held[chance(worker, HELD)];
	size_t size = 1 + chance(worker, chance(worker, 50) ? 3000 : 300000), alignment = 8;
	bool is_zero = false, is_grown = held->block && chance(worker, 3) == 0;
	unsigned char first = MARK;

	if (held->block && (held->block[0] != MARK || held->block[held->size - 1] != MARK))
		worker->wrong++;
	errno = ERRNO;
	if (is_grown) {
		held->block = chance(worker, 2) ? realloc(held->block, size)
						: reallocarray(held->block, size, 1);
	} else {
		free(held->block);
		held->block = get((unsigned int)chance(worker, 8), size, &alignment, &is_zero);
		first = is_zero ? 0 : held->block[0];
	}
	worker->wrong += errno != ERRNO;
	worker->wrong += (uintptr_t)held->block % alignment;
	worker->wrong += is_grown ? held->block[0] != MARK : is_zero && first;
	held->size = size;
	held->block[0] = held->block[size - 1] = MARK;
	worker->blocks++;
}

static void *work(void *context)
{
	struct worker *worker = context;

	pthread_setspecific(at_end, malloc(50));
	for (uint64_t i = 0; i < worker->steps; i++)
		step(worker);
	for (unsigned int i = 0; i < HELD; i++)
		free(worker->held[i].block);
	return NULL;
}

/* Of what cannot be had the old block stays. */
static uint64_t ask_for_too_much(void)
{
	volatile size_t much = PTRDIFF_MAX;
	/* Compilers know that realloc() would have freed it. */
	char *volatile block = malloc(200000);
	uint64_t wrong = 0;

	strcpy(block, "kept");
	wrong += malloc(much) || calloc(much, 2) || realloc(block, much);
	wrong += reallocarray(block, much, 4) || (errno != ENOMEM);
	wrong += strcmp(block, "kept") != 0;
	free(block);
	return wrong;
}

static uint64_t fork_children(void)
{
	uint64_t wrong = 0;
	void *block;
	int status;

	for (unsigned int i = 0; i < CHILDREN; i++) {
		pid_t pid;

		block = malloc(100000);
		pid = fork();
		if (!pid) {
			struct worker worker = {.steps = 200, .random = i};

			free(block);
			work(&worker);
			_exit(worker.wrong != 0);
		}
		free(block);
		wrong += pid < 0 || waitpid(pid, &status, 0) != pid || status;
	}
	return wrong;
}

int main(int argc, char **argv)
{
	uint64_t steps = argument(argc, argv, 1, 20000), threads = argument(argc, argv, 2, 4);
	struct worker *workers = calloc(threads, sizeof(*workers));
	uint64_t blocks = 0, wrong;

	if (!workers || pthread_key_create(&at_end, give_back_at_end))
		die("calloc");
	for (uint64_t i = 0; i < threads; i++) {
		workers[i].steps = steps;
		workers[i].random = i;
		workers[i].thread = start_thread(work, &workers[i]);
	}
	wrong = fork_children() + ask_for_too_much();
	for (uint64_t i = 0; i < threads; i++) {
		pthread_join(workers[i].thread, NULL);
		blocks += workers[i].blocks;
		wrong += workers[i].wrong;
	}
	free(workers);
	printf("{\"blocks\":%llu,\"children\":%d,\"wrong\":%llu}\n", (unsigned long long)blocks,
		CHILDREN, (unsigned long long)wrong);
	return wrong != 0;
}
