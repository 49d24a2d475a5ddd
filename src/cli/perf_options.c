// SPDX-License-Identifier: GPL-2.0-or-later
/* Words of perf record, and what they come to here. */
#include "cli/perf_options.h"

#include <errno.h>
#include <string.h>

#include "util/mem.h"

enum {
	KEY_CALL_GRAPH = 0x5000,
	KEY_OFF_CPU,
};

static const struct argp_option options[] = {
	{.doc = "Taken as perf record means them:"},
	{.key = 'g', .doc = "with stacks: they are always recorded"},
	{.key = KEY_CALL_GRAPH,
		.name = "call-graph",
		.arg = "fp|dwarf",
		.doc = "fp: as --user-stacks fp; dwarf: as --user-stacks table"},
	{.key = KEY_OFF_CPU, .name = "off-cpu", .doc = "off-CPU time is always recorded"},
	{0},
};

const struct stranger perf_strangers[] = {
	{'C', "cpu", "threads are followed over all CPUs; choose them with -p, -t, -n or -G"},
	{'D', "delay", "begin later instead: sleep 5 && dwell record ..."},
	{'b', "branch-any", "branches are not recorded; stacks always are"},
	{'j', "branch-filter", "branches are not recorded; stacks always are"},
	{'s', "stat", "threads are always kept apart; dwell flame --by thread shows them so"},
	{'T', "timestamp", "time is kept by slice; --slice 100ms makes them shorter"},
	{0},
};

/* dwarf may come with the size of the piece of stack that perf copies: nothing is copied here. */
static error_t parse_call_graph(const char *value, struct perf_options *perf)
{
	size_t length = strcspn(value, ",");

	perf->call_graph = value;
	if (length == 2 && !strncmp(value, "fp", length)) {
		*perf->user_stacks = USER_STACKS_FP;
		return 0;
	}
	if (length == 5 && !strncmp(value, "dwarf", length)) {
		*perf->user_stacks = USER_STACKS_TABLE;
		return 0;
	}
	if (length == 3 && !strncmp(value, "lbr", length))
		fail(STATUS_USAGE, "--call-graph lbr: branch records of the CPU are not used; "
				   "leave it out: stacks are walked by unwind tables");
	else
		fail(STATUS_USAGE, "--call-graph %s: unknown; give fp or dwarf, or leave it out",
			value);
	return EINVAL;
}

static error_t parse_option(int key, char *value, struct argp_state *state)
{
	struct perf_options *perf = state->input;

	switch (key) {
	case 'g':
		perf->has_stacks = true;
		return 0;
	case KEY_CALL_GRAPH:
		return parse_call_graph(value, perf);
	case KEY_OFF_CPU:
		perf->has_off_cpu = true;
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

const struct argp perf_options_argp = {.options = options, .parser = parse_option};

bool perf_options_take_event(struct perf_options *perf, const char *event)
{
	if (strcmp(event, "cycles") != 0 && strcmp(event, "cpu-cycles") != 0)
		return false;
	perf->clock_event = event;
	return true;
}

void perf_options_say(const struct perf_options *perf)
{
	if (perf->has_stacks)
		fail(0, "-g: stacks are always recorded");
	if (perf->call_graph)
		fail(0, "--call-graph %s: user stacks are walked by %s", perf->call_graph,
			*perf->user_stacks == USER_STACKS_FP
				? "frame pointers, as with --user-stacks fp"
				: "the programs' own unwind tables, as always");
	if (perf->has_off_cpu)
		fail(0, "--off-cpu: off-CPU time is always recorded");
	if (perf->clock_event)
		fail(0,
			"-e %s: what runs is always sampled, by the cycle counter where there is "
			"one; -F HZ says how often",
			perf->clock_event);
}
