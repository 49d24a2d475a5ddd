/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Reads what other profilers wrote, whatever it is, as stacks with weights: folded text (also the
 * two columns of difffolded.pl), bpftrace's maps, bcc's multi-line stacks, and the text of `perf
 * script`; plain, gzip or zstd. The format is found from the first lines.
 *
 * Of `perf script` text with scheduler switches the stacks are off-CPU time (blocked, then runnable
 * with a last frame [runq] or [preempted]), in nanoseconds; without them, samples.
 */
#ifndef DWELL_FORMAT_STACKS_H
#define DWELL_FORMAT_STACKS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "format/skipped.h"
#include "util/why.h"

enum stack_format {
	STACKS_UNKNOWN,
	STACKS_FOLDED,
	STACKS_FOLDED_DIFF, /* two counts: before and after */
	STACKS_BPFTRACE,
	STACKS_BCC,
	STACKS_PERF,
	STACK_FORMATS,
};

/* "folded text", "perf script", ... */
const char *stack_format_name(enum stack_format format);
/* The format of a text that begins like this. */
enum stack_format stack_format_of(const char *text, size_t length);

/* Deeper stacks lose their outermost frames, and are counted. */
#define STACKS_MAX_DEPTH 16384

/* Names are as in the file: not clean, perhaps no UTF-8, but without NUL and newline. */
struct stack_frame {
	const char *name; /* ends with NUL */
	size_t length;
	const char *object; /* file that holds it, "" if not told */
	bool is_kernel;     /* if that could be told: by address, object or suffix _[k] */
};

/* All of it is borrowed for the call only. */
struct stack {
	const struct stack_frame *frames; /* root first; the first is the thread's name if told */
	size_t depth;                     /* at least 1 */
	size_t shared;                    /* so many frames are those of the stack before; or 0 */
	uint64_t weight;                  /* two columns: after */
	uint64_t before;                  /* two columns only */
	const char *unit;                 /* "samples", "ns", "us", "ms", "bytes", "" unknown */
	bool has_name;                    /* frames[0] is a thread's name for certain */
};

struct stack_sink {
	/* A value other than 0 ends the reading and is returned. */
	int (*add)(const struct stack *stack, void *context);
	void *context;
};

/*
 * Reads the stream to its end and hands each stack to the sink; stacks may come more than once.
 * 0; -ENODATA: empty; -EINVAL: no format that is known; other -errno: reading failed, or the sink's
 * value. `skipped` counts on, so that several files add up; ret_format may be NULL.
 */
int stacks_read(FILE *in, const struct stack_sink *sink, struct skipped *skipped,
	enum stack_format *ret_format, struct why *why);

#endif
