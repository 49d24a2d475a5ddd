// SPDX-License-Identifier: GPL-2.0-or-later
/* Escapes, character by character, through the one cleaner of the program. */
#include "render/flame/svg_text.h"

#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "util/mem.h"
#include "util/text.h"
#include "util/units.h"

#define ELLIPSIS "\xe2\x80\xa6"

static void put_character(FILE *out, const char *at, size_t length)
{
	switch (*at) {
	case '&':
		fputs("&amp;", out);
		return;
	case '<':
		fputs("&lt;", out);
		return;
	case '>':
		fputs("&gt;", out);
		return;
	case '"':
		fputs("&quot;", out);
		return;
	case '\'':
		fputs("&#39;", out);
		return;
	default:
		fwrite(at, 1, length, out);
	}
}

/* U+FFFE and U+FFFF are UTF-8 but no characters of XML. */
static int is_forbidden(const char *at)
{
	return !memcmp(at, "\xef\xbf\xbe", 3) || !memcmp(at, "\xef\xbf\xbf", 3);
}

static void put_clean(FILE *out, const char *clean)
{
	while (*clean) {
		size_t length = text_utf8_length(clean);
		if (length == 3 && is_forbidden(clean))
			fputc('?', out);
		else
			put_character(out, clean, length);
		clean += length;
	}
}

/* Nearly all names can be written as they are. */
static bool is_plain(const char *text, size_t length)
{
	for (size_t i = 0; i < length; i++) {
		unsigned char byte = (unsigned char)text[i];
		if (byte < ' ' || byte > '~' || byte == '&' || byte == '<' || byte == '>' ||
			byte == '"' || byte == '\'')
			return false;
	}
	return true;
}

void svg_put_bytes(FILE *out, const char *text, size_t length)
{
	if (is_plain(text, length)) {
		fwrite(text, 1, length, out);
		return;
	}
	_cleanup_free_ char *part = xstrndup(text, length);
	_cleanup_free_ char *clean = text_clean(part, false);

	put_clean(out, clean);
}

void svg_put_text(FILE *out, const char *text)
{
	svg_put_bytes(out, text, strlen(text));
}

void svg_put_name(FILE *out, const char *name, size_t length)
{
	size_t kept = SVG_NAME_BYTES;
	char room[UNITS_ROOM];

	if (length <= SVG_NAME_BYTES) {
		svg_put_bytes(out, name, length);
		return;
	}
	/* Not through the middle of a character. */
	while (kept > SVG_NAME_BYTES - 4 && (name[kept] & 0xc0) == 0x80)
		kept--;
	svg_put_bytes(out, name, kept);
	fprintf(out, ELLIPSIS " (%s bytes)", units_count(length, room));
}

/* Where the character number `count` starts. */
static const char *skip_characters(const char *clean, size_t count)
{
	for (; count && *clean; count--)
		clean += text_utf8_length(clean);
	return clean;
}

void svg_put_label(FILE *out, const char *name, size_t length, size_t room, int cuts_start)
{
	size_t bytes = length < SVG_NAME_BYTES ? length : SVG_NAME_BYTES;

	if (length <= room && length <= SVG_NAME_BYTES && is_plain(name, length)) {
		fwrite(name, 1, length, out);
		return;
	}
	_cleanup_free_ char *part = xstrndup(name, bytes);
	_cleanup_free_ char *clean = text_clean(part, false);
	size_t width = text_width(clean);

	if (width <= room && bytes == length) {
		put_clean(out, clean);
	} else if (cuts_start) {
		fputs(ELLIPSIS, out);
		put_clean(out, skip_characters(clean, width >= room ? width - room + 1 : 0));
	} else {
		char *end = clean + (skip_characters(clean, room - 1) - clean);
		*end = 0;
		put_clean(out, clean);
		fputs(ELLIPSIS, out);
	}
}

/* What printf("%.2f") does, without the zeros at the end, and ten times as fast. */
void svg_put_number(FILE *out, double number)
{
	char text[32], *at = text + sizeof(text);

	if (!(number > -1e15 && number < 1e15)) {
		fprintf(out, "%.0f", number);
		return;
	}
	uint64_t hundredths = (uint64_t)(rint(fabs(number) * 100));
	uint64_t whole = hundredths / 100, part = hundredths % 100;
	if (part) {
		if (part % 10)
			*--at = (char)('0' + part % 10);
		*--at = (char)('0' + part / 10);
		*--at = '.';
	}
	do
		*--at = (char)('0' + whole % 10);
	while (whole /= 10);
	if (number < 0 && hundredths)
		*--at = '-';
	fwrite(at, 1, (size_t)(text + sizeof(text) - at), out);
}
