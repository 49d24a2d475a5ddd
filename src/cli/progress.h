/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The live line of a recording, in words. */
#ifndef DWELL_CLI_PROGRESS_H
#define DWELL_CLI_PROGRESS_H

#include "capture/capture.h"

struct progress {
	struct capture_progress now;
	uint64_t new_waits;   /* since the line before */
	uint64_t since_ns;    /* how long ago that was; 0: there was none */
	uint64_t duration_ns; /* 0: until somebody stops it */
	bool has_command;     /* it ends with that */
};

/*
 * "recording 12 s of 30 s: 569 threads, 84,120 waits (8,020/s), nothing lost; tables 36 MiB;
 * Ctrl-C stops", less what does not fit into so many columns. A line that is wider than the
 * terminal could not be taken back. Caller frees.
 */
char *progress_line(const struct progress *progress, size_t columns);

#endif
