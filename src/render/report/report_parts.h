/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the files of the text report share; nobody else includes it. */
#ifndef DWELL_RENDER_REPORT_PARTS_H
#define DWELL_RENDER_REPORT_PARTS_H

#include "render/layout.h"
#include "render/report/report_text.h"

struct report {
	const struct summary *summary;
	const struct report_style *style;
	size_t top;    /* waits */
	size_t rows;   /* processes */
	size_t stacks; /* of a measure, or of slow calls of a function */
	size_t calls;  /* functions whose calls are told */
	FILE *out;
	struct scale scale;   /* of busy time: bar and tables */
	uint64_t busy_quanta; /* busy time as printed: the tables add up to it */
};

/* Columns of sentences. */
size_t report_prose(const struct report *report);
/* How much of the columns beyond the usual ones a name gets: one of so many. */
size_t report_extra(const struct report *report, size_t part);

/* The bar with its legend. */
void report_bar(const struct report *report);
/* Who: the table of processes. */
void report_groups(const struct report *report);
/* Why: the waits, with stacks. */
void report_lines(const struct report *report);
/* One of them, an index into the summary's lines, with its heading. */
void report_line(const struct report *report, size_t line);
/* What was counted beside time. */
void report_measures(const struct report *report);
/* The line that stands for measures which the filters leave out; NULL: none are. */
const char *report_hidden_measures(const struct summary *summary);
/* "1,200 page faults: shop 90 %, batch 10 %", or that there was none. Caller frees. */
char *report_measure_text(const struct summary *summary, const struct measured *measured);
/* "70 %: main > grow > touch": the stack that has most of it; "" if there is none. Caller frees. */
char *report_measure_stack(const struct summary *summary, const struct measured *measured,
	bool is_full, size_t columns);
/* "user stacks complete 99.9 %" */
void report_complete_text(const struct summary *summary, char *room, size_t size);
/* Why they are not whole, and what runtimes hide: lines below the accounting. */
void report_stacks(const struct report *report);
/*
 * " (71 % in parse, 20 % in lookup)": what a process, by the node of its name, computed in, by
 * samples; of one that computes in many functions the one that most of them are called from.
 */
void report_functions(FILE *out, const struct summary *summary, uint32_t group);
/* Calls of functions, with what slow ones waited in; nothing if there are none. */
void report_calls_block(const struct report *report);
/* " Slow calls of ...": a sentence about the function whose slow calls took most time, or "". */
void report_slowest(FILE *out, const struct summary *summary);
/* In short: one or two sentences. */
void report_verdict(const struct report *report);

/* Does the recording hold all threads, and the filters leave their running time? */
bool report_has_all_threads(const struct summary *summary);
/* Did the quota of a cgroup make much of that time without a CPU? */
bool report_was_held_back(const struct summary *summary, uint64_t runnable_ns);
/*
 * How busy the CPUs were: as the kernel says, dwell and all that is not recorded included; else, of
 * a recording of all threads, by their running time. False if neither is known.
 */
bool report_cpu_share(const struct summary *summary, char room[static UNITS_ROOM]);

#endif
