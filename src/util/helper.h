/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Helper processes. What strangers control (files, memory, file systems of other users) is touched
 * in a process of its own, one job at a time: what hangs, dies or is taken over there costs a
 * process and the answer to one question, never the program that asked. Any number of threads may
 * ask; a process that does not answer in time is killed, or left behind where that takes long, and
 * another one takes its place.
 */
#ifndef DWELL_UTIL_HELPER_H
#define DWELL_UTIL_HELPER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "util/why.h"

#define HELPER_MAX_FDS 2

/* A question or an answer. */
struct helper_message {
	void *bytes; /* malloc'ed where it is an answer */
	size_t count;
	int fds[HELPER_MAX_FDS];
	size_t fd_count;
};

/* Frees an answer's bytes and closes those of its fds that are not -1. */
void helper_message_clear(struct helper_message *message);

struct helper_kind {
	const char *name; /* of the processes, as ps shows it; 15 bytes at most */
	size_t most;      /* processes at once */
	size_t max_answer_bytes;
	uint32_t asleep_ms;  /* how long one may be asleep in a job */
	uint32_t working_ms; /* and how long it may take in all */
	/* In the new process, before its first job: gives up rights. 0 or -errno. */
	int (*prepare)(void);
	/* Answers a question, whose fds are closed afterwards. The answer is all zero before. */
	void (*handle)(const struct helper_message *question, struct helper_message *answer);
};

struct helpers;

/* Starts the processes, so that what stands in their way is known at once. */
int helpers_new(const struct helper_kind *kind, struct helpers **ret, struct why *why);
/* NULL is allowed. Nobody may be asking. */
void helpers_free(struct helpers *helpers);
/* While is_hurried() is true nobody is waited for who sleeps. NULL: never. */
void helpers_set_hurry(struct helpers *helpers, bool (*is_hurried)(void *context), void *context);

/* Takes urgency from the processes (util/urgency.h), which those have that an urgent one started.
 */
void helpers_calm(struct helpers *helpers);

/*
 * Asks, and waits for the answer, which is the caller's to clear. The question's fds stay the
 * caller's. -ETIMEDOUT: it did not come in time; -EPIPE: the process died of the question; -EAGAIN:
 * no process could be started.
 */
int helpers_ask(
	struct helpers *helpers, const struct helper_message *question, struct helper_message *ret);

struct helper_usage {
	uint64_t cpu_ns;
	uint64_t memory_bytes;
	uint64_t late; /* questions that were not answered in time */
	uint64_t died; /* of the question */
};

/* Adds what the processes took so far. */
void helpers_add_usage(struct helpers *helpers, struct helper_usage *usage);

#endif
