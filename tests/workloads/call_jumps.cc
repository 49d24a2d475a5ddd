// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * call_jumps [COUNT]: waits for a line, then calls COUNT times functions that end by jumping to
 * others, as compilers make last calls; says {"sum", "thrown"}, and waits for another line.
 */
#include <cstdio>
#include <cstdlib>
#include <unistd.h>

#define ON_ITS_OWN __attribute__((noipa))
#define SLEEP_US 2000

extern "C" {

ON_ITS_OWN int sleeps(int number)
{
	usleep(SLEEP_US);
	return number + 1;
}

ON_ITS_OWN int jumps_on(int number)
{
	return sleeps(number + 1);
}

ON_ITS_OWN int jumps_twice(int number)
{
	return jumps_on(number + 1);
}

/* Jumps or returns. */
ON_ITS_OWN int may_jump(int number)
{
	return number & 1 ? sleeps(number) : number;
}

int is_odd(int number);

ON_ITS_OWN int is_even(int number)
{
	return number ? is_odd(number - 1) : 1;
}

ON_ITS_OWN int is_odd(int number)
{
	return number ? is_even(number - 1) : 0;
}

ON_ITS_OWN int may_throw(int number)
{
	if (number & 1)
		throw number;
	return number + 1;
}

ON_ITS_OWN int jumps_to_throw(int number)
{
	return may_throw(number + 1);
}

}

int main(int argc, char **argv)
{
	int count = argc > 1 ? atoi(argv[1]) : 1, sum = 0, thrown = 0;
	char byte;

	while (read(0, &byte, 1) == 1 && byte != '\n')
		;
	for (int i = 0; i < count; i++) {
		sum += jumps_twice(i) + may_jump(i) + is_even(4);
		try {
			sum += jumps_to_throw(i);
		} catch (int) {
			/* It is not this one that ends now. */
			sum += may_throw(2);
			thrown++;
		}
	}
	printf("{\"sum\":%d,\"thrown\":%d}\n", sum, thrown);
	fflush(stdout);
	while (read(0, &byte, 1) == 1 && byte != '\n')
		;
	return 0;
}
