/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Foreign text into XML: whatever the bytes are, the result is well-formed and stays text, inside
 * elements and inside quoted attributes. Characters that XML or a reader's eye cannot bear
 * (controls, bidirectional overrides, bytes that are not UTF-8) become '?'.
 */
#ifndef DWELL_RENDER_FLAME_SVG_TEXT_H
#define DWELL_RENDER_FLAME_SVG_TEXT_H

#include <stddef.h>
#include <stdio.h>

/* Bytes of a name that are written; the rest is replaced by its length. */
#define SVG_NAME_BYTES 4096

void svg_put_text(FILE *out, const char *text);
/* The same for the first `length` bytes. */
void svg_put_bytes(FILE *out, const char *text, size_t length);
/* A name of `length` bytes, cut to SVG_NAME_BYTES: "aaaa... (1,048,576 bytes)". */
void svg_put_name(FILE *out, const char *name, size_t length);
/* At most `room` characters of the name, with an ellipsis for what was cut at its end or start. */
void svg_put_label(FILE *out, const char *name, size_t length, size_t room, int cuts_start);
/* A coordinate: two decimals, without trailing zeros. */
void svg_put_number(FILE *out, double number);

#endif
