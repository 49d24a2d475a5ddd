// SPDX-License-Identifier: GPL-2.0-or-later
/* Finds the format from the first lines and calls its reader. */
#include "format/stacks.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "format/foreign.h"
#include "format/perf_line.h"
#include "format/stack_readers.h"
#include "replay/replay.h"
#include "util/mem.h"

#define LOOK_AT_LINES 400

/* How files begin that people may take for such text. */
#define PERF_DATA "PERFILE2"
#define DATABASE "SQLite format 3"

static const char *const names[STACK_FORMATS] = {
	[STACKS_UNKNOWN] = "unknown",
	[STACKS_FOLDED] = "folded text",
	[STACKS_FOLDED_DIFF] = "folded text with two counts",
	[STACKS_BPFTRACE] = "bpftrace maps",
	[STACKS_BCC] = "bcc stacks",
	[STACKS_PERF] = "perf script",
};

const char *stack_format_name(enum stack_format format)
{
	return format < STACK_FORMATS ? names[format] : names[STACKS_UNKNOWN];
}

/* What speaks for which format in the lines seen. */
struct votes {
	unsigned int perf;
	unsigned int bpftrace;
	unsigned int bcc;
	unsigned int folded;
	unsigned int diff;   /* of the folded, those with two counts */
	unsigned int lines;  /* all */
	unsigned int binary; /* with bytes that no text has */
};

static struct span last_word(struct span *line)
{
	*line = span_trim(*line);
	size_t start = line->length;

	while (start && line->at[start - 1] != ' ' && line->at[start - 1] != '\t')
		start--;
	struct span word = {line->at + start, line->length - start};
	*line = span_trim((struct span){line->at, start});
	return word;
}

static void vote_folded(struct span line, struct votes *votes)
{
	struct span word = last_word(&line);

	if (!line.length || !count_is_number(word.at, word.length))
		return;
	votes->folded++;
	word = last_word(&line);
	votes->diff += line.length && count_is_number(word.at, word.length);
}

static bool is_binary(struct span line)
{
	for (size_t i = 0; i < line.length; i++)
		if ((unsigned char)line.at[i] < '\t')
			return true;
	return false;
}

static void vote(struct span line, struct votes *votes)
{
	struct span text = span_trim(line);
	bool is_indented = text.length && text.at != line.at;
	struct perf_frame frame;
	struct perf_head head;

	votes->lines++;
	votes->binary += is_binary(line);
	if (!text.length || *line.at == '#')
		return;
	if (*line.at == '@' && memchr(line.at, '[', line.length))
		votes->bpftrace += 8;
	else if (*line.at == '\t' && perf_frame_parse(text, &frame))
		votes->perf += 2;
	else if (is_indented && text.length > 8 &&
		 (!memcmp(text.at, "-       ", 8) || !memcmp(text.at, "target: ", 8)))
		votes->bcc += 8;
	else if (perf_head_parse(line, false, &head) &&
		 (head.event.length || perf_head_is_record(&head)))
		votes->perf += 4;
	else if (!is_indented || memchr(text.at, ';', text.length))
		vote_folded(line, votes);
}

static bool starts_with(const char *text, size_t length, const char *start)
{
	return length >= strlen(start) && !memcmp(text, start, strlen(start));
}

enum stack_format stack_format_of(const char *text, size_t length)
{
	const char *end = text + length;
	struct votes votes = {0};

	if (starts_with(text, length, PERF_DATA) || starts_with(text, length, DATABASE))
		return STACKS_UNKNOWN;
	for (unsigned int i = 0; i < LOOK_AT_LINES && text < end; i++) {
		const char *newline = memchr(text, '\n', (size_t)(end - text));
		struct span line = {text, (size_t)((newline ? newline : end) - text)};
		if (line.length && line.at[line.length - 1] == '\r')
			line.length--;
		vote(line, &votes);
		if (!newline)
			break;
		text = newline + 1;
	}
	if (votes.binary * 2 > votes.lines)
		return STACKS_UNKNOWN;
	if (votes.perf > votes.folded && votes.perf >= votes.bpftrace && votes.perf >= votes.bcc)
		return STACKS_PERF;
	if (votes.bpftrace > votes.folded && votes.bpftrace >= votes.bcc)
		return STACKS_BPFTRACE;
	if (votes.bcc > votes.folded)
		return STACKS_BCC;
	if (!votes.folded)
		return STACKS_UNKNOWN;
	return votes.diff == votes.folded ? STACKS_FOLDED_DIFF : STACKS_FOLDED;
}

