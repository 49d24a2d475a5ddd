// SPDX-License-Identifier: GPL-2.0-or-later
/* Options behind an event are of the last -e before them, as perf's --filter is. */
#include "cli/event_options.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/command.h"
#include "util/mem.h"
#include "util/units.h"

enum {
	KEY_SUM = 0x6000,
	KEY_IF,
	KEY_AS,
	KEY_ALLOC,
	KEY_GROWTH,
	KEY_OVERHEAD,
	KEY_EVENTS_ONLY,
};

/* A CPU is in few events at once, and each costs on its own: this is for a handful. */
#define MOST_EVENTS 16
/* Of allocations one byte in so many is looked at. */
#define USUAL_PERIOD (512ULL << 10)
#define MOST_PERIOD (1ULL << 30)
#define USUAL_OVERHEAD 0.20
#define MOST_OVERHEAD 100

static const struct argp_option table[] = {
	{NULL, 0, NULL, 0, "Events and memory, beside time:", 3},
	{"event", 'e', "EVENT", 0,
		"count EVENT by stack, too: " EVENT_NAMES
		"; can be repeated; dwell list has those of this machine",
		3},
	{"count", 'c', "N", 0, "of the last -e: look at one of N, which stands for all", 3},
	{"sum", KEY_SUM, "FIELD", 0,
		"of the last -e: add up this number of it: a tracepoint's field, arg1 to arg6, "
		"ret; "
		"FIELD:ns, FIELD:count or FIELD:bytes says its unit",
		3},
	{"if", KEY_IF, "TEST", 0,
		"of the last -e, or of the last --calls if that comes later: only those of which "
		"TEST is true: 'FIELD>=4096', 'arg1>=4096'",
		3},
	{"as", KEY_AS, "NAME", 0, "call the last -e NAME", 3},
	{"alloc", KEY_ALLOC, "SIZE", OPTION_ARG_OPTIONAL,
		"who allocates memory, what of it lives and what leaks: one byte in SIZE is looked "
		"at (default 512K, 1: every block). Of a COMMAND it costs little, of -p a trap "
		"each "
		"call",
		3},
	{"growth", KEY_GROWTH, NULL, 0,
		"why memory grows: who asks the kernel for it, who touches it, how much is "
		"resident; "
		"with --alloc for a COMMAND",
		3},
	{"overhead", KEY_OVERHEAD, "PERCENT", 0,
		"of a process's CPU time, the most that --alloc -p or --calls may cost it (default "
		"20%)",
		3},
	{"events-only", KEY_EVENTS_ONLY, NULL, 0,
		"time without stacks: how long threads ran and waited, not where", 3},
	{0},
};

static int complain(const struct why *why)
{
	fail(STATUS_USAGE, "%s", why->text);
	return EINVAL;
}

void event_options_init(
	struct event_options *options, struct call_arguments *calls, struct perf_options *perf)
{
	*options = (struct event_options){.overhead = USUAL_OVERHEAD, .calls = calls, .perf = perf};
}

void event_options_clear(struct event_options *options)
{
	events_clear(&options->events);
}

static int parse_event(struct event_options *options, const char *text)
{
	size_t before = options->events.count;
	struct why why;

	if (perf_options_take_event(options->perf, text))
		return 0;
	if (event_parse(text, &options->events, &why))
		return complain(&why);
	if (options->events.count > MOST_EVENTS) {
		fail(STATUS_USAGE, "-e %s is one event too many; %d can be counted at once", text,
			MOST_EVENTS);
		return EINVAL;
	}
	options->last = before;
	call_arguments_pass(options->calls);
	return 0;
}

/* Sets something of the last -e by that function. */
static int set_last(struct event_options *options, const char *option, const char *value,
	int (*set)(struct event *event, const char *text, struct why *why))
{
	struct why why;

	if (!options->events.count) {
		fail(STATUS_USAGE, "%s %s: there is no -e before it, which it could be of", option,
			value);
		return EINVAL;
	}
	for (size_t i = options->last; i < options->events.count; i++)
		if (set(&options->events.at[i], value, &why))
			return complain(&why);
	return 0;
}

