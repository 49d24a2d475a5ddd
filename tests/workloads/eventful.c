// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * eventful [COUNT]: waits for a line, then makes COUNT events of each kind: writes of known sizes
 * and one that fails, calls of weigh() with known arguments and results, and a mark (USDT) in two
 * places whose arguments are in a register, a constant and memory; its notes are written as
 * sys/sdt.h writes them. Says {"count": N, "bytes": written, "results": sum of those above 0}.
 * Waits for another line.
 */
#include <fcntl.h>

#include "mark.h"
#include "workload.h"

/* What the mark's last argument is read from. */
static volatile long long weighed;

#define NOTE(arguments) MARK("eventful", "step", arguments)

/* arg1 in a register, arg2 a constant, arg3 in memory. */
NAMED static void pass_mark(long long number)
{
	weighed = 2 * number;
	__asm__ volatile(NOTE("-8@%%rbx -4@$7 -8@(%%rcx)")
			 :
			 : "b"(number), "c"(&weighed)
			 : "memory");
}

/* The same mark in another place, with its number elsewhere. */
NAMED static void pass_mark_elsewhere(long long number)
{
	register long long held __asm__("r12") = number;

	weighed = 2 * number;
	__asm__ volatile(NOTE("-8@%%r12 -4@$7 -8@8(%%rdx)")
			 :
			 : "r"(held), "d"((const volatile char *)&weighed - 8)
			 : "memory");
}

__attribute__((noinline, noclone)) long weigh(long number, long factor)
{
	__asm__ volatile("" : "+r"(number), "+r"(factor));
	return number % 10 ? number * factor : -1;
}

/* Fails for every tenth number. */
NAMED static long weigh_all(long count)
{
	long sum = 0;

	for (long i = 1; i <= count; i++) {
		long result = weigh(i, 3);
		sum += result > 0 ? result : 0;
	}
	return sum;
}

NAMED static long long write_all(int fd, long count)
{
	static char room[4096];
	long long bytes = 0;

	for (long i = 0; i < count; i++)
		bytes += write(fd, room, (size_t)(i % 4096));
	/* An error is an event, too, and brings no bytes. */
	if (write(-1, room, 1) >= 0)
		abort();
	return bytes;
}

int main(int argc, char **argv)
{
	long count = (long)argument(argc, argv, 1, 1000);
	int fd = open("/dev/null", O_WRONLY | O_CLOEXEC);

	if (getchar() == EOF)
		return 0;
	long long bytes = write_all(fd, count);
	long results = weigh_all(count);
	for (long i = 1; i <= count; i++)
		if (i % 2)
			pass_mark(i);
		else
			pass_mark_elsewhere(i);
	printf("{\"count\": %ld, \"bytes\": %lld, \"results\": %ld}\n", count, bytes, results);
	fflush(stdout);
	return getchar() == EOF ? 0 : 1;
}
