/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Reads what other profilers wrote, whatever it is, as stacks with weights: folded text (also the
 * two columns of difffolded.pl), bpftrace's maps, bcc's multi-line stacks, and the text of `perf
 * script`; plain, gzip or zstd. The format is found from the first lines.
 *
 * Of `perf script` text with scheduler switches the stacks are off-CPU time (blocked, then runnable
 * with a last frame [runq] or [preempted]), in nanoseconds; without them, samples of one event,
 * which weigh their periods where these are printed.
 */
#ifndef DWELL_FORMAT_STACKS_H
#define DWELL_FORMAT_STACKS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "format/skipped.h"
#include "util/vec.h"
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
	uint64_t count;                   /* samples that have this weight; 0: it is their number */
	const char *unit;                 /* "samples", "ns", "us", "ms", "bytes", the name of a
					     sampled event, "" unknown */
	bool has_name;                    /* frames[0] is a thread's name for certain */
};

struct stack_sink {
	/* A value other than 0 ends the reading and is returned. */
	int (*add)(const struct stack *stack, void *context);
	void *context;
};

/* What is asked of a text; all zero is the usual. */
struct stacks_asked {
	const char *event;   /* perf script: whose samples; NULL: off-CPU time or the first one's */
	bool has_full_names; /* with parameters and the like: as they are written */
	bool has_suffixes;   /* perf script: _[k] kernel, _[i] inlined, _[j] code without a file */
};

/* An event of perf script whose samples are in the text. */
struct stacks_event {
	char *name; /* "": not told */
	uint64_t samples;
};

/* What a text turned out to hold. All zero is a valid empty one. */
struct stacks_told {
	enum stack_format format;
	VEC(struct stacks_event) events;
	size_t shown; /* index of the event whose samples were handed over; or the number of them */
};

void stacks_told_clear(struct stacks_told *told);

/*
 * Reads the stream to its end and hands each stack to the sink; stacks may come more than once.
 * 0; -ENODATA: empty; -EINVAL: no format that is known, or more than half of it makes no sense in
 * the one that it looks like; -ENOENT: it has no such event; other -errno: reading failed, or the
 * sink's value. `skipped` counts on, so that several files add up. The caller clears what is told,
 * in any case.
 */
int stacks_read(FILE *in, const struct stacks_asked *asked, const struct stack_sink *sink,
	struct skipped *skipped, struct stacks_told *ret, struct why *why);

#endif
