// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * toucher [PAGES]: waits for a line, then touches PAGES fresh pages in touch_all() and has the
 * kernel write to PAGES more by read() in fill_all(). Says how many page faults the kernel counted
 * for each: {"pages": N, "touched": N, "filled": N}. Waits for another line.
 */
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/resource.h>

#include "workload.h"

static size_t page_bytes;

static long faults(void)
{
	struct rusage usage;

	if (getrusage(RUSAGE_THREAD, &usage))
		die("getrusage");
	return usage.ru_minflt + usage.ru_majflt;
}

/* Pages that nobody has touched, each to be mapped by itself. */
static char *fresh(uint64_t pages)
{
	size_t bytes = pages * page_bytes;
	char *memory =
		mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (memory == MAP_FAILED)
		die("mmap");
	/* Kernels without huge pages say that they know nothing of them. */
	madvise(memory, bytes, MADV_NOHUGEPAGE);
	return memory;
}

NAMED static long touch_all(volatile char *memory, uint64_t pages)
{
	long before = faults();

	for (uint64_t i = 0; i < pages; i++)
		memory[i * page_bytes] = 1;
	return faults() - before;
}

NAMED static long fill_all(char *memory, uint64_t pages)
{
	int zero = open("/dev/zero", O_RDONLY | O_CLOEXEC);
	long before = faults();

	for (uint64_t i = 0; i < pages; i++)
		if (read(zero, memory + i * page_bytes, page_bytes) != (ssize_t)page_bytes)
			die("read");
	return faults() - before;
}

int main(int argc, char **argv)
{
	uint64_t pages = argument(argc, argv, 1, 1000);
	char *first, *second;
	long touched, filled;

	page_bytes = (size_t)sysconf(_SC_PAGESIZE);
	first = fresh(pages);
	second = fresh(pages);
	wait_for_go();
	touched = touch_all(first, pages);
	filled = fill_all(second, pages);
	printf("{\"pages\":%llu,\"touched\":%ld,\"filled\":%ld}\n", (unsigned long long)pages,
		touched, filled);
	fflush(stdout);
	wait_for_go();
	return 0;
}
