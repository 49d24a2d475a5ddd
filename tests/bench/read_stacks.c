// SPDX-License-Identifier: GPL-2.0-or-later
/* read_stacks FILE: reads a file of stacks as views do, adds up the weights and prints them. */
#include <inttypes.h>
#include <stdio.h>

#include "format/stacks.h"

struct total {
	uint64_t stacks;
	uint64_t frames;
	uint64_t weight;
};

static int add(const struct stack *stack, void *context)
{
	struct total *total = context;

	total->stacks++;
	total->frames += stack->depth;
	total->weight += stack->weight;
	return 0;
}

int main(int argc, char **argv)
{
	FILE *in = argc == 2 ? fopen(argv[1], "re") : NULL;
	struct total total = {0};
	struct stack_sink sink = {add, &total};
	struct skipped skipped = {0};
	struct stacks_asked asked = {0};
	struct stacks_told told = {0};
	struct why why = {""};

	if (!in || stacks_read(in, &asked, &sink, &skipped, &told, &why)) {
		fprintf(stderr, "read_stacks: %s\n", why.text);
		return 1;
	}
	printf("%s: %" PRIu64 " stacks, %" PRIu64 " frames, weight %" PRIu64 "; %" PRIu64
	       " lines skipped\n",
		stack_format_name(told.format), total.stacks, total.frames, total.weight,
		skipped_total(&skipped));
	stacks_told_clear(&told);
	fclose(in);
	return 0;
}
