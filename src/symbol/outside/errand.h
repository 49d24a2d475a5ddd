/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Errands to other processes: finding and opening their files, reading their mappings, their perf
 * maps and their memory. All of that is theirs: behind a path may be a file system that never
 * answers, behind a page of memory, too. So a helper process goes, with our rights, and is not
 * waited for long; of a process that let one wait in vain nothing more is asked. Without errands
 * (NULL) the same is done in this process: for what is our own, and for tests.
 */
#ifndef DWELL_SYMBOL_OUTSIDE_ERRAND_H
#define DWELL_SYMBOL_OUTSIDE_ERRAND_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "symbol/locate.h"
#include "util/helper.h"

struct errands;

int errands_new(struct errands **ret, struct why *why);
/* NULL is allowed. */
void errands_free(struct errands *errands);
/* The process has ended: its number may be another's soon, who did nothing. NULL is allowed. */
void errands_forget(struct errands *errands, uint32_t pid);
/* For their cost and their hurry. Borrowed. */
struct helpers *errands_helpers(struct errands *errands);

/* As the functions of symbol/locate.h: O_PATH fds, or -1. */
int errand_mapped_file(
	struct errands *errands, uint32_t pid, const struct map_line *line, struct file_stamp *ret);
int errand_told_file(
	struct errands *errands, uint32_t pid, const struct map_line *line, struct file_stamp *ret);
int errand_file(struct errands *errands, uint32_t pid, const char *path);
/* The first of these paths, from *at on, that there is; *at is set behind it. -1: none. */
int errand_any_file(
	struct errands *errands, uint32_t pid, const char *const *paths, size_t count, size_t *at);
/* As locate_open(); pid is whose file it is, 0: ours. -ETIMEDOUT: there is no answer. */
int errand_open(struct errands *errands, uint32_t pid, int path_fd, enum locate_use use);

/* The text of /proc/PID/task/TID/maps as it was at one moment. 0 or -errno. */
int errand_maps(struct errands *errands, uint32_t pid, uint32_t tid, FILE **ret);

/* How much of a perf map comes at once. */
#define ERRAND_PERF_MAP_BYTES (16ULL << 20)

/* Which file a perf map is, and how much of it was seen. */
struct perf_map_state {
	uint64_t device;
	uint64_t inode;
	uint64_t bytes;
};

/*
 * What is new in /tmp/perf-PID.map: if the file is not as `state` says, its text from `offset` on
 * (from 0 on if it is another file) as an fd of memory, and the new state. 1; 0: nothing is new;
 * -ENOENT: there is none; -EPERM: it is not to be trusted; -EACCES: nor to be read; -errno.
 */
int errand_perf_map(struct errands *errands, uint32_t pid, struct perf_map_state *state,
	uint64_t offset, int *ret_fd, bool *ret_is_other);

#define ERRAND_PAGES 4
#define ERRAND_PAGE_BYTES 4096

/*
 * Pages of a thread's memory from this address on, which is a multiple of their size. Only what is
 * the thread's own (anonymous) and was written before: reading other pages may run somebody's code.
 * The bits of those that were read; 0 if none was.
 */
uint32_t errand_memory(struct errands *errands, uint32_t pid, uint32_t tid, uint64_t address,
	char pages[static ERRAND_PAGES * ERRAND_PAGE_BYTES]);

/* Where a thread's stack begins. */
struct errand_stack {
	uint32_t pid;
	uint32_t tid;
	uint64_t address; /* a multiple of the size of pages */
};

#define ERRAND_STACKS 8
#define ERRAND_STACK_PAGES 2

/*
 * The first pages of the stacks of several threads by one question: `pages` has ERRAND_STACK_PAGES
 * for each, ret_read the bits of those that were read. False if there is no answer, which may be
 * the fault of any of them: they are to be asked for one by one.
 */
bool errand_stacks(struct errands *errands, const struct errand_stack *stacks, size_t count,
	uint32_t ret_read[static ERRAND_STACKS], char *pages);

#endif
