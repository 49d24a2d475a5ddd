// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * hasty: waits for a line, then allocates as fast as it can, until there is another one: a block
 * that is filled, held while 63 more are made, and looked at before it is freed or made larger.
 * {"blocks": N, "wrong": 0}, which are those that have not what was written to them.
 */
#include "workload.h"

#define HELD 64

static volatile bool is_over;

static void *wait_for_end(void *context)
{
	wait_for_go();
	is_over = true;
	return context;
}

struct block {
	unsigned char *bytes;
	size_t size;
	unsigned char mark;
};

static uint64_t wrong;

static void look_at(const struct block *block)
{
	for (size_t i = 0; i < block->size; i++)
		wrong += block->bytes[i] != block->mark;
}

NAMED static void one_more(struct block *block, uint64_t number)
{
	size_t size = 16 + number * 37 % 500;

	look_at(block);
	if (number % 3) {
		free(block->bytes);
		block->bytes = malloc(size);
	} else {
		block->bytes = realloc(block->bytes, size);
	}
	if (!block->bytes)
		die("malloc");
	block->size = size;
	block->mark = (unsigned char)number;
	memset(block->bytes, block->mark, size);
}

int main(void)
{
	struct block held[HELD] = {0};
	uint64_t blocks = 0;
	pthread_t waiter;

	wait_for_go();
	waiter = start_thread(wait_for_end, NULL);
	for (; !is_over; blocks++)
		one_more(&held[blocks % HELD], blocks);
	pthread_join(waiter, NULL);
	for (size_t i = 0; i < HELD; i++)
		look_at(&held[i]);
	printf("{\"blocks\":%llu,\"wrong\":%llu}\n", (unsigned long long)blocks,
		(unsigned long long)wrong);
	return 0;
}
