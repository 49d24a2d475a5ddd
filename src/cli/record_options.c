// SPDX-License-Identifier: GPL-2.0-or-later
/* Options of recording: one by one, as they are given. What they come to: record_settle.c. */
#include "cli/record_options.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cli/command.h"
#include "util/units.h"

enum {
	KEY_SLICE = 1000,
	KEY_MEMORY,
	KEY_SELF,
	KEY_USER_STACKS,
	KEY_DEPTH,
	KEY_WAKER_STACKS_FROM,
	KEY_NO_CACHE,
	KEY_NO_AWAITED,
	KEY_AUDIT,
	KEY_BUDGET,
};

static const struct argp_option target_table[] = {
	{"pid", 'p', "PID,...", 0, "processes, with threads born later", 1},
	{"tid", 't', "TID,...", 0, "single threads", 1},
	{"name", 'n', "GLOB", 0, "threads whose name matches, e.g. 'postgres*'", 1},
	{"cgroup", 'G', "CGROUP", 0, "a cgroup's path, or a container id (8 digits or more)", 1},
	{"all", 'a', NULL, 0, "all threads of the machine (of this pid namespace)", 1},
	{"all-cpus", 'a', NULL, OPTION_ALIAS, NULL, 1},
	{"user-threads", 'u', NULL, 0, "no kernel threads", 1},
	{"kernel-threads", 'k', NULL, 0, "kernel threads only", 1},
	{0},
};

static const struct argp_option table[] = {
	{NULL, 0, NULL, 0, "Recording:", 2},
	{"duration", 'd', "TIME", 0, "stop after TIME: 10s, 500ms, 2m; without a unit: seconds", 2},
	{"output", 'o', "FILE", 0,
		"recording (default " RECORD_DEFAULT_FILE ", the one before kept as .old)", 2},
	{"frequency", 'F', "HZ", 0, "on-CPU samples per second and CPU (default 99, 0: none)", 2},
	{"min-wait", 'm', "TIME", 0, "shorter waits keep time and reason, not the rest", 2},
	{"max-wait", 'M', "TIME", 0, "longer waits keep time and reason, not the rest", 2},
	{"slice", KEY_SLICE, "TIME", 0,
		"keep sums apart for each TIME (default 100ms with -d up to 12s, else 1s)", 2},
	{"memory", KEY_MEMORY, "SIZE", 0,
		"the most for tables in the kernel (default 256M, less if little is free)", 2},
	{"user-stacks", KEY_USER_STACKS, "table|fp|none", 0,
		"by unwind tables (default), by frame pointers, or no user stacks", 2},
	{"no-cache", KEY_NO_CACHE, NULL, 0, "keep no unwind tables on disk", 2},
	{"depth", KEY_DEPTH, "HOPS", 0,
		"follow wakers, and theirs, for so many hops (default 8, up to 16, 0: none)", 2},
	{"waker-stacks-from", KEY_WAKER_STACKS_FROM, "TIME", 0,
		"wakers of shorter waits keep their names but not their stacks", 2},
	{"no-awaited", KEY_NO_AWAITED, NULL, 0,
		"do not note what waits are for: no paths, addresses, locks", 2},
	{"audit", KEY_AUDIT, "N", 0,
		"walk one of N stacks that are known already, to compare (default 256, 0: none)",
		2},
	{"budget", KEY_BUDGET, "PERCENT", 0,
		"cost at most PERCENT of the machine's CPU time: times stay exact, stacks of short "
		"waits are left out at random",
		2},
	{"self", KEY_SELF, NULL, 0, "record dwell itself, too", 2},
	{"quiet", 'q', NULL, 0, "no progress, no summary", 2},
	{0},
};

