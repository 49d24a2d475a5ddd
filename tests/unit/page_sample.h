/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Pages of sample recordings, and what is packed in them. Include after cmocka. */
#ifndef DWELL_TESTS_PAGE_SAMPLE_H
#define DWELL_TESTS_PAGE_SAMPLE_H

#include <string.h>
#include <zlib.h>

#include "render/page/page.h"
#include "view_sample.h"

/* The page of all of a recording that is open. Caller frees. */
static inline char *page_of(struct view_sample *sample, bool is_redacted)
{
	static const struct stack_shape by_comm = {.by = {BY_COMM}, .by_count = 1};
	struct page_options options = {.file = "a.dwell",
		.command = "dwell html",
		.by = "comm",
		.is_redacted = is_redacted};
	struct summary_shapes shapes = {by_comm, by_comm};
	struct view_filter filter;
	struct summary *summary = NULL;
	struct cube *cube = NULL;
	struct why why = {""};
	char *text = NULL;

	view_filter_init(&filter);
	if (summary_new(sample->recording, &filter, &shapes, &summary, &why) ||
		cube_new(sample->recording, &filter, &by_comm, NULL, summary, &cube, &why))
		fail_msg("%s", why.text);
	sample_print(text, out, page_write(cube, summary, &options, out, &why));
	cube_free(cube);
	summary_free(summary);
	return text;
}

static inline int digit_value(char digit)
{
	static const char digits[] =
		"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
	const char *at = strchr(digits, digit);

	return digit && at ? (int)(at - digits) : -1;
}

/* The JSON that is packed in a page. Caller frees. */
static inline char *head_of(const char *page)
{
	static const char mark[] = "id=\"dwell-data\">";
	const char *at = strstr(page, mark);
	_cleanup_free_ unsigned char *packed = xmalloc(strlen(page));
	unsigned char *plain = xmalloc(1 << 20);
	z_stream stream = {.next_in = packed, .next_out = plain, .avail_out = 1 << 20};
	uint32_t word = 0, length;

	assert_non_null(at);
	at += strlen(mark);
	for (unsigned int bits = 0; digit_value(*at) >= 0; at++) {
		word = word << 6 | (uint32_t)digit_value(*at);
		bits += 6;
		if (bits < 8)
			continue;
		bits -= 8;
		packed[stream.avail_in++] = (unsigned char)(word >> bits);
	}
	assert_int_equal(inflateInit2(&stream, 15 + 16), Z_OK);
	assert_int_equal(inflate(&stream, Z_FINISH), Z_STREAM_END);
	memcpy(&length, plain, sizeof(length));
	assert_true(length + 4 < stream.total_out);
	inflateEnd(&stream);
	memmove(plain, plain + 4, length);
	plain[length] = 0;
	return (char *)plain;
}

#endif
