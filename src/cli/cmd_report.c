// SPDX-License-Identifier: GPL-2.0-or-later
/* dwell report: where the time went, in text or as JSON. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/command.h"
#include "cli/report.h"
#include "cli/terminal.h"
#include "render/report/report_json.h"
#include "render/report/report_text.h"
#include "render/report/report_wait.h"

enum {
	KEY_TOP = 0x2000,
	KEY_WIDTH,
	KEY_FULL,
	KEY_JSON,
	KEY_NO_COLOR,
	KEY_FUNCTIONS,
	KEY_THINGS,
	KEY_VIEW,
	KEY_SORT,
	KEY_WAIT,
};

struct arguments {
	struct report_options report;
	const char *file;
};

static const struct argp_option options[] = {
	{.doc = "What is printed:"},
	{.key = KEY_TOP,
		.name = "top",
		.arg = "N",
		.doc = "N processes and N waits, or N functions, or N things"},
	{.key = KEY_WAIT,
		.name = "wait",
		.arg = "N",
		.doc = "wait N of the report alone: its whole stack and its wakers, hop by hop"},
	{.key = KEY_FUNCTIONS,
		.name = "functions",
		.doc = "a table of functions instead: time of each by itself and with what it "
		       "called"},
	{.key = KEY_VIEW,
		.name = "view",
		.arg = "VIEW",
		.doc = "of the functions: one of " VIEW_NAMES_OF_FUNCTIONS
		       "; default oncpu; or slow:FUNCTION, all time of its slow calls; or what the "
		       "recording counts (record -e)"},
	{.key = KEY_SORT,
		.name = "sort",
		.arg = "self|total|object",
		.doc = "functions by their own time (default), by their total, or grouped by "
		       "object"},
	{.key = KEY_THINGS,
		.name = "things",
		.doc = "a table of what waits were for instead: files, sockets, locks, with who "
		       "waited and who ended the waits"},
	{.key = KEY_FULL, .name = "full", .doc = "whole stacks, all losses"},
	{.key = KEY_JSON, .name = "json", .doc = "everything, as JSON"},
	{.key = KEY_WIDTH,
		.name = "width",
		.arg = "N",
		.doc = "N columns (50 or more) instead of the terminal's"},
	{.key = KEY_NO_COLOR, .name = "no-color", .doc = "no colours (also: NO_COLOR)"},
	{0},
};

void report_options_init(struct report_options *report)
{
	*report = (struct report_options){.kind = "oncpu"};
	view_options_init(&report->view);
	report->view.filter.idle = IDLE_HIDE;
}

void report_options_clear(struct report_options *report)
{
	view_options_clear(&report->view);
}

error_t report_parse_number(
	const char *command, const char *option, const char *text, unsigned long least, size_t *ret)
{
	char *end;
	unsigned long number = strtoul(text, &end, 10);

	if (text[0] < '0' || text[0] > '9' || *end || number < least || number > 1000000) {
		fail(STATUS_USAGE, "%s: %s %s: not a number from %lu up", command, option, text,
			least);
		return EINVAL;
	}
	*ret = number;
	return 0;
}

static error_t parse_sort(const char *value, enum function_order *ret)
{
	if (function_order_from_name(value, ret))
		return 0;
	fail(STATUS_USAGE, "report: --sort %s: unknown; give self, total or object", value);
	return EINVAL;
}

/* Options that only one of the tables has. */
static error_t check_kind(const struct report_options *report)
{
	if (report->has_view && !report->is_functions)
		fail(STATUS_USAGE, "report: --view and --sort are for --functions");
	else if (report->is_functions && report->is_things)
		fail(STATUS_USAGE, "report: --functions and --things are two tables; give one");
	else if ((report->is_functions || report->is_things) && report->view.has_by)
		fail(STATUS_USAGE, "report: --by is not for --%s; choose threads with -p, -t or -n",
			report->is_things ? "things" : "functions");
	else if (stack_shape_is_of_waits(&report->view.shape))
		fail(STATUS_USAGE, "report: --by awaited is for pictures (flame); --things has "
				   "a table of things");
	else if (report->wait && (report->is_functions || report->is_things || report->is_json))
		fail(STATUS_USAGE, "report: --wait is text and about waits; --json has all of them "
				   "under .lines");
	else
		return 0;
	return EINVAL;
}

