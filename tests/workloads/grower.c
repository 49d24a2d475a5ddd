// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * grower [ROUNDS [NAP_MS]]: waits for a line, then makes its address space larger and smaller
 * ROUNDS times in a function for each way, by the system calls themselves, and naps after each
 * round. Says by function how many bytes in how many calls, and how much it has touched of what it
 * keeps:
 * {"pid": N, "sites": [{"name", "grown", "growths", "shrunk", "shrinks"}], "touched": N, "rss":
 * [N]} with the resident memory after each round, as the kernel says. Waits for another line. What
 * it keeps is all that grow_and_touch() maps, and the heap.
 */
#include <errno.h>
#include <sys/mman.h>

#include "workload.h"

#define PAGE 4096UL
#define BRK_BYTES (24 * PAGE)
#define MAP_BYTES (50 * PAGE)
#define TOUCHED_BYTES (512 * PAGE)
#define MOST_ROUNDS 1000

enum site { BY_BRK, BACK_BY_BRK, BY_MMAP, BY_MREMAP, BACK_BY_MREMAP, BY_MUNMAP, AND_TOUCH, SITES };

static struct {
	const char *name;
	uint64_t grown;
	uint64_t growths;
	uint64_t shrunk;
	uint64_t shrinks;
} sites[] = {
	[BY_BRK] = {.name = "grow_by_brk"},
	[BACK_BY_BRK] = {.name = "shrink_by_brk"},
	[BY_MMAP] = {.name = "grow_by_mmap"},
	[BY_MREMAP] = {.name = "grow_by_mremap"},
	[BACK_BY_MREMAP] = {.name = "shrink_by_mremap"},
	[BY_MUNMAP] = {.name = "shrink_by_munmap"},
	[AND_TOUCH] = {.name = "grow_and_touch"},
};

static uint64_t touched, rss[MOST_ROUNDS];

static long call(long number, long first, long second, long third, long fourth, long fifth)
{
	long result = syscall(number, first, second, third, fourth, fifth, 0);

	if (result == -1)
		die("a system call");
	return result;
}

static void grew(enum site site, uint64_t bytes)
{
	sites[site].grown += bytes;
	sites[site].growths++;
}

static void shrank(enum site site, uint64_t bytes)
{
	sites[site].shrunk += bytes;
	sites[site].shrinks++;
}

NAMED static void grow_by_brk(void)
{
	long end = call(SYS_brk, 0, 0, 0, 0, 0);

	if (call(SYS_brk, end + (long)BRK_BYTES, 0, 0, 0, 0) != end + (long)BRK_BYTES)
		die("brk");
	grew(BY_BRK, BRK_BYTES);
}

/* By a third of that. */
NAMED static void shrink_by_brk(void)
{
	long end = call(SYS_brk, 0, 0, 0, 0, 0), bytes = BRK_BYTES / 3;

	if (call(SYS_brk, end - bytes, 0, 0, 0, 0) != end - bytes)
		die("brk");
	shrank(BACK_BY_BRK, (uint64_t)bytes);
}

/* A part of a page is a page. */
NAMED static char *grow_by_mmap(void)
{
	long at = call(SYS_mmap, 0, MAP_BYTES - 100, PROT_READ | PROT_WRITE,
		MAP_PRIVATE | MAP_ANONYMOUS, -1);

	grew(BY_MMAP, MAP_BYTES);
	return (char *)at;
}

NAMED static char *grow_by_mremap(char *memory)
{
	long at = call(SYS_mremap, (long)memory, MAP_BYTES, 3 * MAP_BYTES, MREMAP_MAYMOVE, 0);

	grew(BY_MREMAP, 2 * MAP_BYTES);
	return (char *)at;
}

NAMED static void shrink_by_mremap(char *memory)
{
	call(SYS_mremap, (long)memory, 3 * MAP_BYTES, 2 * MAP_BYTES, 0, 0);
	shrank(BACK_BY_MREMAP, MAP_BYTES);
}

NAMED static void shrink_by_munmap(char *memory)
{
	call(SYS_munmap, (long)memory, 2 * MAP_BYTES, 0, 0, 0);
	shrank(BY_MUNMAP, 2 * MAP_BYTES);
}

NAMED static void grow_and_touch(void)
{
	char *memory = (char *)call(SYS_mmap, 0, TOUCHED_BYTES, PROT_READ | PROT_WRITE,
		MAP_PRIVATE | MAP_ANONYMOUS, -1);

	/* Page by page. Kernels without huge pages say that they know nothing of them. */
	madvise(memory, TOUCHED_BYTES, MADV_NOHUGEPAGE);
	for (size_t at = 0; at < TOUCHED_BYTES; at += PAGE)
		*(volatile char *)(memory + at) = 1;
	grew(AND_TOUCH, TOUCHED_BYTES);
	touched += TOUCHED_BYTES;
}

/* None of these changes anything. */
NAMED static void in_vain(char *memory)
{
	long much = 1L << 55;
	long end = syscall(SYS_brk, 0);

	if (syscall(SYS_mmap, 0, much, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) != -1 ||
		syscall(SYS_mmap, 0, PAGE, PROT_READ, MAP_PRIVATE, -1, 0) != -1 ||
		syscall(SYS_mremap, memory, MAP_BYTES, much, MREMAP_MAYMOVE) != -1 ||
		syscall(SYS_munmap, memory + 1, PAGE) != -1 || syscall(SYS_brk, much) != end)
		die("what cannot be had was had");
}

static uint64_t resident(void)
{
	unsigned long long size, pages;
	FILE *file = fopen("/proc/self/statm", "r");

	if (!file || fscanf(file, "%llu %llu", &size, &pages) != 2)
		die("statm");
	fclose(file);
	return pages * PAGE;
}

NAMED static void one_round(void)
{
	char *memory = grow_by_mmap();

	in_vain(memory);
	memory = grow_by_mremap(memory);
	shrink_by_mremap(memory);
	shrink_by_munmap(memory);
	grow_by_brk();
	shrink_by_brk();
	grow_and_touch();
}

int main(int argc, char **argv)
{
	uint64_t rounds = argument(argc, argv, 1, 10), nap_ms = argument(argc, argv, 2, 200);
	static char output[8192];

	if (rounds > MOST_ROUNDS)
		die("grower [ROUNDS [NAP_MS]]");
	setvbuf(stdout, output, _IOFBF, sizeof(output));
	/* The C library's own heap is there then. */
	resident();
	wait_for_go();
	for (uint64_t i = 0; i < rounds; i++) {
		one_round();
		rss[i] = resident();
		sleep_ns(nap_ms * NS_PER_MS);
	}
	printf("{\"pid\":%d,\"touched\":%llu,\"sites\":[", (int)getpid(),
		(unsigned long long)touched);
	for (size_t i = 0; i < SITES; i++)
		printf("%s{\"name\":\"%s\",\"grown\":%llu,\"growths\":%llu,\"shrunk\":%llu,"
		       "\"shrinks\":%llu}",
			i ? "," : "", sites[i].name, (unsigned long long)sites[i].grown,
			(unsigned long long)sites[i].growths, (unsigned long long)sites[i].shrunk,
			(unsigned long long)sites[i].shrinks);
	printf("],\"rss\":[");
	for (uint64_t i = 0; i < rounds; i++)
		printf("%s%llu", i ? "," : "", (unsigned long long)rss[i]);
	printf("]}\n");
	fflush(stdout);
	wait_for_go();
	return 0;
}
