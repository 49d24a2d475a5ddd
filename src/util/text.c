// SPDX-License-Identifier: GPL-2.0-or-later
/* Making foreign text harmless, and a few things that ISO C has no function for. */
#include "util/text.h"

#include <string.h>

#include "util/mem.h"

static size_t sequence_length(unsigned char lead)
{
	if (lead < 0x80)
		return 1;
	if (lead >= 0xc2 && lead <= 0xdf)
		return 2;
	if (lead >= 0xe0 && lead <= 0xef)
		return 3;
	if (lead >= 0xf0 && lead <= 0xf4)
		return 4;
	return 0;
}

/* Decodes a sequence whose lead byte promised `length`; UINT32_MAX if it is malformed. */
static uint32_t decode(const unsigned char *at, size_t length)
{
	static const uint32_t smallest[] = {0, 0, 0x80, 0x800, 0x10000};
	uint32_t code = length == 1 ? at[0] : at[0] & (0xffu >> (length + 1));

	for (size_t i = 1; i < length; i++) {
		if ((at[i] & 0xc0) != 0x80)
			return UINT32_MAX;
		code = code << 6 | (at[i] & 0x3f);
	}
	if (code < smallest[length] || code > 0x10ffff || (code >= 0xd800 && code <= 0xdfff))
		return UINT32_MAX;
	return code;
}

size_t text_utf8_length(const char *text)
{
	const unsigned char *at = (const unsigned char *)text;
	size_t length = *at ? sequence_length(*at) : 0;

	if (!length || decode(at, length) == UINT32_MAX)
		return 0;
	return length;
}

uint32_t text_code(const char *text, size_t length)
{
	return decode((const unsigned char *)text, length);
}

/* Unicode's classes Cc, Cf, Zl and Zp, but the signs of Cf that are shown (Arabic numbers). */
bool text_is_unsafe(uint32_t code)
{
	static const struct {
		uint32_t first, last;
	} ranges[] = {{0, 0x1f}, {0x7f, 0x9f}, {0xad, 0xad}, {0x61c, 0x61c}, {0x180e, 0x180e},
		{0x200b, 0x200f}, {0x2028, 0x202e}, {0x2060, 0x206f}, {0xfeff, 0xfeff},
		{0xfff9, 0xfffb}, {0x1d173, 0x1d17a}, {0xe0000, 0xe007f}};

	/* Nearly all of them. */
	if (code >= ' ' && code <= '~')
		return false;
	for (size_t i = 0; i < ARRAY_SIZE(ranges); i++)
		if (code >= ranges[i].first && code <= ranges[i].last)
			return true;
	return false;
}

char *text_clean(const char *text, bool is_frame)
{
	char *clean = xmalloc(strlen(text) + 1);
	char *out = clean;

	while (*text) {
		size_t length = text_utf8_length(text);
		if (!length || text_is_unsafe(text_code(text, length)))
			*out++ = '?';
		else if (is_frame && *text == ';')
			*out++ = ':';
		else
			out = mempcpy(out, text, length);
		text += length ? length : 1;
	}
	*out = 0;
	return clean;
}

size_t text_fitting(const char *text, size_t bytes)
{
	size_t fitting = 0;

	while (text[fitting]) {
		size_t length = text_utf8_length(text + fitting);
		length = length ? length : 1;
		if (fitting + length > bytes)
			break;
		fitting += length;
	}
	return fitting;
}

size_t text_width(const char *text)
{
	size_t columns = 0;

	for (; *text; text++)
		columns += (*text & 0xc0) != 0x80;
	return columns;
}

bool text_matches_glob(const char *text, const char *glob)
{
	const char *star = NULL, *retry = NULL;

	while (*text) {
		if (*glob == '*') {
			star = glob++;
			retry = text;
		} else if (*glob == '?' || *glob == *text) {
			glob++;
			text++;
		} else if (star) {
			glob = star + 1;
			text = ++retry;
		} else {
			return false;
		}
	}
	while (*glob == '*')
		glob++;
	return !*glob;
}

size_t text_distance(const char *a, const char *b)
{
	size_t columns = strlen(b) + 1;
	_cleanup_free_ size_t *row = xcalloc(columns, sizeof(*row));

	for (size_t j = 0; j < columns; j++)
		row[j] = j;
	for (size_t i = 0; a[i]; i++) {
		size_t diagonal = row[0];
		row[0] = i + 1;
		for (size_t j = 1; j < columns; j++) {
			size_t replaced = diagonal + (a[i] != b[j - 1]);
			size_t shorter = (row[j] < row[j - 1] ? row[j] : row[j - 1]) + 1;
			diagonal = row[j];
			row[j] = replaced < shorter ? replaced : shorter;
		}
	}
	return row[columns - 1];
}

const char *text_nearest(const char *wrong, const char *const *names)
{
	const char *best = NULL;
	size_t best_distance = strlen(wrong) / 3 + 2;

	for (; *names; names++) {
		size_t distance = text_distance(wrong, *names);
		if (distance < best_distance) {
			best_distance = distance;
			best = *names;
		}
	}
	return best;
}

static bool is_digit(char letter)
{
	return letter >= '0' && letter <= '9';
}

char *text_fold_digits(const char *name)
{
	char *folded = xmalloc(strlen(name) + 1), *out = folded;

	while (*name) {
		if (is_digit(*name)) {
			*out++ = '*';
			while (is_digit(*name))
				name++;
		} else {
			*out++ = *name++;
		}
	}
	*out = 0;
	return folded;
}
