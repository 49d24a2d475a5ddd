/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Arrays as bytes, for tables that one process of ours makes and another one uses. */
#ifndef DWELL_ELF_PACK_H
#define DWELL_ELF_PACK_H

#include <errno.h>
#include <stdint.h>
#include <string.h>

#include "util/vec.h"

struct elf_bytes {
	VEC(char) bytes;
};

/* What is left of the bytes; those who take from it find out whether it is enough. */
struct elf_cursor {
	const char *at;
	size_t left;
};

static inline void elf_bytes_add(struct elf_bytes *bytes, const void *from, size_t count)
{
	vec_append(&bytes->bytes, from, count);
}

static inline void elf_bytes_add_array(
	struct elf_bytes *bytes, const void *array, uint64_t count, size_t item_bytes)
{
	elf_bytes_add(bytes, &count, sizeof(count));
	elf_bytes_add(bytes, array, count * item_bytes);
}

static inline int elf_cursor_take(struct elf_cursor *at, void *to, size_t count)
{
	if (count > at->left)
		return -EBADMSG;
	if (count)
		memcpy(to, at->at, count);
	at->at += count;
	at->left -= count;
	return 0;
}

/* An array of at most `limit` items, the caller's to free; NULL if it is empty. */
static inline int elf_cursor_take_array(
	struct elf_cursor *at, uint64_t limit, size_t item_bytes, void **ret, size_t *ret_count)
{
	uint64_t count;

	if (elf_cursor_take(at, &count, sizeof(count)) || count > limit ||
		count > at->left / item_bytes)
		return -EBADMSG;
	*ret = count ? xmalloc(count * item_bytes) : NULL;
	*ret_count = count;
	return elf_cursor_take(at, *ret, count * item_bytes);
}

#endif
