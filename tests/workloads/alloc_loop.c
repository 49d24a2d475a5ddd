// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * alloc_loop [ITERATIONS [FILL [SMALL]]]: waits for a line, then gets a block, touches both its
 * ends (with FILL 1: writes all of it, as programs do) and gives it back, from four functions in
 * turns. Sizes are 24 B to 4 KiB, each as often as the next; with SMALL 1 each power of two as
 * often as the next, and with more the small ones more often still, as most programs have many
 * small blocks and few large (3: 330 B on average). What a turn took of CPU time is in ns:
 * {"iterations": N, "mean_bytes": 795, "ns": 28.1}.
 */
#include <math.h>

#include "workload.h"

#define SIZES 1024 /* drawn before, so that drawing is not measured */

static size_t sizes[SIZES];
static bool is_filled;

#define SITE(name)                                                                                 \
	NAMED static void name(size_t size)                                                        \
	{                                                                                          \
		char *block = malloc(size);                                                        \
                                                                                                   \
		if (!block)                                                                        \
			die("malloc");                                                             \
		if (is_filled)                                                                     \
			memset(block, 1, size);                                                    \
		/* Nobody reads it, but that is not known here. */                                 \
		__asm__ volatile("" : : "r"(block) : "memory");                                    \
		*(volatile char *)block = 1;                                                       \
		*(volatile char *)(block + size - 1) = 1;                                          \
		free(block);                                                                       \
	}

SITE(parse_request)
SITE(look_up)
SITE(build_answer)
SITE(write_log)

int main(int argc, char **argv)
{
	uint64_t iterations = argument(argc, argv, 1, 10000000), random = 1, start, taken, sum = 0;

	uint64_t small = argument(argc, argv, 3, 0);
	for (size_t i = 0; i < SIZES; i++) {
		random = random * 6364136223846793005ULL + 1442695040888963407ULL;
		double chance = (double)(random >> 33) / 0x1p31;
		sizes[i] = small ? (size_t)(24 * exp(pow(chance, (double)small) * log(4096 / 24.0)))
				 : (size_t)(24 + chance * (4096 - 24));
		sum += sizes[i];
	}
	is_filled = argument(argc, argv, 2, 0);
	iterations = (iterations + 3) / 4 * 4;
	wait_for_go();
	start = cpu_ns();
	for (uint64_t i = 0; i < iterations; i += 4) {
		const size_t *four = &sizes[i % SIZES];

		parse_request(four[0]);
		look_up(four[1]);
		build_answer(four[2]);
		write_log(four[3]);
	}
	taken = cpu_ns() - start;
	printf("{\"iterations\":%llu,\"mean_bytes\":%llu,\"ns\":%.2f}\n",
		(unsigned long long)iterations, (unsigned long long)sum / SIZES,
		(double)taken / (double)iterations);
	return 0;
}
