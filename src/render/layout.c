// SPDX-License-Identifier: GPL-2.0-or-later
/* Cutting, wrapping, and amounts. */
#include "render/layout.h"

#include <string.h>

#include "profile/rounding.h"
#include "util/mem.h"
#include "util/text.h"

char *layout_cut(const char *text, size_t columns)
{
	const char *at = text;
	char *cut;

	if (text_width(text) <= columns)
		return xstrdup(text);
	for (size_t i = 0; i + 1 < columns && *at; i++) {
		size_t length = text_utf8_length(at);
		at += length ? length : 1;
	}
	_cleanup_free_ char *head = xstrndup(text, (size_t)(at - text));
	cut = xasprintf("%s%s", head, columns ? "~" : "");
	return cut;
}

/* Is this space between a number and its unit? */
static bool is_before_unit(const char *start, const char *space)
{
	static const char *const units[] = {"s", "ms", "us", "ns", "%"};
	const char *next = space + 1;
	size_t letters = strcspn(next, " .,;:)\n");

	if (space == start || space[-1] < '0' || space[-1] > '9')
		return false;
	for (size_t i = 0; i < ARRAY_SIZE(units); i++)
		if (letters == strlen(units[i]) && !strncmp(next, units[i], letters))
			return true;
	return false;
}

/* Bytes of the word at text, with the unit behind it if it is a number. */
static size_t word_bytes(const char *text)
{
	size_t bytes = strcspn(text, " ");

	if (text[bytes] && is_before_unit(text, text + bytes))
		bytes += 1 + strcspn(text + bytes + 1, " ");
	return bytes;
}

char *layout_cut_front(const char *text, size_t columns)
{
	size_t wide = text_width(text);

	if (wide <= columns)
		return xstrdup(text);
	for (; wide >= columns && wide; wide--) {
		size_t length = text_utf8_length(text);
		text += length ? length : 1;
	}
	return xasprintf("%s%s", columns ? "~" : "", text);
}

/* Bytes of one character or of an escape sequence that sets colours, and the columns it takes. */
static size_t glyph(const char *text, size_t *ret_columns)
{
	size_t length = text_utf8_length(text);

	*ret_columns = 1;
	if (text[0] != '\033')
		return length ? length : 1;
	*ret_columns = 0;
	length = strcspn(text, "m\n");
	return length + (text[length] == 'm');
}

/* A gap before this part of the line leaves too little on it. */
#define GAP_PART 3

/* Where a line is to be broken: at the last gap between columns that fits, else at the last space;
 * NULL if it is short enough, or one word. */
static const char *find_break(const char *line, const char *end, size_t width)
{
	const char *space = NULL, *gap = NULL, *at = line + strspn(line, " ");
	size_t used = (size_t)(at - line), columns;

	while (at < end) {
		if (*at == ' ' && (used <= width || !space) && !is_before_unit(line, at)) {
			bool is_gap = at[1] == ' ' && used <= width && used >= width / GAP_PART;
			gap = is_gap && at[-1] != ' ' ? at : gap;
			space = at;
		}
		at += glyph(at, &columns);
		used += columns;
	}
	return used <= width ? NULL : gap ? gap : space;
}

void layout_fit(FILE *out, const char *text, size_t width)
{
	while (*text) {
		const char *end = text + strcspn(text, "\n");
		size_t blank = strspn(text, " ");
		/* What stood under a column that is far to the right comes back to the left. */
		size_t indent = blank < width / GAP_PART ? blank + 2 : 4;
		bool is_far = blank >= width / GAP_PART && find_break(text, end, width);
		_cleanup_free_ char *line =
			is_far ? xasprintf("%*s%.*s", (int)indent, "", (int)(end - text - blank),
					 text + blank)
			       : xstrndup(text, (size_t)(end - text));
		const char *at = line, *cut;

		while ((cut = find_break(at, line + strlen(line), width))) {
			fprintf(out, "%.*s\n", (int)(cut - at), at);
			at = cut + strspn(cut, " ");
			if (!*at)
				break;
			char *rest = xasprintf("%*s%s", (int)indent, "", at);
			free(line);
			line = rest;
			at = line;
		}
		fputs(at, out);
		if (*end)
			putc('\n', out);
		text = end + (*end == '\n');
	}
}

