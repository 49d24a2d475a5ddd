/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Bytes on their way into a page: gzip, then base64, so that nothing in them can be taken for
 * markup, then the stream. Numbers go as LEB128: seven bits a byte, lowest first.
 */
#ifndef DWELL_RENDER_PAGE_PACK_H
#define DWELL_RENDER_PAGE_PACK_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

struct page_pack;

/* Borrows the stream. Errors of writing are the stream's. */
struct page_pack *page_pack_new(FILE *out);
void page_pack_bytes(struct page_pack *pack, const void *bytes, size_t length);
void page_pack_number(struct page_pack *pack, uint64_t number);
/* Small for numbers near 0, whatever their sign. */
void page_pack_signed(struct page_pack *pack, int64_t number);
/* Writes what is left and frees. */
void page_pack_finish(struct page_pack *pack);

/* Base64 alone, for what is in memory. */
void page_base64(FILE *out, const unsigned char *bytes, size_t length);

#endif
