// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * dwell check: what this kernel, user and machine allow, and how to mend what is missing. Works
 * without any privilege: that is when it is needed most.
 */
#include "cli/command.h"

#include <stdbool.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "capture/probe.h"
#include "cli/fact_table.h"

#define DEFAULT_MEMORY_BYTES (256ULL << 20)
#define WIDEST_COLUMNS 100

struct check {
	bool is_json;
};

static const struct argp_option options[] = {
	{.name = "json", .key = 'j' + 256, .doc = "the facts as JSON"},
	{0},
};

static error_t parse_option(int key, char *value, struct argp_state *state)
{
	struct check *check = state->input;

	if (key == 'j' + 256)
		check->is_json = true;
	else if (key == ARGP_KEY_ARG) {
		fail(STATUS_USAGE, "check: %s is not an option; see dwell check --help", value);
		return EINVAL;
	} else
		return ARGP_ERR_UNKNOWN;
	return 0;
}

static const struct argp argp = {.options = options, .parser = parse_option};

/* Needs tracefs and root, but no BTF and no BPF. */
static const char *perf_command(void)
{
	return geteuid() ? "sudo perf record -e sched:sched_switch -e sched:sched_waking "
			   "-a -g -- sleep 10"
			 : "perf record -e sched:sched_switch -e sched:sched_waking "
			   "-a -g -- sleep 10";
}

static size_t terminal_width(void)
{
	struct winsize size;

	if (!isatty(STDOUT_FILENO) || ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) || !size.ws_col ||
		size.ws_col > WIDEST_COLUMNS)
		return WIDEST_COLUMNS;
	return size.ws_col;
}

static void print_json(const struct facts *facts, bool can_record, const struct why *why)
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
	json_close_object(&json);
	json_end(&json);
}

static void print_text(const struct facts *facts, bool can_record)
{
	fact_table_print(stdout, facts, terminal_width());
	if (can_record)
		puts("\nRecording is possible. Next: dwell record -a -d 10s");
	else
		printf("\nRecording is not possible until what is needed and missing is there.\n"
		       "Until then, raw events without sums (costs more):\n  %s\n",
			perf_command());
}

static int run_check(const struct command *command, int argc, char **argv)
{
	struct check check = {0};
	struct facts facts = {0};
	struct why why;
	int status = options_parse(command, &argp, 0, argc, argv, &check);

	if (status != OPTIONS_GO_ON)
		return status;
	probe_facts(DEFAULT_MEMORY_BYTES, &facts);
	bool can_record = !facts_judge(&facts, &why);
	if (check.is_json)
		print_json(&facts, can_record, &why);
	else
		print_text(&facts, can_record);
	facts_clear(&facts);
	return finish_stdout(can_record ? STATUS_DONE : STATUS_REFUSED);
}

const struct command cmd_check = {
	.name = "check",
	.usage = "[--json]",
	.summary = "What this kernel, user and machine allow, and how to mend what is missing",
	.examples = "  dwell check           one line per fact; exit 3 if recording is impossible\n"
		    "  dwell check --json    the same for scripts\n",
	.run = run_check,
};
