/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What --alloc means to a session: the library that COMMAND is started with, and what is said. */
#ifndef DWELL_CLI_HEAP_SESSION_H
#define DWELL_CLI_HEAP_SESSION_H

#include "cli/record_options.h"

/* All zero is a valid empty one. */
struct heap_session {
	char *library;      /* its path */
	char *preload;      /* LD_PRELOAD=... */
	char *period;       /* of the library's own */
	char *variables[3]; /* these, for the command; all NULL: none */
};

/*
 * If allocations are asked for: makes the library's file, names it in the options and sets what
 * COMMAND, whose file is `program` (NULL: not known), needs to find it. 0, or the status to exit
 * with after a complaint: one is that the program cannot be started so.
 */
int heap_session_prepare(
	struct heap_session *heap, struct record_options *options, const char *program);
void heap_session_clear(struct heap_session *heap);

/* What watching processes that run will cost them, on stderr. */
void heap_session_say_price(const struct capture *capture);
/* Which programs were not seen, likewise. */
void heap_session_say(struct capture *capture);

#endif
