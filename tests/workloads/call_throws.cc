// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * call_throws [COUNT]: waits for a line, then calls may_throw() 2 * COUNT times, of which each
 * second one throws, and catches all exceptions. Says {"calls", "thrown", "sum"}; the sum is
 * COUNT * COUNT if each was where it should be. Waits for another line.
 */
#include <cstdio>
#include <cstdlib>
#include <stdexcept>
#include <unistd.h>

struct odd : std::runtime_error {
	long number;
	explicit odd(long which) : std::runtime_error("odd"), number(which)
	{
	}
};

/* An exception has to clean up on its way out of the function that throws it. */
struct counted {
	static long alive;
	counted()
	{
		alive++;
	}
	~counted()
	{
		alive--;
	}
};
long counted::alive;

extern "C" __attribute__((noipa)) long may_throw(long number)
{
	counted one;

	if (number & 1)
		throw odd(number);
	return number;
}

static void wait_for_go()
{
	char byte;

	while (read(0, &byte, 1) == 1 && byte != '\n')
		;
}

int main(int argc, char **argv)
{
	long count = argc > 1 ? atol(argv[1]) : 10000, thrown = 0, sum = 0;

	wait_for_go();
	for (long i = 0; i < 2 * count; i++) {
		try {
			sum += may_throw(i) - i;
		} catch (const odd &error) {
			thrown++;
			sum += error.number;
		}
	}
	printf("{\"pid\":%d,\"calls\":%ld,\"thrown\":%ld,\"sum\":%ld}\n", (int)getpid(), 2 * count,
		thrown, sum + counted::alive);
	fflush(stdout);
	wait_for_go();
	return 0;
}
