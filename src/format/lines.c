// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The buffer holds [start, end), of which no byte before `searched` is a newline. A line is handed
 * out in place. When no newline is left, the rest moves to the front and the buffer is filled up,
 * doubled if the rest is more than half of it.
 */
#include "format/lines.h"

#include <errno.h>
#include <stdint.h>
#include <string.h>

#include <zlib.h>
#include <zstd.h>

#include "util/mem.h"
#include "util/text.h"

#define BUFFER_BYTES (256u << 10)
#define PEEK_BYTES (64u << 10)
#define PEEK_LINES 8
#define INPUT_BYTES (128u << 10)

enum packing { PLAIN, GZIP, ZSTD };

struct lines {
	FILE *in;
	struct skipped *skipped;
	char *buffer;
	size_t room;
	size_t start;
	size_t searched;
	size_t end;
	bool is_plain; /* no byte that is held is NUL or beyond ASCII */
	bool is_at_end;
	bool is_too_long; /* inside a line that is being left out */
	int error;
	const char *trouble;
	enum packing packing;
	bool is_inside; /* of a compressed member that has not ended */
	unsigned char *input;
	size_t input_at;
	size_t input_end;
	z_stream gzip;
	ZSTD_DStream *zstd;
};

/* Fills the input of a decompressor; false at the end of the stream. */
static bool fill_input(struct lines *lines)
{
	if (lines->input_at < lines->input_end)
		return true;
	lines->input_at = 0;
	lines->input_end = fread(lines->input, 1, INPUT_BYTES, lines->in);
	if (!lines->input_end && ferror(lines->in)) {
		lines->error = -(errno ? errno : EIO);
		lines->trouble = strerror(-lines->error);
	}
	return lines->input_end > 0;
}

static void fail_damaged(struct lines *lines, const char *trouble)
{
	lines->error = -EBADMSG;
	lines->trouble = trouble;
}

static size_t read_gzip(struct lines *lines, char *to, size_t room)
{
	z_stream *gzip = &lines->gzip;

	gzip->next_out = (unsigned char *)to;
	gzip->avail_out = (unsigned int)room;
	/* Without more input there may still be output that found no room before. */
	while (gzip->avail_out == room && (fill_input(lines) || lines->is_inside)) {
		gzip->next_in = lines->input + lines->input_at;
		gzip->avail_in = (unsigned int)(lines->input_end - lines->input_at);
		bool has_input = gzip->avail_in;
		int code = inflate(gzip, Z_NO_FLUSH);
		lines->input_at = lines->input_end - gzip->avail_in;
		lines->is_inside = code != Z_STREAM_END;
		/* Another member may follow, as after `cat a.gz b.gz`. */
		if (code == Z_STREAM_END)
			inflateReset(gzip);
		else if (code != Z_OK && code != Z_BUF_ERROR)
			fail_damaged(lines, "damaged gzip data");
		if (lines->error || (!has_input && gzip->avail_out == room))
			break;
	}
	return room - gzip->avail_out;
}

static size_t read_zstd(struct lines *lines, char *to, size_t room)
{
	ZSTD_outBuffer out = {to, room, 0};

	while (!out.pos && (fill_input(lines) || lines->is_inside)) {
		ZSTD_inBuffer in = {lines->input, lines->input_end, lines->input_at};
		bool has_input = in.pos < in.size;
		size_t left = ZSTD_decompressStream(lines->zstd, &out, &in);
		if (ZSTD_isError(left)) {
			fail_damaged(lines, "damaged zstd data");
			break;
		}
		lines->input_at = in.pos;
		lines->is_inside = left != 0;
		if (!has_input && !out.pos)
			break;
	}
	return out.pos;
}

static size_t read_plain(struct lines *lines, char *to, size_t room)
{
	size_t held = lines->input_end - lines->input_at;

	if (held) {
		if (held > room)
			held = room;
		memcpy(to, lines->input + lines->input_at, held);
		lines->input_at += held;
		return held;
	}
	size_t got = fread(to, 1, room, lines->in);
	if (!got && ferror(lines->in)) {
		lines->error = -(errno ? errno : EIO);
		lines->trouble = strerror(-lines->error);
	}
	return got;
}

static size_t read_some(struct lines *lines, char *to, size_t room)
{
	size_t got = lines->packing == GZIP   ? read_gzip(lines, to, room)
		     : lines->packing == ZSTD ? read_zstd(lines, to, room)
					      : read_plain(lines, to, room);

	if (!got && lines->is_inside && !lines->error)
		fail_damaged(lines, "the compressed data ends early");
	return got;
}

/* The first bytes tell how the stream is packed. */
static void find_packing(struct lines *lines)
{
	static const unsigned char gzip[] = {0x1f, 0x8b, 8}, zstd[] = {0x28, 0xb5, 0x2f, 0xfd};

	if (!fill_input(lines))
		return;
	if (lines->input_end >= sizeof(gzip) && !memcmp(lines->input, gzip, sizeof(gzip)) &&
		inflateInit2(&lines->gzip, 15 + 16) == Z_OK) {
		lines->packing = GZIP;
	} else if (lines->input_end >= sizeof(zstd) && !memcmp(lines->input, zstd, sizeof(zstd))) {
		lines->zstd = ZSTD_createDStream();
		if (lines->zstd)
			lines->packing = ZSTD;
	}
}

