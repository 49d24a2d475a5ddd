/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What those who ask and those who go share; errand.h is for others. */
#ifndef DWELL_SYMBOL_OUTSIDE_ERRAND_PRIVATE_H
#define DWELL_SYMBOL_OUTSIDE_ERRAND_PRIVATE_H

#include "symbol/outside/errand.h"

enum errand_kind {
	ERRAND_MAPPED_FILE,
	ERRAND_TOLD_FILE,
	ERRAND_FILE, /* one of several paths, each with its NUL */
	ERRAND_OPEN, /* with an fd */
	ERRAND_MAPS,
	ERRAND_PERF_MAP,
	ERRAND_MEMORY,
	ERRAND_FIRST_PAGES, /* of several stacks: struct errand_stack each, and a NUL */
};

/* Behind it stands a path, which ends the question. */
struct errand_question {
	enum errand_kind kind;
	uint32_t pid;
	uint32_t tid;
	enum locate_use use;
	struct map_line line; /* its path is not looked at */
	struct perf_map_state state;
	uint64_t offset;
	uint64_t address;
};

#define ERRAND_TEXT_BYTES (64U << 10)

/* Behind it stand the pages of memory that were asked for, or the text of ERRAND_MAPS, if that is
 * short. */
struct errand_answer {
	int result; /* 0 or more, with an fd where one was asked for; -errno */
	struct file_stamp stamp;
	struct perf_map_state state;
	bool is_other;
	uint32_t position; /* of the path that there is */
	uint32_t text_bytes;
	uint32_t pages; /* bits of those that were read */
};

/* For helpers, and for those who have none. */
void errand_go(const struct helper_message *question, struct helper_message *answer);

/* 1: fd and state are set, is_other if the file is not that of `state`; as errand_perf_map(). */
int perf_map_find(uint32_t pid, struct perf_map_state *state, bool *ret_is_other, int *ret_path_fd);

#endif
