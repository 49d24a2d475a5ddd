// SPDX-License-Identifier: GPL-2.0-or-later
/* A list of chunks, each twice the one before; only the last one has room. */
#include "util/arena.h"

#include <string.h>

#include "util/mem.h"

#define SMALLEST 1024u
#define LARGEST (256u << 10)

struct arena_chunk {
	struct arena_chunk *before;
	size_t bytes;
	char room[];
};

static void add_chunk(struct arena *arena, size_t wanted)
{
	size_t bytes = arena->last ? arena->last->bytes * 2 : SMALLEST;

	if (bytes > LARGEST)
		bytes = LARGEST;
	if (bytes < wanted)
		bytes = wanted;
	struct arena_chunk *chunk = xmalloc(sizeof(*chunk) + bytes);
	chunk->before = arena->last;
	chunk->bytes = bytes;
	arena->last = chunk;
	arena->at = chunk->room;
	arena->left = bytes;
}

char *arena_text(struct arena *arena, const char *text, size_t length)
{
	if (length >= arena->left)
		add_chunk(arena, length + 1);
	char *copy = arena->at;
	memcpy(copy, text, length);
	copy[length] = 0;
	arena->at += length + 1;
	arena->left -= length + 1;
	return copy;
}

void arena_clear(struct arena *arena)
{
	while (arena->last) {
		struct arena_chunk *chunk = arena->last;
		arena->last = chunk->before;
		free(chunk);
	}
	*arena = (struct arena){0};
}
