// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * cold FILE [PAGES]: makes a file of so many pages (200) and maps it, waits for a line, takes it
 * out of memory and touches each page in touch_cold(), none of which is to bring others with it;
 * then ten times as many fresh pages of memory in touch_fresh(). Says how many page faults the
 * kernel counted there, and how long touch_cold() took:
 * {"pid": N, "tid": N, "cold": {"major": N, "minor": N, "wall_ns": N}, "fresh": {...}}.
 * Waits for another line.
 */
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/resource.h>

#include "workload.h"

#define PAGE 4096UL
#define FRESH 10 /* pages of memory for each of the file */

struct faults {
	long major;
	long minor;
	uint64_t wall_ns;
};

static struct faults now(void)
{
	struct rusage usage;

	if (getrusage(RUSAGE_THREAD, &usage))
		die("getrusage");
	return (struct faults){usage.ru_majflt, usage.ru_minflt, wall_ns()};
}

static struct faults since(struct faults before)
{
	struct faults after = now();

	return (struct faults){after.major - before.major, after.minor - before.minor,
		after.wall_ns - before.wall_ns};
}

static int make_file(const char *path, size_t bytes)
{
	int fd = open(path, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	char page[PAGE];

	memset(page, 1, sizeof(page));
	for (size_t at = 0; fd >= 0 && at < bytes; at += PAGE)
		if (write(fd, page, PAGE) != (ssize_t)PAGE)
			die("write");
	if (fd < 0 || fsync(fd))
		die(path);
	return fd;
}

/* From both ends by turns, so that no page is read ahead. */
NAMED static struct faults touch_cold(const volatile char *file, size_t pages)
{
	struct faults before = now();

	for (size_t i = 0; i < pages; i++)
		(void)file[(i % 2 ? pages - 1 - i / 2 : i / 2) * PAGE];
	return since(before);
}

NAMED static struct faults touch_fresh(volatile char *memory, size_t pages)
{
	struct faults before = now();

	for (size_t i = 0; i < pages; i++)
		memory[i * PAGE] = 1;
	return since(before);
}

static void print_faults(const char *name, struct faults faults)
{
	printf(",\"%s\":{\"major\":%ld,\"minor\":%ld,\"wall_ns\":%llu}", name, faults.major,
		faults.minor, (unsigned long long)faults.wall_ns);
}

int main(int argc, char **argv)
{
	size_t pages = argument(argc, argv, 2, 200), bytes = pages * PAGE;
	struct faults cold, fresh;
	int fd;

	if (argc < 2)
		die("cold FILE [PAGES]");
	fd = make_file(argv[1], bytes);
	char *file = mmap(NULL, bytes, PROT_READ, MAP_SHARED, fd, 0);
	char *memory = mmap(
		NULL, FRESH * bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (file == MAP_FAILED || memory == MAP_FAILED || madvise(file, bytes, MADV_RANDOM))
		die("mmap");
	/* Kernels without huge pages say that they know nothing of them. */
	madvise(memory, FRESH * bytes, MADV_NOHUGEPAGE);
	wait_for_go();
	if (posix_fadvise(fd, 0, 0, POSIX_FADV_DONTNEED))
		die("posix_fadvise");
	cold = touch_cold(file, pages);
	fresh = touch_fresh(memory, FRESH * pages);
	printf("{\"pid\":%d,\"tid\":%d", (int)getpid(), own_tid());
	print_faults("cold", cold);
	print_faults("fresh", fresh);
	printf("}\n");
	fflush(stdout);
	wait_for_go();
	return 0;
}
