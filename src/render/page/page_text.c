// SPDX-License-Identifier: GPL-2.0-or-later
/* Cutting, escaping, redacting. */
#include "render/page/page_text.h"

#include <string.h>

#include "util/mem.h"
#include "util/text.h"

static bool ends_word(char c)
{
	return !c || strchr(" \t\"'()<>,;=[]{}", c);
}

/*
 * A word with a slash in front or with two of them is a path: its last part stays. Names of kernel
 * threads (kworker/0:1) and operators of C++ have one slash and stay.
 */
static void cut_paths(char *text)
{
	const char *from = text;
	char *to = text;

	while (*from) {
		size_t length = 0, slashes = 0, last = 0;
		while (!ends_word(from[length])) {
			if (from[length] == '/') {
				slashes++;
				last = length;
			}
			length++;
		}
		bool is_path = slashes > 1 || (slashes && (from[0] == '/' || from[0] == '~'));
		size_t skipped = is_path && last + 1 < length ? last + 1 : 0;
		memmove(to, from + skipped, length - skipped);
		to += length - skipped;
		from += length;
		if (*from)
			*to++ = *from++;
	}
	*to = 0;
}

char *page_text(const char *text, bool is_redacted)
{
	size_t length = strnlen(text, PAGE_TEXT_BYTES + 1);
	char *clean;

	if (length > PAGE_TEXT_BYTES) {
		size_t cut = PAGE_TEXT_BYTES - 4;
		while (cut && ((unsigned char)text[cut] & 0xc0) == 0x80)
			cut--;
		_cleanup_free_ char *part = xasprintf("%.*s...", (int)cut, text);
		clean = text_clean(part, false);
	} else {
		clean = text_clean(text, false);
	}
	if (is_redacted)
		cut_paths(clean);
	return clean;
}

void page_put_text(FILE *out, const char *text)
{
	for (; *text; text++) {
		switch (*text) {
		case '<':
			fputs("&lt;", out);
			break;
		case '>':
			fputs("&gt;", out);
			break;
		case '&':
			fputs("&amp;", out);
			break;
		case '"':
			fputs("&quot;", out);
			break;
		case '\'':
			fputs("&#39;", out);
			break;
		default:
			putc(*text, out);
		}
	}
}