int stack_builder_send(struct stack_builder *builder, const struct stack *stack)
{
	struct stack whole = *stack;

	whole.frames = builder->frames.at;
	whole.depth = builder->frames.count;
	builder->frames.count = 0;
	/* The root stays: it is the thread's name. */
	if (whole.depth > STACKS_MAX_DEPTH) {
		size_t excess = whole.depth - STACKS_MAX_DEPTH;
		builder->frames.at[excess] = builder->frames.at[0];
		whole.frames += excess;
		whole.depth = STACKS_MAX_DEPTH;
		whole.shared = 0;
		builder->skipped->counts[SKIP_CUT]++;
	}
	return builder->sink->add(&whole, builder->sink->context);
}

static int fail_unknown(const char *text, size_t length, struct why *why)
{
	if (!length)
		return why_set(why, -ENODATA, "it is empty");
	if (starts_with(text, length, PERF_DATA))
		return why_set(why, -EINVAL,
			"it is perf's own file; give the text of: perf script -i FILE");
	if (starts_with(text, length, DATABASE))
		return why_set(why, -EINVAL, "it is a recording already, or another database");
	const char *foreign = foreign_text(text, length, false);
	if (foreign)
		return why_set(why, -EINVAL, "it looks like %s", foreign);
	return why_set(why, -EINVAL,
		"no format that dwell reads: folded stacks, bpftrace maps, bcc stacks, perf script "
		"text");
}

int stacks_read_lines(enum stack_format format, struct lines *lines, struct stack_builder *builder)
{
	int result;

	switch (format) {
	case STACKS_BPFTRACE:
		result = stacks_read_bpftrace(lines, builder);
		break;
	case STACKS_BCC:
		result = stacks_read_bcc(lines, builder);
		break;
	case STACKS_PERF:
		result = stacks_read_perf(lines, builder);
		break;
	default:
		result = stacks_read_folded(lines, builder, format == STACKS_FOLDED_DIFF);
	}
	vec_clear(&builder->frames);
	return result;
}

int stacks_begin(struct lines *lines, enum stack_format *ret, struct why *why)
{
	size_t length;
	const char *text = lines_peek(lines, &length);
	enum stack_format format = stack_format_of(text, length);
	int error = lines_error(lines, why);

	if (error)
		return error;
	if (format == STACKS_UNKNOWN || foreign_text(text, length, true))
		return fail_unknown(text, length, why);
	*ret = format;
	return 0;
}

int stacks_check(enum stack_format format, const struct skipped *before,
	const struct skipped *after, struct why *why)
{
	uint64_t lines = skipped_lines_with_text(after) - skipped_lines_with_text(before);
	uint64_t odd = skipped_odd_lines(after) - skipped_odd_lines(before);

	if (odd * 2 <= lines)
		return 0;
	struct skipped own = *after;
	for (unsigned int i = 0; i < SKIPS; i++)
		own.counts[i] -= before->counts[i];
	_cleanup_free_ char *reasons = skipped_reasons(&own);
	return why_set(why, -EINVAL,
		"it looks like %s, but %" PRIu64 " of its %" PRIu64
		" lines make no sense as that: %s",
		stack_format_name(format), odd, lines, reasons);
}

int stacks_read(FILE *in, const struct stacks_asked *asked, const struct stack_sink *sink,
	struct skipped *skipped, struct stacks_told *ret, struct why *why)
{
	struct lines *lines = lines_new(in, skipped);
	struct skipped before = *skipped;
	struct stack_builder builder = {
		.sink = sink, .asked = asked, .skipped = skipped, .told = ret, .why = why};
	int result = stacks_begin(lines, &ret->format, why);

	if (!result)
		result = stacks_read_lines(ret->format, lines, &builder);
	if (!result)
		result = lines_error(lines, why);
	if (!result)
		result = stacks_check(ret->format, &before, skipped, why);
	lines_free(lines);
	return result;
}

void stacks_told_clear(struct stacks_told *told)
{
	vec_each (event, &told->events)
		free(event->name);
	vec_clear(&told->events);
}
