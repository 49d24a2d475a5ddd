// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * allocate [BYTES [THREADS [SECONDS [SITE]]]]: THREADS threads allocate about BYTES in all, in the
 * functions site_00 to site_49, as fast as they can or spread over SECONDS. Each block is freed
 * before its thread has made 512 more, but for those of one SITE (17) that are never freed: 1 % of
 * the bytes so far, at any time. Before that, fill_cache() makes 20 MiB that are kept, too.
 *
 * A site has sizes of its own between 16 B and 64 KiB and one way to get them: malloc, calloc,
 * realloc (of a block of half the size, which counts as well), posix_memalign or aligned_alloc. The
 * line has what the program asked for and gave back, by site.
 */
#include "workload.h"

#define SITES 50
#define PENDING 512
#define CACHE_BLOCKS 320
#define CACHE_BLOCK_BYTES 65536
#define PACES 200 /* how often a thread looks whether it is too early */

struct sums {
	uint64_t bytes;
	uint64_t allocations;
	uint64_t freed_bytes;
	uint64_t frees;
};

struct block {
	void *address;
	size_t size;
	unsigned int site;
	unsigned int after; /* index of the next block of the same turn, from 1 */
};

struct allocator {
	uint64_t bytes; /* to be allocated */
	uint64_t duration_ns;
	uint64_t random;
	unsigned int leaking;
	uint64_t allocated;
	uint64_t leaked;
	struct sums sums[SITES];
	/* No more than PENDING - 1 wait, and block i % PENDING is free when block i is made. */
	struct block blocks[PENDING];
	unsigned int turns[PENDING];
};

/* What was allocated before its end is in view. */
static void *cache[CACHE_BLOCKS];

enum way { BY_MALLOC, BY_CALLOC, BY_REALLOC, BY_POSIX_MEMALIGN, BY_ALIGNED_ALLOC };

static enum way way_of(unsigned int site)
{
	static const enum way ways[10] = {
		[1] = BY_CALLOC, [3] = BY_REALLOC, [5] = BY_POSIX_MEMALIGN, [9] = BY_ALIGNED_ALLOC};

	return ways[site % 10];
}

__attribute__((always_inline)) static inline void *allocate(unsigned int site, size_t size)
{
	void *address = NULL;

	switch (way_of(site)) {
	case BY_MALLOC:
		address = malloc(size);
		break;
	case BY_CALLOC:
		address = calloc(size / 8, 8);
		break;
	case BY_REALLOC:
		address = realloc(malloc(size / 2), size);
		break;
	case BY_POSIX_MEMALIGN:
		if (posix_memalign(&address, 64, size))
			address = NULL;
		break;
	case BY_ALIGNED_ALLOC:
		address = aligned_alloc(16, size);
		break;
	}
	if (!address)
		die("allocate");
	*(volatile char *)address = 1;
	return address;
}

