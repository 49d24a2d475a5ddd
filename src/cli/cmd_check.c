// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * dwell check: what this kernel, user and machine allow, and how to mend what is missing. Works
 * without any privilege: that is when it is needed most.
 */
#include "cli/command.h"

#include <stdbool.h>
#include <unistd.h>

#include "check/cost.h"
#include "check/check.h"
#include "cli/fact_table.h"
#include "cli/record_options.h"
#include "cli/terminal.h"
#include "render/layout.h"
#include "util/units.h"

#define COST_WINDOW_NS (2 * NS_PER_S)
#define WIDEST_COLUMNS 100

struct check {
	bool is_json;
	bool has_cost;
	struct record_options target;
};

enum {
	KEY_JSON = 2000,
	KEY_COST,
};

static const struct argp_option options[] = {
	{.name = "json", .key = KEY_JSON, .doc = "the facts as JSON"},
	{.name = "cost",
		.key = KEY_COST,
		.doc = "watch the target for 2 s without stacks and say what recording it would "
		       "cost"},
	{0},
};

static error_t parse_option(int key, char *value, struct argp_state *state)
{
	struct check *check = state->input;

	switch (key) {
	case ARGP_KEY_INIT:
		state->child_inputs[0] = &check->target;
		return 0;
	case KEY_JSON:
		check->is_json = true;
		return 0;
	case KEY_COST:
		check->has_cost = true;
		return 0;
	case ARGP_KEY_ARG:
		fail(STATUS_USAGE, "%s is not an option; see dwell check --help", value);
		return EINVAL;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static const struct argp_child children[] = {
	{.argp = &target_argp, .header = "Target of --cost (none: all threads):"}, {0}};
static const struct argp argp = {.options = options, .parser = parse_option, .children = children};

/* Needs tracefs and root, but no BTF and no BPF. */
static const char *perf_command(void)
{
	return geteuid() ? "sudo perf record -e sched:sched_switch -e sched:sched_waking "
			   "-a -g -- sleep 10"
			 : "perf record -e sched:sched_switch -e sched:sched_waking "
			   "-a -g -- sleep 10";
}

static size_t table_width(void)
{
	size_t columns = terminal_columns(WIDEST_COLUMNS);

	return columns < WIDEST_COLUMNS ? columns : WIDEST_COLUMNS;
}

static void print_cost_json(struct json *json, const struct cost *cost)
{
	json_name(json, "cost");
	json_open_object(json);
	json_field_uint(json, "window_ns", cost->window_ns);
	json_field_uint(json, "switches", cost->switches);
	json_field_uint(json, "target_switches", cost->target_switches);
	json_field_uint(json, "target_threads", cost->threads);
	json_field_double(json, "switch_ns", cost->bare_ns);
	json_field_double(json, "stacks_ns", cost->stack_ns);
	json_field_double(json, "share_of_one_cpu", cost->share);
	json_close_object(json);
}

/* cost is NULL if it was not asked for. */
static void print_json(
	const struct facts *facts, bool can_record, const struct why *why, const struct cost *cost)
{
	struct json json;

	json_init(&json, stdout);
	json_open_object(&json);
	json_field_text(&json, "version", DWELL_VERSION);
	json_field_bool(&json, "can_record", can_record);
	if (!can_record) {
		json_field_text(&json, "why_not", why->text);
		json_field_text(&json, "instead", perf_command());
	}
	json_name(&json, "facts");
	fact_table_json(&json, facts);
	if (cost)
		print_cost_json(&json, cost);
	json_close_object(&json);
	json_end(&json);
}

static void print_cost(const struct record_options *target, const struct cost *cost)
{
	double seconds = (double)cost->window_ns / 1e9;
	char threads[UNITS_ROOM], all[UNITS_ROOM], own[UNITS_ROOM];

	_cleanup_free_ char *text = xasprintf(
		"\nCost of recording %s\n"
		"  %s threads; %s switches a second on this machine, %s of them theirs\n"
		"  %.2f us a switch, and %.2f us more with stacks (measured here, just now)\n"
		"  recording would take about %.2f %% of one CPU inside the kernel\n",
		target->target_text, units_count(cost->threads, threads),
		units_count((uint64_t)((double)cost->switches / seconds), all),
		units_count((uint64_t)((double)cost->target_switches / seconds), own),
		cost->bare_ns / 1e3, cost->stack_ns / 1e3, 100 * cost->share);
	layout_fit(stdout, text, table_width());
}

static void print_text(const struct facts *facts, bool can_record)
{
	fact_table_print(stdout, facts, table_width());
	if (can_record) {
		layout_fit(stdout, "\nRecording is possible. Next: dwell record -a -d 10s\n",
			table_width());
		return;
	}
	layout_fit(stdout,
		"\nRecording is not possible until what is needed and missing is there.\n"
		"Until then, raw events without sums (costs more):\n",
		table_width());
	printf("  %s\n", perf_command());
}

/* Facts, and the cost if it is asked for and can be had. */
static int check_all(struct check *check)
{
	struct facts facts = {0};
	struct cost cost;
	struct why why;
	int error = 0;

	check_facts(RECORD_DEFAULT_MEMORY, &facts);
	bool can_record = !facts_judge(&facts, &why);
	bool has_cost = check->has_cost && can_record;
	if (has_cost)
		error = cost_measure(&check->target.capture, COST_WINDOW_NS, &cost, &why);
	if (error) {
		facts_clear(&facts);
		return fail(error == -EPERM || error == -ENOTSUP ? STATUS_REFUSED : STATUS_USAGE,
			"%s", why.text);
	}
	if (check->is_json)
		print_json(&facts, can_record, &why, has_cost ? &cost : NULL);
	else if (has_cost)
		print_cost(&check->target, &cost);
	else
		print_text(&facts, can_record);
	facts_clear(&facts);
	if (has_cost && !cost.threads)
		return finish_stdout(fail(STATUS_NOTHING, "there is no thread to record of %s",
			check->target.target_text));
	return finish_stdout(can_record ? STATUS_DONE : STATUS_REFUSED);
}

static int run_check(const struct command *command, int argc, char **argv)
{
	struct check check = {0};

	record_options_init(&check.target);
	check.target.name = command->name;
	int status = options_parse(command, &argp, 0, argc, argv, &check);
	if (status == OPTIONS_GO_ON) {
		status = record_options_settle(&check.target, argc, argv);
		check.target.capture.ids = check.target.ids.at;
		check.target.capture.id_count = check.target.ids.count;
		if (!status)
			status = check_all(&check);
	}
	record_options_clear(&check.target);
	return status;
}

const struct command cmd_check = {
	.name = "check",
	.usage = "[--json] [--cost [TARGET]]",
	.summary = "What this kernel, user and machine allow, and how to mend it",
	.examples = "  dwell check           one line per fact; exit 3 if recording is impossible\n"
		    "  dwell check --json    the same for scripts\n"
		    "  dwell check --cost -p 1234    what recording process 1234 would cost\n",
	.argp = &argp,
	.run = run_check,
	.needs_rights = true,
};
