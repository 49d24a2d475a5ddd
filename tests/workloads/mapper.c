// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Makes many executable mappings: argument 1 is how many (30000), argument 2 says of what: "file"
 * (this program, again and again), "files" (an empty file each), "memory" (every other page of an
 * area). Says when it is ready, is told by a line to map, says how many there are, and until its
 * input ends it naps, each time after it has mapped 20 pages anew.
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sys/mman.h>

#include "workload.h"

#define PAGE 4096UL
#define REMAPS 20

static bool map_file(int fd)
{
	void *at = mmap(NULL, PAGE, PROT_READ | PROT_EXEC, MAP_PRIVATE, fd, 0);

	return at != MAP_FAILED;
}

static void map_at(char *page)
{
	int flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED;

	if (mmap(page, PAGE, PROT_READ | PROT_EXEC, flags, -1, 0) == MAP_FAILED)
		die("mmap");
}

static bool map_own_file(char *area, uint64_t number)
{
	char name[64];
	int fd;

	(void)area;
	snprintf(name, sizeof(name), "mapped.%llu", (unsigned long long)number);
	fd = open(name, O_RDWR | O_CREAT | O_TRUNC, 0600);
	bool is_mapped = fd >= 0 && !ftruncate(fd, PAGE) && map_file(fd);
	close(fd);
	return is_mapped;
}

static bool map_program(char *area, uint64_t number)
{
	static int fd = -1;

	(void)area, (void)number;
	if (fd < 0)
		fd = open("/proc/self/exe", O_RDONLY);
	return map_file(fd);
}

static bool split_area(char *area, uint64_t number)
{
	return !mprotect(area + 2 * number * PAGE, PAGE, PROT_READ | PROT_EXEC);
}

NAMED static void nap_until_end(char *area)
{
	struct pollfd input = {.fd = STDIN_FILENO, .events = POLLIN};

	while (!poll(&input, 1, 0)) {
		sleep_ns(NS_PER_MS);
		for (int i = 0; i < REMAPS; i++)
			map_at(area);
	}
}

static void wait_for_line(void)
{
	char line[16];

	if (!fgets(line, sizeof(line), stdin))
		exit(0);
}

int main(int argc, char **argv)
{
	uint64_t count = argument(argc, argv, 1, 30000), made = 0;
	const char *of = argc > 2 ? argv[2] : "file";
	bool (*const one)(char *, uint64_t) = !strcmp(of, "memory")  ? split_area
					      : !strcmp(of, "files") ? map_own_file
								     : map_program;
	char *area = mmap(NULL, 2 * count * PAGE, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	printf("{\"pid\":%d}\n", getpid());
	fflush(stdout);
	wait_for_line();
	while (made < count && one(area, made))
		made++;
	printf("{\"made\":%llu}\n", (unsigned long long)made);
	fflush(stdout);
	nap_until_end(area);
	return 0;
}