void record_options_init(struct record_options *options)
{
	*options = (struct record_options){.capture = {.target = TARGET_ALL,
						   .has_user_threads = true,
						   .has_kernel_threads = true,
						   .max_wait_ns = UINT64_MAX,
						   .sample_hz = 99,
						   .slice_ns = NS_PER_S,
						   .memory_bytes = RECORD_DEFAULT_MEMORY,
						   .user_stacks = USER_STACKS_TABLE,
						   .has_cache = true,
						   .has_stacks = true,
						   .has_time_stacks = true,
						   .has_awaited = true,
						   .depth = CAPTURE_DEFAULT_DEPTH,
						   .audit_every = CAPTURE_DEFAULT_AUDIT}};
	event_options_init(&options->events, &options->calls, &options->perf);
}

static int bad(const char *format, const char *value)
{
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
	fail(STATUS_USAGE, format, value);
#pragma GCC diagnostic pop
	return EINVAL;
}

static int set_target(struct record_options *options, enum target_kind kind)
{
	if (options->has_target && options->capture.target != kind) {
		fail(STATUS_USAGE, "give one kind of target: -p, -t, -n, -G or -a");
		return EINVAL;
	}
	options->has_target = true;
	options->capture.target = kind;
	return 0;
}

static int parse_ids(struct record_options *options, const char *list)
{
	const char *at = list;

	do {
		char *end;
		errno = 0;
		unsigned long id = strtoul(at, &end, 10);
		if (end == at || *at == '-' || *at == '+' || errno || !id || id > INT32_MAX ||
			(*end && *end != ','))
			return bad("%s is not a list of process or thread numbers", list);
		vec_push(&options->ids, (uint32_t)id);
		at = *end ? end + 1 : end;
	} while (*at);
	return 0;
}

static int parse_time(const char *text, uint64_t *ret)
{
	uint64_t ns;

	if (units_parse_duration(text, &ns))
		return bad("%s is not a time; write 10s, 500ms or 2m", text);
	*ret = ns;
	return 0;
}

static int parse_frequency(struct record_options *options, const char *text)
{
	char *end;
	unsigned long hz = strtoul(text, &end, 10);

	if (end == text || *end || text[0] == '-' || hz > CAPTURE_MAX_HZ)
		return bad("%s is not a sampling frequency from 0 to 10000", text);
	if (!event_options_take_frequency(&options->events, (uint32_t)hz))
		options->capture.sample_hz = (uint32_t)hz;
	return 0;
}

static int parse_slice(struct record_options *options, const char *text)
{
	int error = parse_time(text, &options->capture.slice_ns);

	if (!error && options->capture.slice_ns < CAPTURE_MIN_SLICE_NS)
		return bad("%s is too short for a slice; 1ms is the shortest", text);
	options->is_slice_asked = true;
	return error;
}

static int parse_memory(struct record_options *options, const char *text)
{
	if (units_parse_bytes(text, &options->capture.memory_bytes))
		return bad("%s is not a size; write 256M or 1G", text);
	if (options->capture.memory_bytes < CAPTURE_MIN_MEMORY ||
		options->capture.memory_bytes > 1ULL << 36)
		return bad("%s is out of range; --memory takes 8M to 64G", text);
	options->capture.is_memory_asked = true;
	return 0;
}

static int parse_user_stacks(struct record_options *options, const char *text)
{
	static const char *const ways[] = {[USER_STACKS_NONE] = "none",
		[USER_STACKS_FP] = "fp",
		[USER_STACKS_TABLE] = "table"};

	for (size_t i = 0; i < ARRAY_SIZE(ways); i++)
		if (!strcmp(text, ways[i])) {
			options->capture.user_stacks = (enum user_stacks)i;
			return 0;
		}
	return bad("%s is no way to walk user stacks; write table, fp or none", text);
}

static int parse_depth(struct record_options *options, const char *text)
{
	char *end;
	unsigned long depth = strtoul(text, &end, 10);

	if (end == text || *end || text[0] == '-' || depth > CONTRACT_MAX_HOPS)
		return bad("%s is not a number of hops from 0 to 16", text);
	options->capture.depth = (uint32_t)depth;
	return 0;
}

