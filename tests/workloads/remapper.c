// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * remapper COUNT [US]: maps its own program once more, as code, COUNT times, sleeps US us in
 * between, and takes away the oldest copy when 64 are there, as programs do that load and unload
 * modules. Prints
 * {"pid", "count", "wall_ns"}.
 */
#include "workload.h"

#include <fcntl.h>
#include <sys/mman.h>

enum { COPIES = 64 };

int main(int argc, char **argv)
{
	uint64_t count = argument(argc, argv, 1, 1000),
		 nap_ns = argument(argc, argv, 2, 500) * 1000;
	uint64_t start_ns = wall_ns();
	int file = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
	off_t length = lseek(file, 0, SEEK_END);
	void *copies[COPIES] = {0};

	if (file < 0 || length <= 0)
		die("remapper");
	for (uint64_t i = 0; i < count; i++) {
		void **copy = &copies[i % COPIES];
		if (*copy)
			munmap(*copy, (size_t)length);
		*copy = mmap(NULL, (size_t)length, PROT_READ | PROT_EXEC, MAP_PRIVATE, file, 0);
		if (*copy == MAP_FAILED)
			die("mmap");
		sleep_ns(nap_ns);
	}
	printf("{\"pid\":%d,\"count\":%llu,\"wall_ns\":%llu}\n", (int)getpid(),
		(unsigned long long)count, (unsigned long long)(wall_ns() - start_ns));
	return 0;
}
