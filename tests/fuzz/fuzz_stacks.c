// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Any bytes as a file of stacks: found out, read, handed over; never a crash, a hang or a frame
 * that breaks the sink's contract. Weights that are handed over fit 63 bits.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "format/stacks.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static int add(const struct stack *stack, void *context)
{
	uint64_t *bytes = context;

	if (!stack->depth || stack->depth > STACKS_MAX_DEPTH || stack->weight > INT64_MAX ||
		!stack->unit)
		abort();
	for (size_t i = 0; i < stack->depth; i++) {
		const struct stack_frame *frame = &stack->frames[i];
		if (!frame->length || strlen(frame->name) != frame->length || !frame->object)
			abort();
		*bytes += frame->length;
	}
	return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	uint64_t bytes = 0;
	struct stack_sink sink = {add, &bytes};
	struct skipped skipped = {0};
	struct why why = {""};
	FILE *in = size ? fmemopen((void *)(uintptr_t)data, size, "r") : NULL;

	if (!in)
		return 0;
	stacks_read(in, &sink, &skipped, NULL, &why);
	free(skipped_words(&skipped));
	fclose(in);
	return 0;
}