static int parse_audit(struct record_options *options, const char *text)
{
	char *end;
	unsigned long every = strtoul(text, &end, 10);

	if (end == text || *end || text[0] == '-' || every > UINT32_MAX)
		return bad("%s is not a number of stacks; --audit 256 is usual, 0 none", text);
	options->capture.audit_every = (uint32_t)every;
	return 0;
}

static int parse_budget(struct record_options *options, const char *text)
{
	char *end;
	double percent = strtod(text, &end);

	if (end == text || (*end && strcmp(end, "%")))
		return bad("%s is not a share of the machine's CPU time; write 1%% or 0.5%%", text);
	if (!(percent >= CAPTURE_MIN_BUDGET * 100) || percent > CAPTURE_MAX_BUDGET * 100)
		return bad("%s is out of range; --budget takes 0.1%% to 50%%", text);
	options->capture.budget = percent / 100;
	return 0;
}

static error_t parse_target(int key, char *value, struct argp_state *state)
{
	struct record_options *options = state->input;
	int error;

	switch (key) {
	case 'p':
	case 't':
		error = set_target(options, key == 'p' ? TARGET_PIDS : TARGET_TIDS);
		return error ? error : parse_ids(options, value);
	case 'n':
		options->capture.comm_glob = value;
		return set_target(options, TARGET_COMM);
	case 'G':
		options->capture.cgroup = value;
		return set_target(options, TARGET_CGROUP);
	case 'a':
		return set_target(options, TARGET_ALL);
	case 'u':
		options->capture.has_kernel_threads = false;
		return 0;
	case 'k':
		options->capture.has_user_threads = false;
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static error_t parse(int key, char *value, struct argp_state *state)
{
	struct record_options *options = state->input;

	switch (key) {
	case ARGP_KEY_INIT:
		options->perf.user_stacks = &options->capture.user_stacks;
		state->child_inputs[0] = options;
		state->child_inputs[1] = &options->events;
		state->child_inputs[2] = &options->calls;
		state->child_inputs[3] = &options->perf;
		return 0;
	case 'd':
		if (parse_time(value, &options->capture.duration_ns))
			return EINVAL;
		return options->capture.duration_ns ? 0 : bad("%s is no time to record for", value);
	case 'o':
		options->output = value;
		return 0;
	case 'F':
		return parse_frequency(options, value);
	case 'm':
		return parse_time(value, &options->capture.min_wait_ns);
	case 'M':
		return parse_time(value, &options->capture.max_wait_ns);
	case KEY_SLICE:
		return parse_slice(options, value);
	case KEY_MEMORY:
		return parse_memory(options, value);
	case KEY_USER_STACKS:
		return parse_user_stacks(options, value);
	case KEY_DEPTH:
		return parse_depth(options, value);
	case KEY_WAKER_STACKS_FROM:
		return parse_time(value, &options->capture.waker_stacks_from_ns);
	case KEY_NO_CACHE:
		options->capture.has_cache = false;
		return 0;
	case KEY_NO_AWAITED:
		options->capture.has_awaited = false;
		return 0;
	case KEY_AUDIT:
		return parse_audit(options, value);
	case KEY_BUDGET:
		return parse_budget(options, value);
	case KEY_SELF:
		options->capture.has_self = true;
		return 0;
	case 'q':
		options->is_quiet = true;
		return 0;
	case ARGP_KEY_ARGS:
		options->command = state->argv + state->next;
		return 0;
	case ARGP_KEY_END:
		/* As of a script whose variable is empty: nobody means the whole machine. */
		if (!state->quoted || options->command)
			return 0;
		fail(STATUS_USAGE, "there is no COMMAND behind --");
		return EINVAL;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

const struct argp target_argp = {.options = target_table, .parser = parse_target};

static const struct argp_child children[] = {
	{.argp = &target_argp,
		.group = -1,
		.header = "Target (none: COMMAND and what it starts, else all threads):"},
	{.argp = &event_options_argp}, {.argp = &call_options_argp}, {.argp = &perf_options_argp},
	{0}};
const struct argp record_argp = {.options = table, .parser = parse, .children = children};