static int set_test(struct event_options *options, const char *value)
{
	if (call_arguments_are_last(options->calls))
		return call_arguments_set_test(options->calls, value);
	if (options->events.count || !options->calls->are_bare)
		return set_last(options, "--if", value, event_set_condition);
	fail(STATUS_USAGE, "--if %s: there is no FUNCTION before it, which it could be of", value);
	return EINVAL;
}

static int set_name(struct event *event, const char *text, struct why *why)
{
	return event_set_name(event, text, why);
}

bool event_options_take_frequency(struct event_options *options, uint32_t hz)
{
	if (!hz || !options->events.count ||
		!event_has_frequency(&options->events.at[options->last]))
		return false;
	for (size_t i = options->last; i < options->events.count; i++)
		event_set_frequency(&options->events.at[i], hz);
	return true;
}

static int parse_alloc(struct event_options *options, const char *text)
{
	uint64_t period = USUAL_PERIOD;

	if (text && (units_parse_bytes(text, &period) || !period || period > MOST_PERIOD)) {
		fail(STATUS_USAGE, "--alloc=%s: one byte in how many? 1 to 1G, as --alloc=512K",
			text);
		return EINVAL;
	}
	options->memory.has_allocations = true;
	options->memory.period_bytes = period;
	return 0;
}

static int parse_overhead(struct event_options *options, const char *text)
{
	char *end;
	double percent = strtod(text, &end);

	if (end == text || (*end && strcmp(end, "%")) || !(percent >= 0) ||
		percent > MOST_OVERHEAD * 100) {
		fail(STATUS_USAGE,
			"--overhead %s: how much of a process's CPU time? write 20%%; 100%% is as "
			"much again, and %d%% the most",
			text, MOST_OVERHEAD * 100);
		return EINVAL;
	}
	options->overhead = percent / 100;
	return 0;
}

