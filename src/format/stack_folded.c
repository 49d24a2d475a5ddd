// SPDX-License-Identifier: GPL-2.0-or-later
/* Folded lines, "a;b;c 12", and those of difffolded.pl, "a;b;c 12 15". */
#include <string.h>

#include "format/stack_readers.h"

/*
 * Folded text is mostly sorted, so lines begin like the one before. That one is kept, and of a line
 * only what differs is read.
 */
struct folded_reader {
	struct stack_builder *builder;
	bool is_diff;
	uint64_t fraction[2]; /* carried from line to line */
	VEC(char) before;     /* the stack before as it was read, with a ';' behind it */
	VEC(char) names;      /* the same with its frames cut apart: that is where they are */
	size_t depth;         /* of it: its frames are still where the builder had them */
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

/* Frames that are the same in the stack before; ret_start is where the others begin. */
static size_t shared_frames(
	const struct folded_reader *reader, const char *text, size_t bytes, size_t *ret_start)
{
	const struct stack_frame *frames = reader->builder->frames.at;
	size_t less = bytes < reader->before.count ? bytes : reader->before.count;
	const char *same = reader->names.at + common_bytes(text, reader->before.at, less);
	size_t shared = 0;

	/* With what is behind it: names may begin alike. */
	while (shared < reader->depth && frames[shared].name + frames[shared].length < same)
		shared++;
	*ret_start = 0;
	if (shared)
		*ret_start = (size_t)(frames[shared - 1].name + frames[shared - 1].length + 1 -
				      reader->names.at);
	return shared;
}

/* Fills the builder; returns how many frames are those of the stack before. */
static size_t read_stack(struct folded_reader *reader, char *text, size_t length)
{
	size_t start = 0, shared = 0;

	text[length] = ';';
	if (length < reader->names.room) {
		shared = shared_frames(reader, text, length + 1, &start);
	} else {
		vec_reserve(&reader->names, length + 1);
		vec_reserve(&reader->before, length + 1);
	}
	memcpy(reader->before.at + start, text + start, length + 1 - start);
	memcpy(reader->names.at + start, text + start, length + 1 - start);
	reader->before.count = length + 1;
	reader->builder->frames.count = shared;
	split(reader->builder, reader->names.at + start, length - start);
	reader->depth = reader->builder->frames.count;
	/* A stack that loses frames is nothing to compare with. */
	if (reader->depth > STACKS_MAX_DEPTH)
		reader->depth = 0;
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
	stack.shared = read_stack(reader, line->text, length);
	if (!reader->builder->frames.count)
		return skip_line(reader, SKIP_NO_STACK);
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
	vec_clear(&reader.names);
	return result;
}
