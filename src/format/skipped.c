// SPDX-License-Identifier: GPL-2.0-or-later
/* The words for what was skipped. */
#include "format/skipped.h"

#include <inttypes.h>

#include "util/mem.h"
#include "util/units.h"

static const char *const texts[SKIPS] = {
	[SKIP_BINARY] = "with NUL bytes",
	[SKIP_TOO_LONG] = "too long",
	[SKIP_NO_COUNT] = "without a count",
	[SKIP_NEGATIVE] = "with a count below zero",
	[SKIP_TOO_LARGE] = "with a count too large",
	[SKIP_NO_STACK] = "without a stack",
	[SKIP_NO_TIME] = "scheduler events without time or fields",
	[SKIP_HISTOGRAM] = "of histograms or statistics",
	[SKIP_UNKNOWN] = "not understood",
	[SKIP_CUT] = "with a stack too deep, cut",
	[SKIP_NOT_UTF8] = "with bytes that are no UTF-8, shown as ?",
};

const char *skip_text(enum skip skip)
{
	return skip < SKIPS ? texts[skip] : "";
}

enum loss skip_loss(enum skip skip)
{
	static const enum loss losses[SKIPS] = {
		[SKIP_BINARY] = LOSS_LINES_BINARY,
		[SKIP_TOO_LONG] = LOSS_LINES_TOO_LONG,
		[SKIP_NO_COUNT] = LOSS_LINES_NO_COUNT,
		[SKIP_NEGATIVE] = LOSS_LINES_NEGATIVE,
		[SKIP_TOO_LARGE] = LOSS_LINES_TOO_LARGE,
		[SKIP_NO_STACK] = LOSS_LINES_NO_STACK,
		[SKIP_NO_TIME] = LOSS_LINES_NO_TIME,
		[SKIP_HISTOGRAM] = LOSS_LINES_HISTOGRAM,
		[SKIP_UNKNOWN] = LOSS_LINES_UNKNOWN,
		[SKIP_CUT] = LOSS_LINES_CUT,
		[SKIP_NOT_UTF8] = LOSS_LINES_NOT_UTF8,
	};

	return losses[skip];
}

bool skip_is_kept(enum skip skip)
{
	return skip == SKIP_CUT || skip == SKIP_NOT_UTF8;
}

uint64_t skipped_total(const struct skipped *skipped)
{
	uint64_t total = 0;

	for (unsigned int i = 0; i < SKIPS; i++)
		if (!skip_is_kept((enum skip)i))
			total += skipped->counts[i];
	return total;
}

uint64_t skipped_odd_lines(const struct skipped *skipped)
{
	static const enum skip odd[] = {SKIP_BINARY, SKIP_TOO_LONG, SKIP_NO_COUNT, SKIP_NO_STACK,
		SKIP_NO_TIME, SKIP_UNKNOWN};
	uint64_t total = skipped->in_blocks;

	for (size_t i = 0; i < ARRAY_SIZE(odd); i++)
		total += skipped->counts[odd[i]];
	return total;
}

uint64_t skipped_lines_with_text(const struct skipped *skipped)
{
	return skipped->lines - skipped->empty;
}

/* The reasons of one sort, each with its number; returns how many there were. */
static unsigned int write_reasons(const struct skipped *skipped, bool is_kept, FILE *out)
{
	unsigned int written = 0;
	char room[UNITS_ROOM];

	for (unsigned int i = 0; i < SKIPS; i++)
		if (skipped->counts[i] && skip_is_kept((enum skip)i) == is_kept)
			fprintf(out, "%s%s %s", written++ ? ", " : "",
				units_count(skipped->counts[i], room), texts[i]);
	return written;
}

char *skipped_reasons(const struct skipped *skipped)
{
	char *words = NULL;
	size_t size;
	FILE *out = open_memstream(&words, &size);

	if (!out)
		return xstrdup("");
	write_reasons(skipped, false, out);
	fclose(out);
	return words;
}

char *skipped_words(const struct skipped *skipped)
{
	char skipped_room[UNITS_ROOM], lines_room[UNITS_ROOM];
	uint64_t total = skipped_total(skipped);
	char *words = NULL;
	size_t size;
	FILE *out = open_memstream(&words, &size);

	if (!out)
		return NULL;
	if (total) {
		fprintf(out, "skipped %s of %s lines: ", units_count(total, skipped_room),
			units_count(skipped->lines, lines_room));
		write_reasons(skipped, false, out);
	}
	if (skipped->counts[SKIP_CUT] || skipped->counts[SKIP_NOT_UTF8]) {
		fprintf(out, total ? "; kept lines " : "lines ");
		write_reasons(skipped, true, out);
	}
	fclose(out);
	if (size)
		return words;
	free(words);
	return NULL;
}