struct lines *lines_new(FILE *in, struct skipped *skipped)
{
	struct lines *lines = xcalloc(1, sizeof(*lines));

	lines->in = in;
	lines->skipped = skipped;
	lines->room = BUFFER_BYTES;
	lines->buffer = xmalloc(lines->room + 1);
	lines->input = xmalloc(INPUT_BYTES);
	find_packing(lines);
	return lines;
}

void lines_free(struct lines *lines)
{
	if (!lines)
		return;
	if (lines->packing == GZIP)
		inflateEnd(&lines->gzip);
	ZSTD_freeDStream(lines->zstd);
	free(lines->input);
	free(lines->buffer);
	free(lines);
}

/* One pass over the bytes: is there a NUL, is there a byte beyond ASCII? */
static void scan(const char *text, size_t length, bool *ret_has_nul, bool *ret_is_ascii)
{
	const uint64_t ones = 0x0101010101010101ULL, highs = 0x8080808080808080ULL;
	uint64_t any = 0, zeros = 0, word;
	size_t i = 0;

	for (; i + 8 <= length; i += 8) {
		memcpy(&word, text + i, 8);
		any |= word;
		zeros |= (word - ones) & ~word & highs;
	}
	for (; i < length; i++) {
		any |= (unsigned char)text[i];
		zeros |= !text[i];
	}
	*ret_has_nul = zeros;
	*ret_is_ascii = !(any & highs);
}

/* More text behind what is there; false at the end. */
static bool fill(struct lines *lines)
{
	size_t held = lines->end - lines->start;
	bool has_nul, is_ascii;

	if (lines->is_at_end || lines->error)
		return false;
	if (held && lines->start)
		memmove(lines->buffer, lines->buffer + lines->start, held);
	lines->searched -= lines->start;
	lines->start = 0;
	lines->end = held;
	if (held > lines->room / 2) {
		lines->room *= 2;
		lines->buffer = xreallocarray(lines->buffer, lines->room + 1, 1);
	}
	size_t got = read_some(lines, lines->buffer + held, lines->room - held);
	lines->end += got;
	lines->is_at_end = !got;
	/* At once for all lines, of which most need no look of their own then. */
	scan(lines->buffer, lines->end, &has_nul, &is_ascii);
	lines->is_plain = !has_nul && is_ascii;
	return got > 0;
}

/* Enough to tell the format from? A first line may be longer than other files. */
static bool has_enough(const struct lines *lines)
{
	const char *at = lines->buffer + lines->start, *end = lines->buffer + lines->end;
	size_t held = lines->end - lines->start;

	if (held < PEEK_BYTES)
		return false;
	for (unsigned int i = 0; i < PEEK_LINES && at; i++) {
		at = memchr(at, '\n', (size_t)(end - at));
		at = at ? at + 1 : NULL;
	}
	return at || held > 2 * LINES_MAX_BYTES;
}

const char *lines_peek(struct lines *lines, size_t *ret_length)
{
	while (!has_enough(lines) && fill(lines))
		;
	*ret_length = lines->end - lines->start;
	return lines->buffer + lines->start;
}

static bool is_utf8(const char *text)
{
	while (*text) {
		size_t length = text_utf8_length(text);
		if (!length)
			return false;
		text += length;
	}
	return true;
}

/* Counts the line; false if it is to be left out. */
static bool accept(struct lines *lines, const struct line *line)
{
	bool has_nul, is_ascii;

	lines->skipped->lines++;
	lines->skipped->empty += !line->length && !lines->is_too_long;
	if (lines->is_too_long || line->length > LINES_MAX_BYTES) {
		lines->skipped->counts[SKIP_TOO_LONG]++;
		lines->is_too_long = false;
		return false;
	}
	if (lines->is_plain)
		return true;
	scan(line->text, line->length, &has_nul, &is_ascii);
	if (has_nul) {
		lines->skipped->counts[SKIP_BINARY]++;
		return false;
	}
	if (!is_ascii && !is_utf8(line->text))
		lines->skipped->counts[SKIP_NOT_UTF8]++;
	return true;
}

static struct line take(struct lines *lines, size_t length)
{
	struct line line = {lines->buffer + lines->start, length};

	line.text[length] = 0;
	if (length && line.text[length - 1] == '\r')
		line.text[--line.length] = 0;
	return line;
}

bool lines_next(struct lines *lines, struct line *ret)
{
	for (;;) {
		char *newline =
			memchr(lines->buffer + lines->searched, '\n', lines->end - lines->searched);
		if (newline) {
			size_t length = (size_t)(newline - lines->buffer) - lines->start;
			*ret = take(lines, length);
			lines->start += length + 1;
			lines->searched = lines->start;
			if (accept(lines, ret))
				return true;
			continue;
		}
		lines->searched = lines->end;
		/* Of a line that is left out nothing needs to be held. */
		if (lines->end - lines->start > LINES_MAX_BYTES) {
			lines->is_too_long = true;
			lines->start = lines->end;
		}
		if (fill(lines))
			continue;
		if (lines->error || (lines->start == lines->end && !lines->is_too_long))
			return false;
		*ret = take(lines, lines->end - lines->start);
		lines->start = lines->searched = lines->end;
		return accept(lines, ret);
	}
}

int lines_error(const struct lines *lines, struct why *why)
{
	return lines->error ? why_set(why, lines->error, "%s", lines->trouble) : 0;
}
