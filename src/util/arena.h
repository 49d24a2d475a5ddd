/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Texts that are made one by one and freed all at once: cheaper than a malloc for each, and close
 * together. All zero is a valid empty arena.
 */
#ifndef DWELL_UTIL_ARENA_H
#define DWELL_UTIL_ARENA_H

#include <stddef.h>

struct arena_chunk;

struct arena {
	struct arena_chunk *last;
	char *at; /* free room in the last chunk */
	size_t left;
};

/* A copy that ends with NUL; it stays where it is until the arena is cleared. */
char *arena_text(struct arena *arena, const char *text, size_t length);
void arena_clear(struct arena *arena);

#endif
