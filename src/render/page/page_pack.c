// SPDX-License-Identifier: GPL-2.0-or-later
/* gzip by zlib; base64 by hand, because zlib has none. */
#include "render/page/page_pack.h"

#include <string.h>
#include <zlib.h>

#include "util/mem.h"

#define ROOM (1 << 16)
/* A window of 32 KiB, with gzip's head instead of zlib's. */
#define GZIP_WINDOW_BITS (15 + 16)

struct page_pack {
	FILE *out;
	z_stream stream;
	size_t used;
	unsigned char plain[ROOM];
	unsigned char packed[ROOM];
	unsigned char rest[3]; /* bytes that do not make up four digits yet */
	size_t rest_count;
};

static void put_digits(FILE *out, const unsigned char *bytes, size_t count)
{
	static const char digits[] =
		"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
	uint32_t word = (uint32_t)bytes[0] << 16 | (count > 1 ? (uint32_t)bytes[1] << 8 : 0) |
			(count > 2 ? bytes[2] : 0);
	char text[4] = {digits[word >> 18], digits[word >> 12 & 63],
		count > 1 ? digits[word >> 6 & 63] : '=', count > 2 ? digits[word & 63] : '='};

	fwrite(text, 1, sizeof(text), out);
}

void page_base64(FILE *out, const unsigned char *bytes, size_t length)
{
	for (size_t at = 0; at < length; at += 3)
		put_digits(out, bytes + at, length - at < 3 ? length - at : 3);
}

static void put_packed(struct page_pack *pack, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		pack->rest[pack->rest_count++] = pack->packed[i];
		if (pack->rest_count == 3) {
			put_digits(pack->out, pack->rest, 3);
			pack->rest_count = 0;
		}
	}
}

static void deflate_plain(struct page_pack *pack, int flush)
{
	pack->stream.next_in = pack->plain;
	pack->stream.avail_in = (unsigned int)pack->used;
	do {
		pack->stream.next_out = pack->packed;
		pack->stream.avail_out = ROOM;
		deflate(&pack->stream, flush);
		put_packed(pack, ROOM - pack->stream.avail_out);
	} while (!pack->stream.avail_out);
	pack->used = 0;
}

struct page_pack *page_pack_new(FILE *out)
{
	struct page_pack *pack = xcalloc(1, sizeof(*pack));

	pack->out = out;
	/* Fails only for want of memory, or if the library is another than the header's. */
	if (deflateInit2(&pack->stream, Z_DEFAULT_COMPRESSION, Z_DEFLATED, GZIP_WINDOW_BITS, 9,
		    Z_DEFAULT_STRATEGY) != Z_OK)
		abort();
	return pack;
}

void page_pack_bytes(struct page_pack *pack, const void *bytes, size_t length)
{
	const unsigned char *at = bytes;

	while (length) {
		size_t part = length < ROOM - pack->used ? length : ROOM - pack->used;
		memcpy(pack->plain + pack->used, at, part);
		pack->used += part;
		at += part;
		length -= part;
		if (pack->used == ROOM)
			deflate_plain(pack, Z_NO_FLUSH);
	}
}

void page_pack_number(struct page_pack *pack, uint64_t number)
{
	unsigned char bytes[10];
	size_t count = 0;

	do {
		bytes[count] = number & 127;
		number >>= 7;
		if (number)
			bytes[count] |= 128;
		count++;
	} while (number);
	page_pack_bytes(pack, bytes, count);
}

void page_pack_signed(struct page_pack *pack, int64_t number)
{
	page_pack_number(pack, (uint64_t)number << 1 ^ (uint64_t)(number >> 63));
}

void page_pack_finish(struct page_pack *pack)
{
	deflate_plain(pack, Z_FINISH);
	if (pack->rest_count)
		put_digits(pack->out, pack->rest, pack->rest_count);
	deflateEnd(&pack->stream);
	free(pack);
}
