// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Any bytes as a file of stacks: found out, read, handed over; never a crash, a hang or a frame
 * that breaks the sink's contract. Weights that are handed over fit 63 bits.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "format/stacks.h"
#include "util/hash.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* The stack before, as hashes of its beginnings: of one frame, of two, ... */
struct before {
	uint64_t *hashes;
	size_t depth;
};

static int add(const struct stack *stack, void *context)
{
	struct before *before = context;
	uint64_t *hashes = stack->depth > STACKS_MAX_DEPTH
				   ? NULL
				   : malloc((stack->depth + 1) * sizeof(*hashes)),
		 hash = 0;

	if (!hashes || stack->shared > stack->depth || stack->shared > before->depth)
		abort();
	if (!stack->depth || stack->depth > STACKS_MAX_DEPTH || stack->weight > INT64_MAX ||
		!stack->unit)
		abort();
	for (size_t i = 0; i < stack->depth; i++) {
		const struct stack_frame *frame = &stack->frames[i];
		if (!frame->length || strlen(frame->name) != frame->length || !frame->object)
			abort();
		hash = hashes[i] = hash_bytes(hash, frame->name, frame->length);
		if (i < stack->shared && hash != before->hashes[i])
			abort();
	}
	free(before->hashes);
	before->hashes = hashes;
	before->depth = stack->depth;
	return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct before before = {0};
	struct stack_sink sink = {add, &before};
	struct skipped skipped = {0};
	struct stacks_asked asked = {.has_suffixes = size & 1};
	struct stacks_told told = {0};
	struct why why = {""};
	FILE *in = size ? fmemopen((void *)(uintptr_t)data, size, "r") : NULL;

	if (!in)
		return 0;
	stacks_read(in, &asked, &sink, &skipped, &told, &why);
	stacks_told_clear(&told);
	free(skipped_words(&skipped));
	free(before.hashes);
	fclose(in);
	return 0;
}
