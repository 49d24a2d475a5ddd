// SPDX-License-Identifier: GPL-2.0-or-later
/* The header says how much will come out; exactly that much must. */
#include "elf/unpack.h"

#include <elf.h>
#include <errno.h>
#include <stdbool.h>
#include <string.h>
#include <zlib.h>
#include <zstd.h>

#include "util/mem.h"

/* Newer than some elf.h. */
#define COMPRESSED_ZSTD 2

static bool unpack_zlib(
	const unsigned char *from, size_t from_count, unsigned char *to, size_t count)
{
	uLongf got = count;

	return uncompress(to, &got, from, from_count) == Z_OK && got == count;
}

static bool unpack_zstd(
	const unsigned char *from, size_t from_count, unsigned char *to, size_t count)
{
	return ZSTD_decompress(to, count, from, from_count) == count;
}

int unpack_section(const unsigned char *bytes, size_t count, uint64_t limit, unsigned char **ret,
	size_t *ret_count)
{
	_cleanup_free_ unsigned char *to = NULL;
	Elf64_Chdr header;
	bool is_good;

	if (count < sizeof(header))
		return -EBADMSG;
	memcpy(&header, bytes, sizeof(header));
	if (header.ch_size > limit)
		return -E2BIG;
	if (header.ch_type != ELFCOMPRESS_ZLIB && header.ch_type != COMPRESSED_ZSTD)
		return -ENOTSUP;
	if (!header.ch_size)
		return -EBADMSG;
	bytes += sizeof(header);
	count -= sizeof(header);
	to = xmalloc(header.ch_size);
	is_good = header.ch_type == ELFCOMPRESS_ZLIB
			  ? unpack_zlib(bytes, count, to, header.ch_size)
			  : unpack_zstd(bytes, count, to, header.ch_size);
	if (!is_good)
		return -EBADMSG;
	*ret_count = header.ch_size;
	*ret = to;
	to = NULL;
	return 0;
}
