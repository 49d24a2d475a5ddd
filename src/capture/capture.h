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

#include "kernel/options.h"
#include "recording/writer.h"
#include "util/why.h"

struct capture;

struct capture_progress {
	uint64_t elapsed_ns;
	uint64_t threads; /* alive */
	uint64_t waits;   /* ended so far */
	uint64_t table_bytes;
	uint64_t lost;
	bool has_target; /* some target thread is still alive */
};

/*
 * How long slices are in a recording of at most so long (0: of any length): short ones as long as a
 * page can show each of them, because more of them are larger files that take longer to read.
 */
uint64_t capture_default_slice(uint64_t duration_ns);

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
/*
 * Closes the window, books what is open, detaches, commits all. From here on the process has the
 * priority of the start again, and keeps it: somebody waits for what it has to say.
 */
int capture_stop(struct capture *capture, struct why *why);
/* After stop: the recording's summary, to be completed and given to capture_finish(). */
struct rec_meta *capture_meta(struct capture *capture);
int capture_finish(struct capture *capture, struct why *why);
void capture_free(struct capture *capture);

/* What watching the allocators of processes that run costs them, as it looked before. */
struct capture_price {
	uint64_t calls_per_s;
	uint64_t trap_ns;
	double share; /* of their CPU time */
};

/* NULL: none are watched, or nobody called them. */
const struct capture_price *capture_price(const struct capture *capture);
/* How many programs COMMAND was or started whose allocations nobody saw; with the file of one. */
uint64_t capture_unwatched(struct capture *capture, const char **ret_exe);

/* Calls of one function that ended so far. Texts live as long as the capture. */
struct capture_calls {
	const char *name; /* as rec_function.name */
	enum call_kind kind;
	struct call_lengths lengths;   /* of all */
	uint64_t outer;                /* but those within others of the same function; of these: */
	uint64_t wall_ns;              /* */
	uint64_t part_ns[TIME_STATES]; /* */
	uint64_t errors;
	uint64_t slow;
	uint64_t slow_from_ns; /* as of now */
	uint64_t open;         /* have not ended, when it was looked last */
	uint64_t oldest_ns;    /* how old the oldest of these is */
	uint64_t left;         /* by longjmp() or an exception */
	uint64_t unmatched;
};

/* Of each function that is watched; *ret_count 0: no calls are. Valid until the next step. */
const struct capture_calls *capture_calls(const struct capture *capture, size_t *ret_count);

/* What watching calls costs the target, as it looked before the recording; NULL: it was not looked,
 * or nothing was called. */
struct capture_call_price {
	uint64_t calls_per_s; /* of all functions that are watched */
	uint64_t call_ns;     /* that each of them takes longer, on average */
	double share;         /* of the processes' CPU time */
	bool is_of_machine;   /* of the machine's: the target is not some processes */
};

const struct capture_call_price *capture_call_price(const struct capture *capture);

/* The same functions as they were found: kernel/call_place.h. */
const struct call_function *capture_call_functions(
	const struct capture *capture, size_t *ret_count);
/* How many more fit patterns, whose code is not understood. */
size_t capture_calls_left_out(const struct capture *capture);

/* For those that the start waits for: 0, or -EINTR if it is to end. */
int capture_go_on(const struct capture_options *options, struct why *why);

#endif