static error_t parse_option(int key, char *value, struct argp_state *state)
{
	struct arguments *arguments = state->input;
	struct report_options *report = &arguments->report;

	switch (key) {
	case ARGP_KEY_INIT:
		state->child_inputs[0] = &report->view;
		return 0;
	case KEY_TOP:
		return report_parse_number("report", "--top", value, 1, &report->top);
	case KEY_WAIT:
		return report_parse_number("report", "--wait", value, 1, &report->wait);
	case KEY_WIDTH:
		return report_parse_number(
			"report", "--width", value, REPORT_NARROWEST, &report->width);
	case KEY_FUNCTIONS:
		report->is_functions = true;
		return 0;
	case KEY_THINGS:
		report->is_things = true;
		return 0;
	case KEY_VIEW:
		report->has_view = true;
		report->kind = value;
		return 0;
	case KEY_SORT:
		report->has_view = true;
		return parse_sort(value, &report->order);
	case ARGP_KEY_END:
		return check_kind(report);
	case KEY_FULL:
		report->is_full = true;
		return 0;
	case KEY_JSON:
		report->is_json = true;
		return 0;
	case KEY_NO_COLOR:
		report->is_colorless = true;
		return 0;
	case ARGP_KEY_ARG:
		if (arguments->file) {
			fail(STATUS_USAGE, "report: one recording at a time; %s is too many",
				value);
			return EINVAL;
		}
		arguments->file = value;
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static const struct argp_child children[] = {{.argp = &view_options_argp}, {0}};
static const struct argp argp = {.options = options, .parser = parse_option, .children = children};

size_t report_width(const struct report_options *report)
{
	return report->width ? report->width : terminal_columns(REPORT_WIDTH);
}

bool report_wants_color(const struct report_options *report)
{
	const char *no_color = getenv("NO_COLOR");
	const char *terminal = getenv("TERM");

	return !report->is_colorless && isatty(STDOUT_FILENO) && !(no_color && no_color[0]) &&
	       terminal && strcmp(terminal, "dumb");
}

struct report_style report_style_of(const char *path, const struct report_options *report)
{
	return (struct report_style){
		.file = path,
		.width = report_width(report),
		.lines = terminal_rows(),
		.top = report->top,
		.is_full = report->is_full,
		.is_by_process = !report->view.has_by,
		.is_colored = report_wants_color(report),
	};
}

static int print_summary(
	const struct summed *summed, const char *path, const struct report_options *report)
{
	const struct summary *summary = summed->summary;
	struct report_style style = report_style_of(path, report);
	struct report_json_options json = {.file = path,
		.top = report->top,
		.hides_idle = report->view.has_idle && report->view.filter.idle == IDLE_HIDE};
	bool is_empty = summed_is_empty(summed, path, &report->view);

	if (report->wait > summary->lines.count && !is_empty)
		return fail(STATUS_NOTHING, "%s: there is no wait %zu: the report has %zu", path,
			report->wait, summary->lines.count);
	if (report->is_json)
		report_json(summary, &json, stdout);
	else if (report->wait && !is_empty)
		report_wait(summary, report->wait, &style, stdout);
	else if (!is_empty)
		report_text(summary, &style, stdout);
	return finish_stdout(is_empty ? STATUS_NOTHING : STATUS_DONE);
}

int report_print_summed(const char *path, const struct summed *summed)
{
	struct report_options defaults;

	report_options_init(&defaults);
	int status = print_summary(summed, path, &defaults);
	report_options_clear(&defaults);
	return status;
}

int report_print(const char *path, const struct report_options *report)
{
	struct summed summed = {0};
	struct why why = {""};

	int error = summed_open(path, &report->view, &summed, &why);
	if (error)
		return fail_reading(error, &why);
	int status = print_summary(&summed, path, report);
	summed_clear(&summed);
	return status;
}

static int run(const struct command *command, int argc, char **argv)
{
	struct arguments arguments = {0};
	int status;

	report_options_init(&arguments.report);
	status = options_parse(command, &argp, 0, argc, argv, &arguments);
	if (status == OPTIONS_GO_ON) {
		const char *path = arguments.file ? arguments.file : VIEW_DEFAULT_FILE;
		status = arguments.report.is_things      ? things_print(path, &arguments.report)
			 : arguments.report.is_functions ? functions_print(path, &arguments.report)
							 : report_print(path, &arguments.report);
	}
	report_options_clear(&arguments.report);
	return status;
}

const struct command cmd_report = {
	.name = "report",
	.usage = "[FILE] [OPTION...]",
	.summary = "Where the time went, as text (default: of last.dwell)",
	.examples = "  dwell report                        the recording made last\n"
		    "  dwell report -n 'postgres*' --full  some threads, whole stacks\n"
		    "  dwell report --reason disk -m 10ms  long waits for disks\n"
		    "  dwell report --from 2s --to 3s      one second of it\n"
		    "  dwell report --wait 1               the largest wait, hop by hop\n"
		    "  dwell report --functions            functions by their CPU time\n"
		    "  dwell report --things               what waits were for, and who had it\n"
		    "  dwell report --for '*.wal'          waits for some files only\n"
		    "  dwell report --slow FUNCTION        why its slow calls were slow\n"
		    "  dwell report --json | jq .waits     all figures, as data\n",
	.argp = &argp,
	.run = run,
};