void layout_wrap(FILE *out, const char *text, size_t width, size_t used, size_t indent)
{
	size_t at_start = used;

	while (*text) {
		size_t bytes = word_bytes(text);
		_cleanup_free_ char *word = xstrndup(text, bytes);
		size_t columns = text_width(word);
		bool needs_space = used > at_start;
		if (needs_space && used + 1 + columns > width) {
			fprintf(out, "\n%*s", (int)indent, "");
			used = at_start = indent;
			needs_space = false;
		}
		fprintf(out, "%s%s", needs_space ? " " : "", word);
		used += columns + needs_space;
		text += bytes + (text[bytes] == ' ');
	}
	putc('\n', out);
}

struct scale scale_for(uint64_t largest_ns)
{
	if (largest_ns >= 10 * NS_PER_S)
		return (struct scale){100 * NS_PER_MS, 10, 1, "s"};
	if (largest_ns >= 100 * NS_PER_MS)
		return (struct scale){NS_PER_MS, 1000, 3, "s"};
	return (struct scale){NS_PER_US, 1000, 3, "ms"};
}

struct scale scale_fine(uint64_t largest_ns)
{
	if (largest_ns >= 100 * NS_PER_MS && largest_ns < 10000 * NS_PER_S)
		return (struct scale){NS_PER_MS, 1000, 3, "s"};
	return scale_for(largest_ns);
}

struct scale scale_of_unit(enum unit unit, const char *word, uint64_t largest)
{
	if (unit == UNIT_NS)
		return scale_fine(largest);
	if (unit != UNIT_BYTES)
		return (struct scale){1, 1, 0, unit == UNIT_OTHER ? word : ""};
	if (largest >= 1ULL << 30)
		return (struct scale){1ULL << 20, 1, 0, "MiB"};
	if (largest >= 1ULL << 20)
		return (struct scale){1ULL << 10, 1, 0, "KiB"};
	return (struct scale){1, 1, 0, "B"};
}

const char *scale_text(const struct scale *scale, uint64_t quanta, char room[static UNITS_ROOM])
{
	if (!scale->decimals)
		return units_count(quanta, room);
	snprintf(room, UNITS_ROOM, "%llu.%0*llu",
		(unsigned long long)(quanta / scale->quanta_per_unit), scale->decimals,
		(unsigned long long)(quanta % scale->quanta_per_unit));
	return room;
}

const char *scale_ns(const struct scale *scale, uint64_t ns, char room[static UNITS_ROOM])
{
	char number[UNITS_ROOM];

	snprintf(room, UNITS_ROOM, "%.24s %s",
		scale_text(scale, round_to(ns, scale->quantum), number), scale->unit);
	return room;
}

const char *percent_text(uint64_t part, uint64_t whole, char room[static UNITS_ROOM])
{
	/* In thousandths of a percent, rounded down. */
	uint64_t share = whole  ? (uint64_t)((unsigned __int128)part * 100000 / whole)
			 : part ? 100000
				: 0;

	if (part == whole)
		snprintf(room, UNITS_ROOM, "%s", part ? "100 %" : "0 %");
	else
		snprintf(room, UNITS_ROOM, "%llu.%03llu %%", (unsigned long long)(share / 1000),
			(unsigned long long)(share % 1000));
	return room;
}

const char *share_text(uint64_t part, uint64_t whole, char room[static UNITS_ROOM])
{
	uint64_t share =
		whole ? (uint64_t)(((unsigned __int128)part * 200 + whole) / whole / 2) : 0;

	if (part && !share)
		snprintf(room, UNITS_ROOM, "< 1 %%");
	else if (share == 100 && part < whole)
		snprintf(room, UNITS_ROOM, "> 99 %%");
	else
		snprintf(room, UNITS_ROOM, "%llu %%", (unsigned long long)share);
	return room;
}

char *layout_only(bool has_range, uint64_t from_ns, uint64_t to_ns, const char *filters)
{
	if (!has_range)
		return xstrdup(filters);
	return xasprintf("%.3f s to %.3f s%s%s", (double)from_ns / 1e9, (double)to_ns / 1e9,
		filters[0] ? ", " : "", filters);
}

const char *layout_unfinished(bool is_live)
{
	return is_live ? "The recording is still being made; this is what it holds so far."
		       : "The recording was cut short; this is what it holds up to its last slice.";
}