#define SITE(number)                                                                               \
	NAMED static void *site_##number(size_t size)                                              \
	{                                                                                          \
		return allocate(1##number - 100, size);                                            \
	}
#define TEN(X, ten)                                                                                \
	X(ten##0)                                                                                  \
	X(ten##1) X(ten##2) X(ten##3) X(ten##4) X(ten##5) X(ten##6) X(ten##7) X(ten##8) X(ten##9)
#define ALL(X) TEN(X, 0) TEN(X, 1) TEN(X, 2) TEN(X, 3) TEN(X, 4)
#define ADDRESS(number) site_##number,

ALL(SITE)
static void *(*const sites[SITES])(size_t) = {ALL(ADDRESS)};

static uint64_t chance(struct allocator *allocator, uint64_t below)
{
	allocator->random = allocator->random * 6364136223846793005ULL + 1442695040888963407ULL;
	return (allocator->random >> 33) % below;
}

/* A multiple of 16 from half of the site's largest size on. */
static size_t size_of(struct allocator *allocator, unsigned int site)
{
	size_t most = site == allocator->leaking ? 512 : (size_t)1 << (site % 13);
	size_t least = (most + 1) / 2;

	return 16 * (least + chance(allocator, most - least + 1));
}

static void *make(struct allocator *allocator, unsigned int site, size_t size)
{
	struct sums *sums = &allocator->sums[site];
	uint64_t before = sums->bytes;

	if (way_of(site) == BY_REALLOC) {
		sums->bytes += size / 2;
		sums->freed_bytes += size / 2;
		sums->allocations++;
		sums->frees++;
	}
	sums->bytes += size;
	sums->allocations++;
	allocator->allocated += sums->bytes - before;
	return sites[site](size);
}

static void end_turn(struct allocator *allocator, unsigned int turn)
{
	for (unsigned int next = allocator->turns[turn]; next;) {
		struct block *block = &allocator->blocks[next - 1];
		struct sums *sums = &allocator->sums[block->site];

		free(block->address);
		sums->freed_bytes += block->size;
		sums->frees++;
		next = block->after;
	}
	allocator->turns[turn] = 0;
}

static void leak(struct allocator *allocator)
{
	while (allocator->leaked * 100 < allocator->allocated) {
		size_t size = size_of(allocator, allocator->leaking);
		make(allocator, allocator->leaking, size);
		allocator->leaked += size;
	}
}

static void one_step(struct allocator *allocator, uint64_t step)
{
	unsigned int index = (unsigned int)(step % PENDING);
	struct block *block = &allocator->blocks[index];
	unsigned int turn = (unsigned int)((step + 1 + chance(allocator, PENDING - 1)) % PENDING);

	end_turn(allocator, index);
	block->site = (unsigned int)chance(allocator, SITES);
	block->size = size_of(allocator, block->site);
	block->address = make(allocator, block->site, block->size);
	block->after = allocator->turns[turn];
	allocator->turns[turn] = index + 1;
	leak(allocator);
}

static void *allocate_all(void *context)
{
	struct allocator *allocator = context;
	uint64_t start = wall_ns(), piece = allocator->bytes / PACES + 1, paced = 0;

	set_name("allocator");
	for (uint64_t step = 0; allocator->allocated < allocator->bytes; step++) {
		one_step(allocator, step);
		if (allocator->duration_ns && allocator->allocated >= paced + piece) {
			uint64_t due, now = wall_ns();

			paced = allocator->allocated / piece * piece;
			due = start + allocator->duration_ns / PACES * (paced / piece);
			if (due > now)
				sleep_ns(due - now);
		}
	}
	for (unsigned int turn = 0; turn < PENDING; turn++)
		end_turn(allocator, turn);
	return NULL;
}

NAMED static void fill_cache(void)
{
	for (unsigned int i = 0; i < CACHE_BLOCKS; i++) {
		cache[i] = malloc(CACHE_BLOCK_BYTES);
		if (!cache[i])
			die("malloc");
		*(volatile char *)cache[i] = 1;
	}
}

static void print_sums(const char *name, const struct sums *sums)
{
	printf("{\"name\":\"%s\",\"bytes\":%llu,\"allocations\":%llu,\"freed_bytes\":%llu,"
	       "\"frees\":%llu,\"outstanding_bytes\":%llu,\"outstanding\":%llu}",
		name, (unsigned long long)sums->bytes, (unsigned long long)sums->allocations,
		(unsigned long long)sums->freed_bytes, (unsigned long long)sums->frees,
		(unsigned long long)(sums->bytes - sums->freed_bytes),
		(unsigned long long)(sums->allocations - sums->frees));
}

static void print_all(const struct allocator *allocators, uint64_t threads)
{
	static const struct sums cached = {
		.bytes = (uint64_t)CACHE_BLOCKS * CACHE_BLOCK_BYTES, .allocations = CACHE_BLOCKS};

	printf("{\"pid\":%d,\"threads\":%llu,\"leaking\":\"site_%02u\",\"sites\":[", (int)getpid(),
		(unsigned long long)threads, allocators->leaking);
	for (unsigned int site = 0; site < SITES; site++) {
		struct sums sum = {0};
		char name[16];

		for (uint64_t i = 0; i < threads; i++) {
			const struct sums *sums = &allocators[i].sums[site];
			sum.bytes += sums->bytes;
			sum.allocations += sums->allocations;
			sum.freed_bytes += sums->freed_bytes;
			sum.frees += sums->frees;
		}
		snprintf(name, sizeof(name), "site_%02u", site);
		print_sums(name, &sum);
		putchar(',');
	}
	print_sums("fill_cache", &cached);
	printf("]}\n");
	fflush(stdout);
}

int main(int argc, char **argv)
{
	uint64_t bytes = argument(argc, argv, 1, 1000000000);
	uint64_t threads = argument(argc, argv, 2, 2);
	uint64_t seconds = argument(argc, argv, 3, 0);
	uint64_t leaking = argument(argc, argv, 4, 17);
	struct allocator *allocators;
	pthread_t *ids;

	if (!threads || threads > 1000 || leaking >= SITES)
		die("allocate [BYTES [THREADS [SECONDS [SITE]]]]");
	allocators = calloc(threads, sizeof(*allocators));
	ids = calloc(threads, sizeof(*ids));
	if (!allocators || !ids)
		die("calloc");
	fill_cache();
	for (uint64_t i = 0; i < threads; i++) {
		allocators[i].bytes = bytes / threads;
		allocators[i].duration_ns = seconds * NS_PER_S;
		allocators[i].random = i + 1;
		allocators[i].leaking = (unsigned int)leaking;
		ids[i] = start_thread(allocate_all, &allocators[i]);
	}
	for (uint64_t i = 0; i < threads; i++)
		pthread_join(ids[i], NULL);
	print_all(allocators, threads);
	free(ids);
	free(allocators);
	return 0;
}
