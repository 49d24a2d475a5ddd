// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Stacks over several lines, leaf first: bpftrace's maps and bcc's default output. Texts of a block
 * are kept until its count is known, at the block's end.
 *
 * bpftrace:  @us[            bcc:      finish_task_switch
 *                f+12                  schedule
 *                g+40                  -                comm (pid)
 *            , comm, 12]: 34               34
 */
#include <string.h>

#include "format/stack_readers.h"
#include "format/tidy_name.h"
#include "util/mem.h"

#define BLOCK_MAX_BYTES (64u << 20)

struct block {
	struct stack_builder *builder;
	VEC(char) texts;    /* NUL after each */
	VEC(size_t) frames; /* their starts in texts, leaf first */
	VEC(size_t) keys;   /* likewise: other parts of a map's key, such as the comm */
	uint64_t fraction;
	bool is_open;
	bool is_too_big;
	char unit[8];
};

static void block_reset(struct block *block)
{
	block->texts.count = 0;
	block->frames.count = 0;
	block->keys.count = 0;
	block->is_open = false;
	block->is_too_big = false;
}

/* It has no count, so all its lines give nothing; the reason is counted once. */
static void block_drop(struct block *block)
{
	if (block->frames.count || block->is_open)
		block->builder->skipped->counts[SKIP_NO_COUNT]++;
	if (block->frames.count)
		block->builder->skipped->in_blocks += block->frames.count - !block->is_open;
	block_reset(block);
}

static void block_clear(struct block *block)
{
	vec_clear(&block->texts);
	vec_clear(&block->frames);
	vec_clear(&block->keys);
}

/* Where the text now is. */
static size_t block_keep(struct block *block, const char *text, size_t length)
{
	size_t start = block->texts.count;

	if (start + length + 1 > BLOCK_MAX_BYTES) {
		block->is_too_big = true;
		return 0;
	}
	vec_append(&block->texts, text, length);
	vec_push(&block->texts, 0);
	return start;
}

static void block_add(struct block *block, const char *text, size_t length)
{
	size_t start = block_keep(block, text, length);

	if (!block->is_too_big)
		vec_push(&block->frames, start);
}

static void block_add_function(struct block *block, const char *text, size_t length)
{
	_cleanup_free_ char *tidy =
		block->builder->asked->has_full_names ? NULL : tidy_name(text, length);

	block_add(block, tidy ? tidy : text, tidy ? strlen(tidy) : length);
}

static void push_frame(struct block *block, size_t start)
{
	const char *text = block->texts.at + start;
	struct stack_frame frame = {text, strlen(text), "", false};

	if (frame.length)
		vec_push(&block->builder->frames, frame);
}

/* Keys first, in their order, then the frames from the last to the first. */
static int block_send(struct block *block, uint64_t weight, bool has_name)
{
	struct stack stack = {.weight = weight, .unit = block->unit, .has_name = has_name};

	vec_each (start, &block->keys)
		push_frame(block, *start);
	for (size_t i = block->frames.count; i--;)
		push_frame(block, block->frames.at[i]);
	if (block->builder->frames.count && !block->is_too_big)
		return stack_builder_send(block->builder, &stack);
	block->builder->skipped->counts[block->is_too_big ? SKIP_TOO_LONG : SKIP_NO_STACK]++;
	block->builder->frames.count = 0;
	return 0;
}

static const char *trim(const char *text, size_t *length)
{
	while (*length && (*text == ' ' || *text == '\t')) {
		text++;
		(*length)--;
	}
	while (*length && (text[*length - 1] == ' ' || text[*length - 1] == '\t'))
		(*length)--;
	return text;
}

/* Without the offset: "schedule+35" is schedule. */
static size_t without_offset(const char *text, size_t length)
{
	size_t at = length;

	while (at && ((text[at - 1] >= '0' && text[at - 1] <= '9') ||
			     (text[at - 1] >= 'a' && text[at - 1] <= 'f') || text[at - 1] == 'x'))
		at--;
	return at > 1 && at < length && text[at - 1] == '+' ? at - 1 : length;
}

/* "@us[" and "@total_ms[" say their unit. */
static void find_unit(struct block *block, const char *name, size_t length)
{
	static const char *const units[] = {"ns", "us", "ms", "bytes"};

	block->unit[0] = 0;
	for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++) {
		size_t bytes = strlen(units[i]);
		if (length >= bytes && !memcmp(name + length - bytes, units[i], bytes) &&
			(length == bytes || name[length - bytes - 1] == '_'))
			memcpy(block->unit, units[i], bytes + 1);
	}
}

/* The rest of a map's key, "comm, 12": what is between the commas. */
static void add_keys(struct block *block, const char *text, size_t length)
{
	const char *end = text + length;

	while (text < end) {
		const char *comma = memmem(text, (size_t)(end - text), ", ", 2);
		size_t bytes = (size_t)((comma ? comma : end) - text);
		const char *key = trim(text, &bytes);
		if (bytes && !(bytes == 1 && *key == ',')) {
			size_t start = block_keep(block, key, bytes);
			if (!block->is_too_big)
				vec_push(&block->keys, start);
		}
		if (!comma)
			break;
		text = comma + 2;
	}
}

