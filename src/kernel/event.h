/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Events that can be counted by stack beside thread time, as they are asked for: by a name of the
 * list, or by the place of a function. Each becomes a measure of the recording.
 */
#ifndef DWELL_KERNEL_EVENT_H
#define DWELL_KERNEL_EVENT_H

#include <stdint.h>

#include "util/why.h"

enum event_kind {
	EVENT_CALL, /* of a function in a file: a uprobe */
	EVENT_PERF, /* of the kernel's perf events */
};

/* Texts that are not owned live for ever. */
struct event {
	enum event_kind kind;
	char *name;        /* of the measure; owned */
	const char *unit;  /* model/measure.h */
	char *one;         /* what one is called; owned */
	const char *about; /* what a picture of it shows */
	/* EVENT_CALL; owned. */
	char *path;
	char *function;
	/* EVENT_PERF: which, and every how many of them; each stands for as many. */
	uint32_t perf_type;
	uint64_t perf_config;
	uint64_t period;
};

/*
 * The kernel's software events that can be asked for: name, unit, what one is called, what a
 * picture of it shows, enum perf_sw_ids, every how many of them.
 */
/* clang-format off */
#define EVENT_SOFTWARE(event)                                                                      \
	event("page-faults", "count", "page fault",                                                \
		"where memory was touched that the kernel had to map, or to read in",              \
		PERF_COUNT_SW_PAGE_FAULTS, 1)                                                      \
	event("major-faults", "count", "major fault",                                              \
		"where memory was touched that had to be read in",                                 \
		PERF_COUNT_SW_PAGE_FAULTS_MAJ, 1)                                                  \
	event("cpu-clock", "ns", "CPU sample",                                                     \
		"where threads ran, sampled by the clock of each CPU",                             \
		PERF_COUNT_SW_CPU_CLOCK, 1000000)
/* clang-format on */

/* For help texts, which are literals. */
#define EVENT_NAME(name, ...) name ", "
#define EVENT_NAMES EVENT_SOFTWARE(EVENT_NAME) "uprobe:PATH:FUNCTION"

/*
 * "page-faults", ... or "uprobe:PATH:FUNCTION". 0, or -EINVAL with why, which names the nearest.
 * The caller clears it.
 */
int event_parse(const char *text, struct event *ret, struct why *why);
void event_clear(struct event *event);

#endif
