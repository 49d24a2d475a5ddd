/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Who has the other end of a pipe that somebody waits for: where the wait ends, the waker says it;
 * of waits that do not end, /proc does, which is looked through once for all of them.
 */
#ifndef DWELL_CAPTURE_PIPE_ENDS_H
#define DWELL_CAPTURE_PIPE_ENDS_H

#include <stdbool.h>
#include <stdint.h>

#include "util/map64.h"
#include "util/vec.h"

/* A process that has a pipe open. */
struct pipe_end {
	uint64_t inode;
	uint32_t pid;
	bool reads, writes;
};

/* All zero is a valid one that knows nothing. */
struct pipe_ends {
	struct map64 wanted; /* inode -> 1 */
	VEC(struct pipe_end) ends;
	struct map64 by_process; /* inode << 32 | pid -> index into ends + 1 */
	bool is_partial;         /* there is too much to look at: nobody is told */
};

void pipe_ends_want(struct pipe_ends *ends, uint64_t inode);
/* A process has an end, or both, of a pipe. */
void pipe_ends_add(struct pipe_ends *ends, const struct pipe_end *end);
/* Looks who has the pipes that are wanted; none: at nothing. */
void pipe_ends_look(struct pipe_ends *ends);
/*
 * The one process that has the other end of what `pid` waits for, of those that may be looked at; 0
 * if there are several, if that process has both ends itself, or if it is not told.
 */
uint32_t pipe_ends_other(const struct pipe_ends *ends, uint64_t inode, uint32_t pid);
void pipe_ends_clear(struct pipe_ends *ends);

#endif
