// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * event_loop write|call|fault [COUNT]: waits for a line, then writes a byte to /dev/null, calls a
 * function or touches a fresh page so often, from below some frames. Says what each took of CPU
 * time:
 * {"count": N, "ns": 115.0}.
 */
#include <fcntl.h>
#include <sys/mman.h>

#include "workload.h"

#define PAGE_BYTES 4096
#define PAGES_AT_ONCE 20000
#define FRAMES 10

__attribute__((noinline, noclone)) void called(uint64_t number)
{
	/* Begins with a push, as most functions do. */
	__asm__ volatile("" : : "r"(number) : "memory", "rbx");
}

NAMED static void write_all(uint64_t count)
{
	int fd = open("/dev/null", O_WRONLY | O_CLOEXEC);

	for (uint64_t i = 0; i < count; i++)
		if (write(fd, "x", 1) != 1)
			die("write");
	close(fd);
}

NAMED static void call_all(uint64_t count)
{
	for (uint64_t i = 0; i < count; i++)
		called(i);
}

NAMED static void touch_all(uint64_t count)
{
	for (uint64_t done = 0; done < count; done += PAGES_AT_ONCE) {
		size_t bytes = (size_t)PAGES_AT_ONCE * PAGE_BYTES;
		volatile char *memory = mmap(
			NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

		if (memory == MAP_FAILED)
			die("mmap");
		madvise((void *)memory, bytes, MADV_NOHUGEPAGE);
		for (size_t at = 0; at < bytes; at += PAGE_BYTES)
			memory[at] = 1;
		munmap((void *)memory, bytes);
	}
}

NAMED static void deeper(unsigned int frames, void (*loop)(uint64_t count), uint64_t count)
{
	if (frames)
		deeper(frames - 1, loop, count);
	else
		loop(count);
	__asm__ volatile("" ::: "memory");
}

int main(int argc, char **argv)
{
	const char *what = argc > 1 ? argv[1] : "call";
	uint64_t count = argument(argc, argv, 2, 100000), begun;

	wait_for_go();
	begun = cpu_ns();
	deeper(FRAMES,
		!strcmp(what, "write")   ? write_all
		: !strcmp(what, "fault") ? touch_all
					 : call_all,
		count);
	printf("{\"count\": %llu, \"ns\": %.2f}\n", (unsigned long long)count,
		(double)(cpu_ns() - begun) / (double)count);
	return 0;
}
