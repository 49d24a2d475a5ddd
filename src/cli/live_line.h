/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The line at the bottom of a terminal that is written over and over: what the start is doing, how
 * far the recording is, what the end is doing; above it, if it is asked for, a table of calls.
 * Nothing else may write there while it is shown, so
 * it is taken back before any message.
 */
#ifndef DWELL_CLI_LIVE_LINE_H
#define DWELL_CLI_LIVE_LINE_H

#include "cli/record_options.h"

struct live_line {
	bool is_wanted; /* on a terminal, and not quiet */
	bool is_shown;
	size_t rows;                    /* shown above it */
	struct capture_progress before; /* what the last line about the recording said */
	uint64_t calls_before[CONTRACT_CALL_FUNCTIONS]; /* likewise, the last table */
};

void live_line_init(struct live_line *line, bool is_quiet);

/* How far the recording is. */
void live_line_progress(struct live_line *line, const struct capture *capture,
	const struct record_options *options);
/* What is being done, in words: on a large machine start and end take a while. */
void live_line_words(struct live_line *line, const char *words);
/* The same for a part of the start, of which `done` of `all` are done if that can be counted (all
 * != 0). */
void live_line_stage(struct live_line *line, enum start_stage stage, size_t done, size_t all);
/* Takes the line back. */
void live_line_end(struct live_line *line);

#endif
