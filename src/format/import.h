/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Files of other tools as a recording. Scheduler events of `perf script` are replayed into full
 * accounting; samples and sched_stat events alone give what they tell, and a thread's life is then
 * the time that is known of it. Each sampled event whose periods are told, or that is none of
 * time, becomes a measure of its own. Stacks without threads (folded, bpftrace, bcc) become one
 * thread for each first frame. All files of one import are of one kind, perf script text or not.
 */
#ifndef DWELL_FORMAT_IMPORT_H
#define DWELL_FORMAT_IMPORT_H

#include <stdint.h>
#include <stdio.h>

#include "format/skipped.h"
#include "format/stacks.h"
#include "model/state.h"
#include "util/why.h"

struct import_options {
	enum time_state state; /* of stacks without events: TIME_RUNNING or TIME_BLOCKED */
	uint64_t unit_ns;      /* of their weights; 0: what the file says, or a default */
	uint32_t sample_hz;    /* 0: what the file says, or a default */
	uint64_t slice_ns;
	uint32_t chain_depth; /* hops to keep of each wake chain */
	bool has_full_names;  /* with parameters and the like: as they are written */
	const char *command_line;
};

/* What came of it, for the user. */
struct import_summary {
	uint64_t threads;
	uint64_t window_ns;
	uint64_t switches;
	uint64_t wakes;
	uint64_t samples;       /* that are running time */
	uint64_t events;        /* samples that are not */
	uint64_t stacks;        /* weighted stacks of files without events */
	uint64_t sample_ns;     /* what a sample was taken for; 0: they said it themselves */
	uint64_t other_samples; /* as LOSS_OTHER_SAMPLES */
	uint64_t too_large;     /* as LOSS_TOO_LARGE */
	uint64_t expected_ns;
	uint64_t accounted_ns;
	bool is_partial; /* no switches: lives are what is known */
};

struct import;

struct import *import_new(const struct import_options *options);
void import_free(struct import *import);
/* Reads one more file. 0 or -errno with why (without the file's name). */
int import_read(struct import *import, FILE *in, struct why *why);
const struct skipped *import_skipped(const struct import *import);
/* The name of the measure with that number, from 0 on, once the recording is written; NULL: there
 * are not so many. Borrowed. */
const char *import_measure(const struct import *import, size_t number);
/* Writes the recording, once, after all files. -ENODATA: there was nothing of use in them. */
int import_write(
	struct import *import, const char *path, struct import_summary *ret, struct why *why);

#endif