/* The end of a map's entry, "KEYS]: VALUE", from behind "]: ". */
static int end_map_entry(struct block *block, const char *keys, const char *bracket,
	const char *value, size_t value_length)
{
	uint64_t weight = 0;
	int result = 0;

	keys += *keys == ',';
	if (keys < bracket)
		add_keys(block, keys, (size_t)(bracket - keys));
	value = trim(value, &value_length);
	enum skip skip = count_parse(value, value_length, &block->fraction, &weight);
	if (skip == SKIP_NO_COUNT)
		skip = value_length && *value != 'c' ? SKIP_NO_COUNT : SKIP_HISTOGRAM;
	if (skip == SKIPS)
		result = block_send(block, weight, block->keys.count > 0);
	else
		block->builder->skipped->counts[skip]++;
	block_reset(block);
	return result;
}

/* Where "]: " begins that ends an entry; the last one, since keys may hold one. */
static const char *find_end(const char *text, size_t length)
{
	for (size_t i = length; i >= 2; i--)
		if (text[i - 2] == ']' && text[i - 1] == ':')
			return text + i - 2;
	return NULL;
}

static int read_bpftrace_line(struct block *block, const struct line *line)
{
	const char *text = line->text, *end = text + line->length, *bracket;
	size_t length = line->length;

	if (*text == '@') {
		const char *open = memchr(text, '[', length);
		block_drop(block);
		if (!open) {
			block->builder->skipped->counts[SKIP_NO_STACK]++;
			return 0;
		}
		find_unit(block, text + 1, (size_t)(open - text - 1));
		block->is_open = true;
		text = open + 1;
		length = (size_t)(end - text);
	}
	if (!block->is_open) {
		/* Histogram bars, greetings and errors between the entries. */
		text = trim(text, &length);
		block->builder->skipped->counts[SKIP_UNKNOWN] += length > 0;
		return 0;
	}
	bracket = *text == ' ' || *text == '\t' ? NULL : find_end(text, length);
	if (bracket)
		return end_map_entry(
			block, text, bracket, bracket + 2, (size_t)(end - bracket - 2));
	if (*text != ' ' && *text != '\t') {
		add_keys(block, text + (*text == ','), length - (*text == ','));
		return 0;
	}
	text = trim(text, &length);
	if (length)
		block_add_function(block, text, without_offset(text, length));
	return 0;
}

int stacks_read_bpftrace(struct lines *lines, struct stack_builder *builder)
{
	struct block block = {.builder = builder};
	struct line line;
	int result = 0;

	while (!result && lines_next(lines, &line))
		result = read_bpftrace_line(&block, &line);
	block_drop(&block);
	block_clear(&block);
	return result;
}

/* "-                comm (12)" and "target:          comm 12": the thread, at the stack's root. */
static bool is_thread_line(const char *text, size_t length)
{
	return (length > 8 && !memcmp(text, "-       ", 8)) ||
	       (length > 8 && !memcmp(text, "target:", 7)) ||
	       (length > 8 && !memcmp(text, "waker:", 6));
}

static void add_thread(struct block *block, const char *text, size_t length)
{
	const char *space = memchr(text, ' ', length);

	if (!space)
		return;
	size_t left = length - (size_t)(space - text);
	const char *name = trim(space, &left);
	const char *last = memrchr(name, ' ', left);

	/* The number behind the name, with or without parentheses. */
	if (last && last > name && (last[1] == '(' || (last[1] >= '0' && last[1] <= '9')))
		left = (size_t)(last - name);
	block_add(block, name, left);
}

/* bcc's Python prints byte strings as b'...'. */
static void add_bcc_frame(struct block *block, const char *text, size_t length)
{
	if (length > 3 && text[0] == 'b' && (text[1] == '\'' || text[1] == '"') &&
		text[length - 1] == text[1]) {
		text += 2;
		length -= 3;
	}
	/* "--   --" stands between a target and its waker, "-" and "--" between kernel and user. */
	if (length > 2 && !memcmp(text, "-- ", 3))
		length = 2;
	block_add_function(block, text, without_offset(text, length));
}

static int read_bcc_line(struct block *block, const struct line *line, bool *has_name)
{
	size_t length = line->length, indent;
	const char *text = trim(line->text, &length);
	uint64_t weight;
	int result = 0;

	indent = (size_t)(text - line->text);
	if (!length || !indent) {
		block->builder->skipped->counts[SKIP_UNKNOWN] += length && *text != '#';
		block_drop(block);
		*has_name = false;
		return 0;
	}
	if (!count_is_number(text, length)) {
		if (is_thread_line(text, length)) {
			add_thread(block, text, length);
			*has_name = text[0] != 'w';
		} else {
			add_bcc_frame(block, text, length);
		}
		return 0;
	}
	enum skip skip = count_parse(text, length, &block->fraction, &weight);
	if (skip == SKIPS)
		result = block_send(block, weight, *has_name);
	else
		block->builder->skipped->counts[skip]++;
	block_reset(block);
	*has_name = false;
	return result;
}

int stacks_read_bcc(struct lines *lines, struct stack_builder *builder)
{
	struct block block = {.builder = builder};
	bool has_name = false;
	struct line line;
	int result = 0;

	while (!result && lines_next(lines, &line))
		result = read_bcc_line(&block, &line, &has_name);
	block_drop(&block);
	block_clear(&block);
	return result;
}
