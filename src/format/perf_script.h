/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The text of `perf script` as a list of events, in memory, with each distinct frame and stack once
 * (so it is far smaller than the text). Scheduler events and samples are kept. Samples are of the
 * event whose name their head has, and are never added up with those of another: cycles and page
 * faults make no sum. A sample weighs its period, as in perf report, if its event's samples all
 * tell theirs, else one.
 */
#ifndef DWELL_FORMAT_PERF_SCRIPT_H
#define DWELL_FORMAT_PERF_SCRIPT_H

#include "format/lines.h"
#include "format/perf_line.h"
#include "format/stack_table.h"
#include "replay/replay.h"

/* An event that was sampled; its number is its place in the log, counted from 1. */
struct perf_sampled {
	uint32_t name; /* 0: not told */
	uint32_t kind; /* likewise, without the kind of CPU that a hybrid machine's has in front */
	uint64_t samples;
	uint64_t with_period;
	bool is_clock;     /* its periods are nanoseconds */
	bool is_running;   /* it is sampled at a rate while a thread runs: a clock, or cycles */
	bool is_scheduler; /* no sample, but an event that tells nothing about states */
};

/* All zero is a valid empty log. */
struct perf_log {
	bool has_full_names; /* to be set before reading: names stay as they are written */
	struct stack_table table;
	VEC(struct replay_event) events;  /* comms are numbers in table.texts */
	VEC(struct perf_sampled) sampled; /* in the order of their first samples */
	uint32_t sample_hz;               /* of the file's header; 0: not told */
	uint64_t lost_events;             /* as PERF_RECORD_LOST says */
	uint64_t switches;
	uint64_t waits;         /* sched_stat_* */
	uint64_t samples;       /* of all events */
	uint64_t other_samples; /* of threads, by a further clock or cycles: no running time */
};

/* Reads to the end; several files add up. Reading errors are those of `lines`. */
void perf_log_read(struct perf_log *log, struct lines *lines, struct skipped *skipped);
void perf_log_clear(struct perf_log *log);

/* "syscalls:sys_enter_read": more than modifiers ("cycles:ukp") stands behind the colon. */
bool perf_event_is_tracepoint(struct span event);
/* The number of the event of that name, which is added if it is new; 0: there are too many. */
uint32_t perf_log_sampled(struct perf_log *log, struct span event);
/* Is there an event whose name is told? */
bool perf_log_has_names(const struct perf_log *log);
/* Does each of its samples tell its period? */
bool perf_sampled_has_periods(const struct perf_sampled *sampled);
/* Is there anything of it to be shown? Beside switches other events of the scheduler are noise. */
bool perf_log_shows(const struct perf_log *log, uint32_t measure);
/* The number of the first event whose samples are what running time was spent in; 0: none. */
uint32_t perf_log_running(const struct perf_log *log);
/* Is it that one, or the same on the other kind of CPUs of a hybrid machine? */
bool perf_log_is_running(const struct perf_log *log, uint32_t running, uint32_t measure);

/*
 * Samples of the running event stay samples, all others become REPLAY_EVENT (those that could
 * have been running time, too, are counted); values are what they weigh. Gives samples that do not
 * tell their own time one: the second divided by hz; hz 0: by the header's, or the usual gap
 * between samples of one CPU, or 1 ms. Returns that, in ns; 0 if all samples told theirs (cpu-clock
 * and task-clock do, where periods are printed).
 */
uint64_t perf_log_weigh(struct perf_log *log, uint32_t hz);

#endif
