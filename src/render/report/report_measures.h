/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the blocks of the report that tell of measures share. A block is a sentence and below it
 * lines of figures; report_measures.c knows which measures belong to one block.
 */
#ifndef DWELL_RENDER_REPORT_MEASURES_H
#define DWELL_RENDER_REPORT_MEASURES_H

#include "profile/estimate.h"
#include "render/report/report_parts.h"

/* Lines that can be left out are shown if there is room for so many stacks at least. */
#define MEASURE_ROOM_FOR_DETAIL 2
/* Names and things in one line. */
#define MEASURE_NAMES 3

/* "1.5 GiB", "61,000": of the measure's unit. */
const char *measure_value(
	const struct measured *measured, uint64_t value, char room[static UNIT_VALUE_ROOM]);
/* "1.5 GiB in 2,100,000 allocations ± 2 %", "12,345 page faults". The caller frees it. */
char *measure_total(const struct measured *measured);
/* "2.0 MiB/s", or of what is no amount of bytes how many a second; "" of no time. */
const char *measure_rate(const struct measured *measured, uint64_t weight, uint64_t count,
	uint64_t ns, char room[static UNIT_VALUE_ROOM]);
/*
 * Only what is older than a quarter of the window can look like a leak, by whole slices: the time
 * in which such blocks were allocated.
 */
uint64_t leak_range_ns(const struct report *report);
/* "shop 74 %, batch 26 %": shares as printed add up to 100. The caller frees it. */
char *measure_names(const struct summary *summary, const struct measured *measured);
/* " 74 %", "< 1 %" behind a name: the text with it, for that of before. */
char *measure_with_share(char *text, const char *name, uint64_t percent);

/* A line of a block, indented. */
void measure_line(const struct report *report, size_t indent, const char *text);

struct measure_stacks {
	const struct measured *measured;
	const char *what; /* "minor ": before each value; "" */
	size_t most;      /* lines, as far as there are stacks */
	size_t indent;
	bool has_number; /* also how many events */
	bool has_growth; /* also how much a second */
};

/* "70 % ± 3 %: main > grow > touch", a line for each, the largest first. */
void measure_stacks(const struct report *report, const struct measure_stacks *stacks);

/* Whose measures are told together: what was allocated, page faults, the address space. */
void report_memory(const struct report *report);
void report_faults(const struct report *report);
void report_growth(const struct report *report);
/* Resident memory over time, as a line of a block or as a block of its own. */
void report_resident(const struct report *report, size_t indent);

#endif
