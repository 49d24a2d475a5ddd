// SPDX-License-Identifier: GPL-2.0-or-later
/* Allocation that aborts with a message instead of returning NULL. */
#include "util/mem.h"

#include <malloc.h>
#include <stdarg.h>
#include <string.h>
#include <sys/mman.h>

/* As malloc has them at first; later it keeps up to 64 MiB. */
#define LARGE_BYTES (128 << 10)
#define ARENAS 2

void mem_exhausted(void)
{
	fputs("dwell: out of memory\n", stderr);
	abort();
}

void mem_give_back_freed(void)
{
	mallopt(M_MMAP_THRESHOLD, LARGE_BYTES);
	mallopt(M_TRIM_THRESHOLD, LARGE_BYTES);
	mallopt(M_ARENA_MAX, ARENAS);
}

static void *checked(void *pointer)
{
	if (!pointer)
		mem_exhausted();
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

/* From this size on a table has pages of its own. */
#define TABLE_PAGES (2u << 20)

static void *map_table(size_t bytes)
{
	void *table = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	return checked(table == MAP_FAILED ? NULL : table);
}

void *xtable_grow(void *table, size_t old, size_t bytes)
{
	void *grown;

	if (bytes < TABLE_PAGES) {
		grown = xreallocarray(table, bytes, 1);
		memset((char *)grown + old, 0, bytes - old);
		return grown;
	}
	if (old < TABLE_PAGES) {
		grown = map_table(bytes);
		if (old)
			memcpy(grown, table, old);
		free(table);
	} else {
		grown = mremap(table, old, bytes, MREMAP_MAYMOVE);
		checked(grown == MAP_FAILED ? NULL : grown);
	}
	/* Only a wish: without it all is slower and the same. */
	madvise(grown, bytes, MADV_HUGEPAGE);
	return grown;
}

void xtable_free(void *table, size_t bytes)
{
	if (bytes < TABLE_PAGES)
		free(table);
	else
		munmap(table, bytes);
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
