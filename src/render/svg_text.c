// SPDX-License-Identifier: GPL-2.0-or-later
/* Escapes, character by character, through the one cleaner of the program. */
#include "render/svg_text.h"

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

void svg_put_bytes(FILE *out, const char *text, size_t length)
{
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

void svg_put_number(FILE *out, double number)
{
	char text[64];
	int length = snprintf(text, sizeof(text), "%.2f", number);

	while (length > 1 && text[length - 1] == '0')
		length--;
	if (text[length - 1] == '.')
		length--;
	fwrite(text, 1, (size_t)length, out);
}
