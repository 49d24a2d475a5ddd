// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * .gnu_debuglink is a name, padding to four bytes and the CRC-32 that zlib computes, too.
 * .gnu_debugdata is an .xz stream; how much it may unpack to, and with how much memory, is bounded.
 */
#include "elf/debug_link.h"

#include <errno.h>
#include <lzma.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include "elf/section.h"
#include "util/vec.h"

#define MAX_LINK_BYTES 4096
#define MAX_CHECKED_BYTES (1LL << 30)
#define MAX_PACKED_BYTES (64ULL << 20)
#define MAX_UNPACKED_BYTES (128ULL << 20)
#define MAX_LZMA_MEMORY_BYTES (128ULL << 20)
#define CHUNK_BYTES (256U << 10)

bool debug_link_read(const struct elf_file *file, struct debug_link *ret)
{
	struct elf_section section;
	struct debug_link link = {0};

	if (elf_section_read(file, ".gnu_debuglink", MAX_LINK_BYTES, &section))
		return false;
	size_t length = strnlen((const char *)section.bytes, section.count);
	size_t checksum_at = (length + 4) & ~(size_t)3;
	if (!length || length >= sizeof(link.name) ||
		checksum_at + sizeof(link.checksum) > section.count)
		return false;
	memcpy(link.name, section.bytes, length);
	memcpy(&link.checksum, section.bytes + checksum_at, sizeof(link.checksum));
	if (strchr(link.name, '/') || !strcmp(link.name, ".") || !strcmp(link.name, ".."))
		return false;
	*ret = link;
	return true;
}

bool debug_link_matches(int fd, uint32_t checksum)
{
	_cleanup_free_ unsigned char *chunk = xmalloc(CHUNK_BYTES);
	uint64_t sum = crc32(0, NULL, 0);
	struct stat stat;
	off_t at = 0;

	if (fstat(fd, &stat) || stat.st_size > MAX_CHECKED_BYTES)
		return false;
	while (at < stat.st_size) {
		ssize_t got = pread(fd, chunk, CHUNK_BYTES, at);
		if (got <= 0)
			return false;
		sum = crc32(sum, chunk, (unsigned int)got);
		at += got;
	}
	return sum == checksum;
}

static int unpack(lzma_stream *stream, void **ret, size_t *ret_bytes)
{
	VEC(unsigned char) image = {0};
	lzma_ret status = LZMA_OK;

	while (status == LZMA_OK && image.count < MAX_UNPACKED_BYTES) {
		vec_reserve(&image, image.count + CHUNK_BYTES);
		stream->next_out = image.at + image.count;
		stream->avail_out = image.room - image.count;
		status = lzma_code(stream, LZMA_FINISH);
		image.count = image.room - stream->avail_out;
	}
	if (status != LZMA_STREAM_END) {
		vec_clear(&image);
		return status == LZMA_OK || status == LZMA_MEMLIMIT_ERROR ? -E2BIG : -EBADMSG;
	}
	*ret = image.at;
	*ret_bytes = image.count;
	return 0;
}

int debug_data_unpack(const struct elf_file *file, void **ret, size_t *ret_bytes)
{
	lzma_stream stream = LZMA_STREAM_INIT;
	struct elf_section section;
	int err = elf_section_read(file, ".gnu_debugdata", MAX_PACKED_BYTES, &section);

	if (err)
		return err;
	if (lzma_stream_decoder(&stream, MAX_LZMA_MEMORY_BYTES, 0) != LZMA_OK)
		return -EBADMSG;
	stream.next_in = section.bytes;
	stream.avail_in = section.count;
	err = unpack(&stream, ret, ret_bytes);
	lzma_end(&stream);
	return err;
}
