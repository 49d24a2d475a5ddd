/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What a reader of other tools' text could not use, or used only in part: counted by reason, so
 * that whoever asked for the reading can say so. All zero is a valid empty count.
 */
#ifndef DWELL_FORMAT_SKIPPED_H
#define DWELL_FORMAT_SKIPPED_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "model/loss.h"

enum skip {
	SKIP_BINARY,    /* a line with NUL bytes */
	SKIP_TOO_LONG,  /* a line beyond any sense */
	SKIP_NO_COUNT,  /* a stack without a count */
	SKIP_NEGATIVE,  /* a count below zero */
	SKIP_TOO_LARGE, /* a count, or a sum of counts, that no 63 bits hold */
	SKIP_NO_STACK,  /* a count without a stack */
	SKIP_NO_TIME,   /* a scheduler event without its time or its fields */
	SKIP_HISTOGRAM, /* a map whose value is a histogram or statistics */
	SKIP_UNKNOWN,   /* anything else that was not understood */
	SKIP_CUT,       /* kept: a stack deeper than the limit lost its outer frames */
	SKIP_NOT_UTF8,  /* kept: a line with bytes that are no UTF-8 */
	SKIPS,
};

struct skipped {
	uint64_t lines;     /* all that were read */
	uint64_t empty;     /* of them */
	uint64_t in_blocks; /* more lines of what is counted once below: frames without a count */
	uint64_t counts[SKIPS];
};

/* "lines with NUL bytes", "counts below zero", ... */
const char *skip_text(enum skip skip);
/* What a recording calls it. */
enum loss skip_loss(enum skip skip);
/* Was the line used all the same? */
bool skip_is_kept(enum skip skip);
/* Lines that gave nothing. */
uint64_t skipped_total(const struct skipped *skipped);
/* Lines that are not what the reader knows, and those that could be. */
uint64_t skipped_odd_lines(const struct skipped *skipped);
uint64_t skipped_lines_with_text(const struct skipped *skipped);
/*
 * "skipped 3 of 120 lines: 2 without a count, 1 with NUL bytes; 1 line is not UTF-8": the words for
 * the user, or NULL if nothing was skipped or odd. Caller frees.
 */
char *skipped_words(const struct skipped *skipped);
/* "2 without a count, 1 with NUL bytes"; caller frees. */
char *skipped_reasons(const struct skipped *skipped);

#endif
