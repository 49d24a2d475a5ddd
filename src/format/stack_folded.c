// SPDX-License-Identifier: GPL-2.0-or-later
/* Folded lines, "a;b;c 12", and those of difffolded.pl, "a;b;c 12 15". */
#include <string.h>

#include "format/stack_readers.h"

struct folded_reader {
	struct stack_builder *builder;
	bool is_diff;
	uint64_t fraction[2]; /* carried from line to line */
	VEC(char) before;     /* the stack before, with its frames cut apart */
};

/* Takes the last word off a line. */
static const char *take_word(const char *text, size_t *length, size_t *ret_length)
{
	size_t end = *length;

	while (end && (text[end - 1] == ' ' || text[end - 1] == '\t'))
		end--;
	size_t start = end;
	while (start && text[start - 1] != ' ' && text[start - 1] != '\t')
		start--;
	*ret_length = end - start;
	*length = start;
	return text + start;
}

static bool is_kernel_frame(const char *name, size_t length)
{
	return length > 4 && !memcmp(name + length - 4, "_[k]", 4);
}

/* Cuts the text at each ';' in place. */
static void split(struct stack_builder *builder, char *text, size_t length)
{
	char *at = text, *end = text + length;

	while (at < end) {
		char *next = memchr(at, ';', (size_t)(end - at));
		if (!next)
			next = end;
		*next = 0;
		size_t bytes = (size_t)(next - at);
		struct stack_frame frame = {at, bytes, "", is_kernel_frame(at, bytes)};
		if (bytes)
			vec_push(&builder->frames, frame);
		at = next + 1;
	}
}

static size_t common_bytes(const char *a, const char *b, size_t length)
{
	uint64_t left, right;
	size_t i = 0;

	for (; i + 8 <= length; i += 8) {
		memcpy(&left, a + i, 8);
		memcpy(&right, b + i, 8);
		if (left != right)
			break;
	}
	while (i < length && a[i] == b[i])
		i++;
	return i;
}

/* Folded text is mostly sorted, so lines begin like the one before: those frames need no look-up.
 */
static size_t shared_frames(struct folded_reader *reader, const char *text, size_t length)
{
	size_t less = length < reader->before.count ? length : reader->before.count;
	size_t common = common_bytes(text, reader->before.at, less), shared = 0;
	const struct stack_frame *frame = reader->builder->frames.at;

	/* With the NUL behind it, which is in both. */
	while (shared < reader->builder->frames.count &&
		frame[shared].name + frame[shared].length < text + common)
		shared++;
	reader->before.count = 0;
	/* A stack that loses frames is nothing to compare with. */
	if (reader->builder->frames.count <= STACKS_MAX_DEPTH)
		vec_append(&reader->before, text, length + 1);
	return shared;
}

static int skip_line(struct folded_reader *reader, enum skip skip)
{
	reader->builder->skipped->counts[skip]++;
	return 0;
}

static int read_line(struct folded_reader *reader, struct line *line)
{
	struct stack stack = {.unit = ""};
	size_t length = line->length, word_length;
	const char *word = take_word(line->text, &length, &word_length);
	enum skip skip = SKIPS;

	if (!word_length)
		return 0;
	skip = count_parse(word, word_length, &reader->fraction[0], &stack.weight);
	if (skip == SKIP_NO_COUNT && line->text[0] == '#')
		return 0;
	if (skip == SKIPS && reader->is_diff) {
		word = take_word(line->text, &length, &word_length);
		skip = count_parse(word, word_length, &reader->fraction[1], &stack.before);
	}
	if (skip != SKIPS)
		return skip_line(reader, skip);
	while (length && (line->text[length - 1] == ' ' || line->text[length - 1] == '\t'))
		length--;
	split(reader->builder, line->text, length);
	if (!reader->builder->frames.count)
		return skip_line(reader, SKIP_NO_STACK);
	stack.shared = shared_frames(reader, line->text, length);
	return stack_builder_send(reader->builder, &stack);
}

int stacks_read_folded(struct lines *lines, struct stack_builder *builder, bool is_diff)
{
	struct folded_reader reader = {.builder = builder, .is_diff = is_diff};
	struct line line;
	int result = 0;

	while (!result && lines_next(lines, &line))
		result = read_line(&reader, &line);
	vec_clear(&reader.before);
	return result;
}
