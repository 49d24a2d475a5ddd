/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Reads a text of stacks and writes what came back as folded lines, for the tests of the readers.
 */
#ifndef DWELL_TESTS_STACKS_TEXT_H
#define DWELL_TESTS_STACKS_TEXT_H

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "format/stacks.h"
#include "util/mem.h"

struct read_text {
	char *folded;
	char unit[32];
	uint64_t stacks;
	size_t deepest;
	size_t longest;
	uint64_t weight;
	struct skipped skipped;
	struct stacks_told told;
	enum stack_format format;
	uint64_t count;
	struct why why;
	int error;
	FILE *out;
};

static int read_text_add(const struct stack *stack, void *context)
{
	struct read_text *text = context;

	for (size_t i = 0; i < stack->depth; i++) {
		assert_int_equal(strlen(stack->frames[i].name), stack->frames[i].length);
		assert_true(stack->frames[i].length > 0);
		if (stack->frames[i].length > text->longest)
			text->longest = stack->frames[i].length;
		fprintf(text->out, "%s%s%s", i ? ";" : "", stack->frames[i].name,
			stack->frames[i].is_kernel ? "@k" : "");
	}
	if (stack->before)
		fprintf(text->out, " %" PRIu64, stack->before);
	fprintf(text->out, " %" PRIu64 "\n", stack->weight);
	snprintf(text->unit, sizeof(text->unit), "%s", stack->unit);
	text->stacks++;
	text->count += stack->count;
	text->weight += stack->weight;
	if (stack->depth > text->deepest)
		text->deepest = stack->depth;
	return 0;
}

/* Free .folded and clear .told. */
static struct read_text read_asked(
	const void *bytes, size_t length, const struct stacks_asked *asked)
{
	struct read_text text = {0};
	struct stack_sink sink = {read_text_add, &text};
	FILE *in =
		length ? fmemopen((void *)(uintptr_t)bytes, length, "r") : fopen("/dev/null", "r");
	size_t size;

	assert_non_null(in);
	text.out = open_memstream(&text.folded, &size);
	assert_non_null(text.out);
	text.error = stacks_read(in, asked, &sink, &text.skipped, &text.told, &text.why);
	text.format = text.told.format;
	fclose(text.out);
	fclose(in);
	return text;
}

/* The usual; free .folded. */
static inline struct read_text read_bytes(const void *bytes, size_t length)
{
	struct stacks_asked asked = {0};
	struct read_text text = read_asked(bytes, length, &asked);

	stacks_told_clear(&text.told);
	return text;
}

static inline struct read_text read_string(const char *string)
{
	return read_bytes(string, strlen(string));
}

#endif
