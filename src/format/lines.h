/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Lines of a text stream that may be compressed with gzip or zstd, through one buffer that grows
 * only with the longest line. What no reader could use (lines with NUL bytes, lines beyond
 * LINES_MAX_BYTES) is left out here, and counted.
 */
#ifndef DWELL_FORMAT_LINES_H
#define DWELL_FORMAT_LINES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "format/skipped.h"
#include "util/why.h"

#define LINES_MAX_BYTES (16u << 20)

struct lines;

/* The caller may write to the text: it lives until the next call. */
struct line {
	char *text;    /* ends with NUL in place of the newline */
	size_t length; /* no NUL within */
};

/* Borrows the stream and the counts. Never NULL. */
struct lines *lines_new(FILE *in, struct skipped *skipped);
void lines_free(struct lines *lines);

/* The first bytes of the text (at least 64 KiB and some whole lines if it has so many), to be
 * looked at; borrowed until the next call. */
const char *lines_peek(struct lines *lines, size_t *ret_length);
/* False at the end or after an error. */
bool lines_next(struct lines *lines, struct line *ret);
/* 0, or -errno with why: reading failed, or the compressed data is damaged or cut short. */
int lines_error(const struct lines *lines, struct why *why);

#endif