static error_t parse(int key, char *value, struct argp_state *state)
{
	struct event_options *options = state->input;

	switch (key) {
	case 'e':
		return parse_event(options, value);
	case 'c':
		return set_last(options, "-c", value, event_set_period);
	case KEY_SUM:
		return set_last(options, "--sum", value, event_set_sum);
	case KEY_IF:
		return set_test(options, value);
	case KEY_AS:
		if (options->events.count > options->last + 1) {
			fail(STATUS_USAGE, "--as %s: -e %s is several events; name them one by one",
				value, options->events.at[options->last].text);
			return EINVAL;
		}
		return set_last(options, "--as", value, set_name);
	case KEY_ALLOC:
		return parse_alloc(options, value);
	case KEY_GROWTH:
		options->memory.has_growth = true;
		return 0;
	case KEY_OVERHEAD:
		return parse_overhead(options, value);
	case KEY_EVENTS_ONLY:
		options->is_events_only = true;
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

const struct argp event_options_argp = {.options = table, .parser = parse};

static void add_measure(struct event_options *options, enum measure_kind kind, const char *unit,
	const char *one, const char *about)
{
	struct event event = {.kind = EVENT_OF_MEMORY,
		.measure = kind,
		.text = xstrdup(measure_kind_name(kind)),
		.name = xstrdup(measure_kind_name(kind)),
		.unit = unit,
		.one = xstrdup(one),
		.about = xstrdup(about),
		.period = 1};

	vec_push(&options->events, event);
}

static void add_allocations(struct event_options *options)
{
	add_measure(options, MEASURE_ALLOC, "bytes", "allocation",
		"where memory was allocated, whether it was freed again or not");
	add_measure(options, MEASURE_FREED, "bytes", "freed block",
		"where memory was allocated that was freed while the recording ran");
	add_measure(options, MEASURE_LIVE, "bytes", "live block",
		"where memory was allocated while the recording ran that nobody had freed at its "
		"end");
	add_measure(options, MEASURE_LEAKS, "bytes", "leaked block",
		"where memory was allocated that is old, and of which there was more and more");
}

/* An event of -e is what --growth would add, too. */
static bool has_event(const struct event_options *options, const char *name)
{
	vec_each (event, &options->events)
		if (!strcmp(event->name, name))
			return true;
	return false;
}

static void add_growth(struct event_options *options)
{
	event_list faults = {0};

	add_measure(options, MEASURE_GROWTH, "bytes", "mapping",
		"where the kernel was asked for memory: brk, mmap, mremap");
	add_measure(options, MEASURE_SHRINK, "bytes", "unmapping",
		"where memory was given back to the kernel: munmap, brk, mremap");
	event_parse("faults", &faults, NULL);
	vec_each (event, &faults)
		if (has_event(options, event->name))
			event_clear(event);
		else
			vec_push(&options->events, *event);
	vec_clear(&faults);
}

static int check_names(const struct event_options *options, int usage)
{
	for (size_t i = 0; i < options->events.count; i++)
		for (size_t n = 0; n < i; n++)
			if (!strcmp(options->events.at[i].name, options->events.at[n].name))
				return fail(usage,
					"-e %s: another event is called %s; --as NAME gives it a "
					"name of "
					"its own",
					options->events.at[i].text, options->events.at[i].name);
	return 0;
}

/* The kernel's walk has room for one thread of a CPU, and a program in user code can be preempted
 * in it. */
static int check_stacks(
	const struct event_options *options, const struct capture_options *capture, int usage)
{
	if (capture->user_stacks != USER_STACKS_FP)
		return 0;
	if (options->memory.has_allocations)
		return fail(usage, "--alloc and --user-stacks fp exclude each other");
	vec_each (event, &options->events)
		if (event->kind == EVENT_CALL || event->kind == EVENT_MARK)
			return fail(usage, "-e %s and --user-stacks fp exclude each other",
				event->text);
	return 0;
}

int event_options_settle(
	struct event_options *options, struct capture_options *capture, bool has_command, int usage)
{
	bool is_of_command = has_command && capture->target == TARGET_COMMAND;

	if (options->memory.has_growth && is_of_command && !options->memory.has_allocations)
		parse_alloc(options, NULL);
	if (options->memory.has_allocations && !is_of_command && capture->target != TARGET_PIDS)
		return fail(usage,
			"--alloc is for a COMMAND, or for processes that run already: -p PID");
	vec_each (event, &options->events)
		event_settle_words(event);
	if (options->memory.has_allocations)
		add_allocations(options);
	if (options->memory.has_growth)
		add_growth(options);
	int status = check_names(options, usage);
	if (!status)
		status = check_stacks(options, capture, usage);
	capture->events = options->events.at;
	capture->event_count = options->events.count;
	options->memory.most_cost = options->overhead;
	capture->memory = options->memory;
	if (options->is_events_only) {
		capture->has_time_stacks = false;
		capture->depth = 0;
		capture->sample_hz = 0;
	}
	return status;
}

/* That a comparison which qsort() is given throws, no file says. */
void event_options_say(const struct capture_options *capture)
{
	const struct event *first = NULL;
	char others[sizeof("; so it is with  more") + 20] = "";
	size_t count = 0;

	for (size_t i = 0; i < capture->event_count; i++) {
		const struct event *event = &capture->events[i];
		if (event->kind != EVENT_CALL || !event->is_return)
			continue;
		first = first ? first : event;
		count++;
	}
	if (!count)
		return;
	if (count > 1)
		snprintf(others, sizeof(others), "; so it is with %zu more", count - 1);
	fail(0,
		"-e %s: a C++ exception or Rust panic that passes through %s() while it is "
		"watched ends its program%s",
		first->text, first->function, others);
}
