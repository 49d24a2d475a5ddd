// SPDX-License-Identifier: GPL-2.0-or-later
/* Allocation that aborts with a message instead of returning NULL. */
#include "util/mem.h"

#include <stdarg.h>
#include <string.h>

static void *checked(void *pointer)
{
	if (!pointer) {
		fputs("dwell: out of memory\n", stderr);
		abort();
	}
	return pointer;
}

void *xmalloc(size_t bytes)
{
	return checked(malloc(bytes ? bytes : 1));
}

void *xcalloc(size_t count, size_t bytes)
{
	return checked(calloc(count ? count : 1, bytes ? bytes : 1));
}

void *xreallocarray(void *old, size_t count, size_t bytes)
{
	return checked(reallocarray(old, count ? count : 1, bytes ? bytes : 1));
}

char *xstrdup(const char *text)
{
	return checked(strdup(text));
}

char *xstrndup(const char *text, size_t length)
{
	return checked(strndup(text, length));
}

char *xasprintf(const char *format, ...)
{
	char *text = NULL;
	va_list args;

	va_start(args, format);
	if (vasprintf(&text, format, args) < 0)
		text = NULL;
	va_end(args);
	return checked(text);
}
