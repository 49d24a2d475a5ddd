/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What users of perf record type out of habit. Where it means the same here it is taken, and one
 * line says what it comes to; where it does not, an error says what to give instead.
 */
#ifndef DWELL_CLI_PERF_OPTIONS_H
#define DWELL_CLI_PERF_OPTIONS_H

#include <argp.h>
#include <stdbool.h>

#include "cli/command.h"
#include "kernel/options.h"

struct perf_options {
	bool has_stacks;               /* -g */
	bool has_off_cpu;              /* --off-cpu */
	const char *call_graph;        /* as it was given, or NULL */
	const char *clock_event;       /* -e cycles, or NULL */
	enum user_stacks *user_stacks; /* where --call-graph puts what it asks for */
};

/* A child whose input is a struct perf_options. Complaints carry `dwell: `. */
extern const struct argp perf_options_argp;
/* perf's options that have no equal here, for struct command. */
extern const struct stranger perf_strangers[];

/* Is the event of -e what the samples that are always taken are of? Then it is noted. */
bool perf_options_take_event(struct perf_options *perf, const char *event);

/* One line on stderr for each that was given. */
void perf_options_say(const struct perf_options *perf);

#endif
