/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The text of `perf script` as a list of events, in memory, with each distinct frame and stack once
 * (so it is far smaller than the text). Scheduler events and samples are kept; of the samples only
 * those of the first event that has any, as adding up cycles and page faults makes no sense.
 */
#ifndef DWELL_FORMAT_PERF_SCRIPT_H
#define DWELL_FORMAT_PERF_SCRIPT_H

#include "format/lines.h"
#include "format/stack_table.h"
#include "replay/replay.h"

struct perf_log {
	struct stack_table table;
	VEC(struct replay_event) events; /* comms are numbers in table.texts */
	uint32_t sample_event;           /* its name; 0: no sample so far */
	bool has_sample_event;
	uint32_t sample_hz;     /* of the file's header; 0: not told */
	uint64_t other_samples; /* of other events, left out */
	uint64_t lost_events;   /* as PERF_RECORD_LOST says */
	uint64_t switches;
	uint64_t waits; /* sched_stat_* */
	uint64_t samples;
};

/* Reads to the end; several files add up. Reading errors are those of `lines`. */
void perf_log_read(struct perf_log *log, struct lines *lines, struct skipped *skipped);
void perf_log_clear(struct perf_log *log);

/*
 * Gives samples that do not tell their own time one: the second divided by hz; hz 0: by the
 * header's, or the usual gap between samples of one CPU, or 1 ms. Returns that, in ns; 0 if all
 * samples told theirs (cpu-clock and task-clock do, where periods are printed).
 */
uint64_t perf_log_weigh(struct perf_log *log, uint32_t hz);

#endif
