/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Events that can be counted by stack beside thread time, as they are asked for. Each becomes a
 * measure of the recording. Words become events here; where in a file or in the kernel that is,
 * event_place.h finds out.
 */
#ifndef DWELL_KERNEL_EVENT_H
#define DWELL_KERNEL_EVENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "contract/event.h"
#include "model/measure.h"
#include "util/vec.h"
#include "util/why.h"

enum event_kind {
	EVENT_CALL,        /* of a function in a file, or its return: a uprobe */
	EVENT_MARK,        /* a mark that a program's authors left in it: USDT */
	EVENT_KERNEL_CALL, /* of a function in the kernel, or its return: a kprobe */
	EVENT_TRACEPOINT,
	EVENT_PERF,     /* of the kernel's perf events */
	EVENT_OF_MEMORY /* what heaps and address spaces do, by programs of their own:
			   kernel/memory.h */
};

/* Texts that are not owned live for ever. */
struct event {
	enum event_kind kind;
	enum measure_kind measure;
	char *text;       /* as it was asked for; owned */
	char *name;       /* of the measure; owned */
	const char *unit; /* model/measure.h */
	char *one;        /* what one is called; owned */
	char *about;      /* what a picture of it shows; owned */
	/* Where: a file, a provider or category, a function, mark or tracepoint; owned. */
	char *path;
	char *group;
	char *function;
	uint64_t offset; /* into the function */
	bool is_return;
	/* EVENT_PERF: which, and every how many of them or how often a second. */
	uint32_t perf_type;
	uint64_t perf_config;
	uint64_t perf_config1;
	uint64_t perf_config2;
	uint64_t period;
	uint32_t frequency;
	uint32_t precise; /* steps of :p */
	bool has_no_user;
	bool has_no_kernel;
	bool has_thing; /* it is about an address */
	/* What is summed instead of counting, and what is tested; owned, or NULL. */
	char *sum;
	char *tested;
	char *test;    /* as it was written */
	bool is_named; /* by whoever asks for it */
	enum event_condition condition;
	int64_t limit;
};

typedef VEC(struct event) event_list;

/*
 * The kernel's software events that can be asked for: name, another name that perf has or "", unit,
 * what one is called, what a picture of it shows, enum perf_sw_ids, every how many of them.
 */
/* clang-format off */
#define EVENT_SOFTWARE(event)                                                                      \
	event("page-faults", "", "count", "page fault",                                            \
		"where memory was touched that the kernel had to map, or to read in",              \
		PERF_COUNT_SW_PAGE_FAULTS, 1)                                                      \
	event("minor-faults", "", "count", "minor fault",                                          \
		"where memory was touched that the kernel had to map",                             \
		PERF_COUNT_SW_PAGE_FAULTS_MIN, 100)                                                \
	event("major-faults", "", "count", "major fault",                                          \
		"where memory was touched that had to be read in",                                 \
		PERF_COUNT_SW_PAGE_FAULTS_MAJ, 1)                                                  \
	event("context-switches", "cs", "count", "context switch",                                 \
		"where threads left their CPU, whether they waited or lost it",                    \
		PERF_COUNT_SW_CONTEXT_SWITCHES, 1)                                                 \
	event("cpu-migrations", "migrations", "count", "migration",                                \
		"what ran where a thread was given another CPU",                                   \
		PERF_COUNT_SW_CPU_MIGRATIONS, 1)                                                   \
	event("alignment-faults", "", "count", "alignment fault",                                  \
		"where the kernel had to mend an access that was not aligned",                     \
		PERF_COUNT_SW_ALIGNMENT_FAULTS, 1)                                                 \
	event("emulation-faults", "", "count", "emulation fault",                                  \
		"where the kernel had to do an instruction's work",                                \
		PERF_COUNT_SW_EMULATION_FAULTS, 1)                                                 \
	event("cpu-clock", "", "ns", "CPU sample",                                                 \
		"where threads ran, sampled by the clock of each CPU",                             \
		PERF_COUNT_SW_CPU_CLOCK, 1000000)
/* clang-format on */

/* For help texts, which are literals. */
#define EVENT_NAMES                                                                                \
	"faults, page-faults, cs, CATEGORY:TRACEPOINT, syscall:NAME, uprobe:FILE:FUNCTION, "       \
	"usdt:FILE:PROVIDER:NAME, kprobe:FUNCTION, cache-misses, r01c2"

/* A software event as the list has it. */
struct event_software {
	const char *name;
	const char *other_name; /* "" if there is none */
	const char *unit;
	const char *one;
	const char *about;
	uint64_t config;
	uint64_t period;
};

/* By its place in the list; NULL behind the last. */
const struct event_software *event_software_at(size_t index);

/*
 * Adds the events that a word of -e means: mostly one. 0, or -EINVAL with why, which names the
 * nearest. The caller clears them.
 */
int event_parse(const char *text, event_list *ret, struct why *why);
void event_clear(struct event *event);
void events_clear(event_list *events);

/*
 * Options behind an event. 0, or -EINVAL with why. Every how many of them; how often a second, of
 * those that can be counted so (event_has_frequency()); what is summed, "FIELD" or "FIELD:UNIT";
 * which count, "FIELD OP NUMBER"; another name.
 */
int event_set_period(struct event *event, const char *text, struct why *why);
bool event_has_frequency(const struct event *event);
/* Does its period say how much time it stands for, not how many events? */
bool event_is_clock(const struct event *event);
void event_set_frequency(struct event *event, uint32_t hz);
int event_set_sum(struct event *event, const char *text, struct why *why);
int event_set_condition(struct event *event, const char *text, struct why *why);
int event_set_name(struct event *event, const char *text, struct why *why);
/* When all options are set: what one is called says which of them are counted, and what of these.
 */
void event_settle_words(struct event *event);

#endif
