/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A recording in the making: loads the kernel side, opens the window, drains what it sums, names it
 * and writes it, slice by slice. Life cycle: new, start, step ... step, stop, finish, free.
 */
#ifndef DWELL_CAPTURE_H
#define DWELL_CAPTURE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "contract/contract.h"
#include "recording/writer.h"
#include "util/why.h"

struct capture;

struct capture_options {
	enum target_kind target;
	const uint32_t *ids; /* TARGET_PIDS, TARGET_TIDS, TARGET_COMMAND */
	size_t id_count;
	uint32_t command_pid; /* of a command that we started, target or not; 0: none */
	const char *comm_glob;
	const char *cgroup;
	bool has_user_threads;
	bool has_kernel_threads;
	uint64_t min_wait_ns; /* waits outside keep their time, not their stacks */
	uint64_t max_wait_ns;
	uint32_t sample_hz; /* 0: no sampling */
	uint64_t slice_ns;
	uint64_t memory_bytes; /* for all tables */
	enum user_stacks user_stacks;
	bool has_cache;                /* keep unwind tables on disk */
	bool has_stacks;               /* false: only time is counted */
	bool has_self;                 /* record dwell too */
	uint64_t duration_ns;          /* the window's length at most, 0: until stopped */
	uint32_t depth;                /* hops kept of each chain of wakers; 0: no chains */
	uint64_t waker_stacks_from_ns; /* wakers of shorter waits get no stack */
	/* Asked until the window is open: true ends the start. NULL: it is not to be ended. */
	bool (*is_stopped)(void *context);
	void *stop_context;
	/* For the recording's meta table. */
	const char *target_text;
	const char *command_line;
};

/* Smallest and largest values that make sense for slice_ns, memory_bytes and sample_hz. */
#define CAPTURE_MIN_SLICE_NS 1000000ULL
#define CAPTURE_MIN_MEMORY (8ULL << 20)
#define CAPTURE_MAX_HZ 10000
#define CAPTURE_DEFAULT_DEPTH 8

struct capture_progress {
	uint64_t elapsed_ns;
	uint64_t threads; /* alive */
	uint64_t waits;   /* ended so far */
	uint64_t table_bytes;
	uint64_t lost;
	bool has_target; /* some target thread is still alive */
};

/*
 * Loads the kernel side; nothing runs yet. Borrows what options point to until freed.
 * -EPERM, -ENOTSUP or -ENOMEM: rights, kernel feature or memory are missing, and why says what to
 * do.
 */
int capture_new(const struct capture_options *options, struct capture **ret, struct why *why);
/*
 * Attaches, reads the threads that exist and opens the window; returns when it is open. Borrows
 * writer. -ESRCH: of the processes or threads asked for, none can be seen. -EINTR: is_stopped.
 */
int capture_start(struct capture *capture, struct recording_writer *writer, struct why *why);
/* Readable when a step has something to do. */
int capture_fd(const struct capture *capture);
/* Writes what was drained. An error means that the file cannot be written. */
int capture_step(struct capture *capture, struct why *why);
void capture_progress(const struct capture *capture, struct capture_progress *ret);
/* Closes the window, books what is open, detaches, commits all. */
int capture_stop(struct capture *capture, struct why *why);
/* After stop: the recording's summary, to be completed and given to capture_finish(). */
struct rec_meta *capture_meta(struct capture *capture);
int capture_finish(struct capture *capture, struct why *why);
void capture_free(struct capture *capture);

/* For those that the start waits for: 0, or -EINTR if it is to end. */
int capture_go_on(const struct capture_options *options, struct why *why);

#endif
