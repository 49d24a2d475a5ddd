// SPDX-License-Identifier: GPL-2.0-or-later
/* dwell report: where the time went, in text or as JSON. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "cli/command.h"
#include "cli/report.h"
#include "render/report_json.h"
#include "render/report_text.h"

#define WIDEST_COLUMNS 1000

enum {
	KEY_TOP = 0x2000,
	KEY_WIDTH,
	KEY_FULL,
	KEY_JSON,
	KEY_NO_COLOR,
};

struct arguments {
	struct report_options report;
	const char *file;
};

static const struct argp_option options[] = {
	{.doc = "What is printed:"},
	{.key = KEY_TOP, .name = "top", .arg = "N", .doc = "N processes and N waits"},
	{.key = KEY_FULL, .name = "full", .doc = "whole stacks, all losses"},
	{.key = KEY_JSON, .name = "json", .doc = "everything, as JSON"},
	{.key = KEY_WIDTH,
		.name = "width",
		.arg = "N",
		.doc = "N columns instead of the terminal's"},
	{.key = KEY_NO_COLOR, .name = "no-color", .doc = "no colours (also: NO_COLOR)"},
	{0},
};

void report_options_init(struct report_options *report)
{
	*report = (struct report_options){0};
	view_options_init(&report->view);
	report->view.filter.idle = IDLE_HIDE;
}

void report_options_clear(struct report_options *report)
{
	view_options_clear(&report->view);
}

static error_t parse_number(const char *option, const char *text, unsigned long least, size_t *ret)
{
	char *end;
	unsigned long number = strtoul(text, &end, 10);

	if (text[0] < '0' || text[0] > '9' || *end || number < least || number > 1000000) {
		fail(STATUS_USAGE, "report: %s %s: not a number from %lu up", option, text, least);
		return EINVAL;
	}
	*ret = number;
	return 0;
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
		return parse_number("--top", value, 1, &report->top);
	case KEY_WIDTH:
		return parse_number("--width", value, REPORT_WIDTH, &report->width);
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

static size_t width_of_terminal(void)
{
	const char *columns = getenv("COLUMNS");
	unsigned long number = columns ? strtoul(columns, NULL, 10) : 0;
	struct winsize size;

	if (!number && isatty(STDOUT_FILENO) && !ioctl(STDOUT_FILENO, TIOCGWINSZ, &size))
		number = size.ws_col;
	if (number < REPORT_WIDTH)
		return REPORT_WIDTH;
	return number < WIDEST_COLUMNS ? number : WIDEST_COLUMNS;
}

static bool wants_color(const struct report_options *report)
{
	const char *no_color = getenv("NO_COLOR");
	const char *terminal = getenv("TERM");

	return !report->is_colorless && isatty(STDOUT_FILENO) && !(no_color && no_color[0]) &&
	       terminal && strcmp(terminal, "dumb");
}

static int print_summary(
	const struct summary *summary, const char *path, const struct report_options *report)
{
	struct report_style style = {
		.file = path,
		.width = report->width ? report->width : width_of_terminal(),
		.top = report->top,
		.is_full = report->is_full,
		.is_by_process = !report->view.has_by,
		.is_colored = wants_color(report),
	};
	struct report_json_options json = {.file = path,
		.top = report->top,
		.hides_idle = report->view.has_idle && report->view.filter.idle == IDLE_HIDE};
	bool is_empty = !summary->threads.count || !(summary->busy_ns + summary->aside_ns);

	if (report->is_json)
		report_json(summary, &json, stdout);
	else if (!is_empty)
		report_text(summary, &style, stdout);
	if (!is_empty)
		return finish_stdout(STATUS_DONE);
	if (!summary->meta->window_ns)
		fail(STATUS_NOTHING, "%s: the recording is empty: its window has no length", path);
	else if (summary->is_filtered)
		fail(STATUS_NOTHING, "%s: nothing passes the filters", path);
	else
		fail(STATUS_NOTHING, "%s: the recording is empty: no thread was seen", path);
	return finish_stdout(STATUS_NOTHING);
}

static int print_file(const char *path, const struct report_options *report)
{
	struct summary_shapes shapes = {report->view.shape, report->view.shape};
	struct recording *recording = NULL;
	struct summary *summary = NULL;
	struct why why = {""};
	int status;

	if (!report->view.has_by)
		shapes.groups.by[0] = BY_NAME;
	if (recording_open(path, &recording, &why))
		return fail(STATUS_USAGE, "%s", why.text);
	if (summary_new(recording, &report->view.filter, &shapes, &summary, &why))
		status = fail(STATUS_USAGE, "%s", why.text);
	else
		status = print_summary(summary, path, report);
	summary_free(summary);
	recording_free(recording);
	return status;
}

int report_print(const char *path, const struct report_options *report)
{
	struct report_options defaults;

	if (report)
		return print_file(path, report);
	report_options_init(&defaults);
	int status = print_file(path, &defaults);
	report_options_clear(&defaults);
	return status;
}

static int run(const struct command *command, int argc, char **argv)
{
	struct arguments arguments = {0};
	int status;

	report_options_init(&arguments.report);
	status = options_parse(command, &argp, 0, argc, argv, &arguments);
	if (status == OPTIONS_GO_ON)
		status = report_print(
			arguments.file ? arguments.file : VIEW_DEFAULT_FILE, &arguments.report);
	report_options_clear(&arguments.report);
	return status;
}

const struct command cmd_report = {
	.name = "report",
	.usage = "[FILE] [OPTION...]",
	.summary = "Where the time went, in text, from a recording (default: last.dwell)",
	.examples = "  dwell report                        the recording made last\n"
		    "  dwell report -n 'postgres*' --full  some threads, whole stacks\n"
		    "  dwell report --reason disk -m 10ms  long waits for disks\n"
		    "  dwell report --from 2s --to 3s      one second of it\n"
		    "  dwell report --json | jq .waits     all figures, as data\n",
	.run = run,
};
