/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a recording counts beside time: -e and what may stand behind it, --alloc, --growth. */
#ifndef DWELL_CLI_EVENT_OPTIONS_H
#define DWELL_CLI_EVENT_OPTIONS_H

#include <argp.h>

#include "cli/call_options.h"
#include "cli/perf_options.h"
#include "kernel/memory.h"
#include "kernel/options.h"

struct event_options {
	event_list events;
	size_t last; /* the events of the last -e begin here; 0 and no events: there was none */
	struct memory_options memory;
	bool is_events_only;
	double overhead;              /* share of a process's CPU time that watching it may cost */
	struct call_arguments *calls; /* borrowed: --if may be of one of these */
	struct perf_options *perf;    /* borrowed */
};

void event_options_init(
	struct event_options *options, struct call_arguments *calls, struct perf_options *perf);
void event_options_clear(struct event_options *options);
/* Its input is struct event_options. */
extern const struct argp event_options_argp;

/* -F behind an event that can be counted so often a second is that event's. */
bool event_options_take_frequency(struct event_options *options, uint32_t hz);
/*
 * When all options are read: events of memory are added, and the whole is put where a capture looks
 * for it. 0, or a status after a complaint: `usage` is that of wrong usage.
 */
int event_options_settle(struct event_options *options, struct capture_options *capture,
	bool has_command, int usage);
/* What those who record should know of their events, on stderr. */
void event_options_say(const struct capture_options *capture);

#endif
