/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Memory that cannot fail and scopes that clean up after themselves. Out of memory aborts with a
 * message: sizes that come from files or /proc are bounded by the caller before they get here.
 */
#ifndef DWELL_UTIL_MEM_H
#define DWELL_UTIL_MEM_H

#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

/* For what allocates by itself: aborts with the message. */
__attribute__((noreturn)) void mem_exhausted(void);
/*
 * From now on memory that is freed goes back to the kernel at once, also to processes that are
 * forked: for programs that run long beside others, and seldom need much at a time.
 */
void mem_give_back_freed(void);
void *xmalloc(size_t bytes);
void *xcalloc(size_t count, size_t bytes);
/* Room for count items of the given size; aborts if the product overflows. */
void *xreallocarray(void *old, size_t count, size_t bytes);
/*
 * Memory for a table that is read in no order, all zero behind `old` bytes, which may be 0 with a
 * NULL table. A large one asks the kernel for huge pages: with small ones most of a look-up is
 * finding the page. Freed with its size.
 */
void *xtable_grow(void *table, size_t old, size_t bytes);
void xtable_free(void *table, size_t bytes);
char *xstrdup(const char *text);
char *xstrndup(const char *text, size_t length);
__attribute__((format(printf, 1, 2))) char *xasprintf(const char *format, ...);

static inline void mem_free_pointer(void *pointer)
{
	free(*(void **)pointer);
}

static inline void mem_close_fd(int *fd)
{
	if (*fd >= 0)
		close(*fd);
}

static inline void mem_close_file(FILE **file)
{
	if (*file)
		fclose(*file);
}

#define _cleanup_(function) __attribute__((cleanup(function)))
#define _cleanup_free_ _cleanup_(mem_free_pointer)
#define _cleanup_close_ _cleanup_(mem_close_fd)
#define _cleanup_fclose_ _cleanup_(mem_close_file)

#define ARRAY_SIZE(array) (sizeof(array) / sizeof((array)[0]))

#endif
