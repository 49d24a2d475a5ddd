// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * many_functions [ROUNDS]: waits for a line, then calls each of its 1,000 functions f_0000() to
 * f_0999() ROUNDS times. Says {"pid", "calls"} and waits for another line.
 */
#include "workload.h"

#define TEN(each, digits)                                                                          \
	each(digits##0) each(digits##1) each(digits##2) each(digits##3) each(digits##4)            \
		each(digits##5) each(digits##6) each(digits##7) each(digits##8) each(digits##9)
/* A macro does not stand for itself within itself. */
#define TEN_AGAIN(each, digits)                                                                    \
	each(digits##0) each(digits##1) each(digits##2) each(digits##3) each(digits##4)            \
		each(digits##5) each(digits##6) each(digits##7) each(digits##8) each(digits##9)
#define TEN_AT_LAST(each, digits)                                                                  \
	each(digits##0) each(digits##1) each(digits##2) each(digits##3) each(digits##4)            \
		each(digits##5) each(digits##6) each(digits##7) each(digits##8) each(digits##9)

static volatile uint64_t calls;

#define FUNCTION(number)                                                                           \
	NAMED void f_##number(void)                                                                \
	{                                                                                          \
		calls++;                                                                           \
	}
#define FUNCTIONS_OF_TEN(digits) TEN(FUNCTION, digits)
#define FUNCTIONS_OF_HUNDRED(digits) TEN_AGAIN(FUNCTIONS_OF_TEN, digits)
TEN_AT_LAST(FUNCTIONS_OF_HUNDRED, 0)

#define NAME(number) f_##number,
#define NAMES_OF_TEN(digits) TEN(NAME, digits)
#define NAMES_OF_HUNDRED(digits) TEN_AGAIN(NAMES_OF_TEN, digits)
static void (*const functions[])(void) = {TEN_AT_LAST(NAMES_OF_HUNDRED, 0)};

int main(int argc, char **argv)
{
	uint64_t rounds = argument(argc, argv, 1, 100);

	wait_for_go();
	for (uint64_t i = 0; i < rounds; i++)
		for (size_t j = 0; j < sizeof(functions) / sizeof(functions[0]); j++)
			functions[j]();
	printf("{\"pid\":%d,\"calls\":%llu}\n", (int)getpid(), (unsigned long long)calls);
	fflush(stdout);
	wait_for_go();
	return 0;
}
