// SPDX-License-Identifier: GPL-2.0-or-later
/* dwell calls: how long calls of functions take, of that what they ran and waited for, and why the
 * slow ones were slow. Records as dwell record --calls does, and prints that part of the report. */
#include <errno.h>

#include "cli/call_hints.h"
#include "cli/command.h"
#include "cli/perf_options.h"
#include "cli/report.h"
#include "cli/session.h"
#include "render/report/report_calls.h"

enum {
	KEY_BY = 0x8000,
	KEY_TOP,
	KEY_FULL,
	KEY_WIDTH,
	KEY_JSON,
	KEY_NO_COLOR,
};

struct calls {
	struct record_options record;
	struct report_options report;
};

static const struct argp_option options[] = {
	{.doc = "What is printed:"},
	{.key = KEY_BY,
		.name = "by",
		.arg = "WORD,...",
		.doc = "who called, below each function: WORD is process, thread, container, "
		       "comm or name (of the process)"},
	{.key = KEY_TOP, .name = "top", .arg = "N", .doc = "N functions, and N lines of each part"},
	{.key = KEY_FULL, .name = "full", .doc = "whole stacks, all that is known"},
	{.key = KEY_JSON,
		.name = "json",
		.doc = "the whole report as JSON; calls are under .calls"},
	{.key = KEY_WIDTH,
		.name = "width",
		.arg = "N",
		.doc = "N columns (50 or more) instead of the terminal's"},
	{.key = KEY_NO_COLOR, .name = "no-color", .doc = "no colours (also: NO_COLOR)"},
	{0},
};

static error_t parse_by(struct report_options *report, const char *value)
{
	struct why why;

	report->view.has_by = true;
	if (stack_shape_set_by(&report->view.shape, value, &why))
		fail(STATUS_USAGE, "%s", why.text);
	else if (stack_shape_is_of_waits(&report->view.shape))
		fail(STATUS_USAGE, "calls: --by awaited is for pictures: dwell flame --by awaited");
	else
		return 0;
	return EINVAL;
}

static error_t check_end(const struct calls *calls)
{
	if (calls->record.calls.words.count)
		return 0;
	fail(STATUS_USAGE, "calls: of which functions? As in: dwell calls -p 1234 libc:malloc "
			   "syscall:fsync; a COMMAND stands behind --");
	return EINVAL;
}

static error_t parse_option(int key, char *value, struct argp_state *state)
{
	struct calls *calls = state->input;
	struct report_options *report = &calls->report;

	switch (key) {
	case ARGP_KEY_INIT:
		state->child_inputs[0] = &calls->record;
		return 0;
	case KEY_BY:
		return parse_by(report, value);
	case KEY_TOP:
		return report_parse_number("calls", "--top", value, 1, &report->top);
	case KEY_WIDTH:
		return report_parse_number(
			"calls", "--width", value, REPORT_NARROWEST, &report->width);
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
		/* The words of a COMMAND are record's. */
		if (state->quoted)
			return ARGP_ERR_UNKNOWN;
		call_arguments_add(&calls->record.calls, value, true);
		return 0;
	case ARGP_KEY_END:
		return check_end(calls);
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static const struct argp_child children[] = {{.argp = &record_argp}, {0}};
static const struct argp argp = {.options = options, .parser = parse_option, .children = children};

static int print_calls(
	const struct summary *summary, const char *path, const struct report_options *report)
{
	struct report_style style = report_style_of(path, report);

	if (!call_hints_has_any(summary)) {
		call_hints_none(summary);
		return STATUS_NOTHING;
	}
	report_calls(summary, &style, stdout);
	call_hints_next(summary, path, style.width, stdout);
	return finish_stdout(STATUS_DONE);
}

/* Figures of zero are data, too. */
static int print_json(
	const struct summary *summary, const char *path, const struct report_options *report)
{
	int status = report_print(path, report);

	return status == STATUS_DONE && !call_hints_has_any(summary) ? STATUS_NOTHING : status;
}

static int show(const char *path, const struct report_options *report)
{
	struct summed summed = {0};
	struct why why = {""};

	int error = summed_open(path, &report->view, &summed, &why);
	if (error)
		return fail_reading(error, &why);
	int status = report->is_json ? print_json(summed.summary, path, report)
				     : print_calls(summed.summary, path, report);
	summed_clear(&summed);
	return status;
}

static int record_and_show(struct calls *calls)
{
	struct record_options *record = &calls->record;
	const char *path = NULL;

	record_options_limit(record);
	/* A COMMAND writes on the terminal, too: what is shown there can be taken back no further
	 * than its line. */
	record->has_call_table = !record->command;
	int status = session_record(record, &path);
	if (!path)
		return status;
	command_give_up_rights();
	int report_status = show(path, &calls->report);
	return record->command || status != STATUS_DONE ? status : report_status;
}

static int run_calls(const struct command *command, int argc, char **argv)
{
	struct calls calls;

	record_options_init(&calls.record);
	calls.record.calls.are_bare = true;
	report_options_init(&calls.report);
	int status = record_options_read(&calls.record, command, &argp, &calls, argc, argv);
	if (status == OPTIONS_GO_ON)
		status = record_and_show(&calls);
	report_options_clear(&calls.report);
	record_options_clear(&calls.record);
	return status;
}

const struct command cmd_calls = {
	.name = "calls",
	.usage = "[TARGET] FUNCTION... [-d TIME] [-o FILE] [-- COMMAND]",
	.summary = "How long calls of functions take, and what that time goes into",
	.examples = "  dwell calls -p 1234 libssl:SSL_read    a function of a library, for 10 s\n"
		    "  dwell calls -p 1234 query --slower 5ms one of its own; why some take 5 ms\n"
		    "  dwell calls syscall:fsync -d 1m        a system call, whoever makes it\n"
		    "  dwell calls -p 1234 'libpq:PQ*'        all functions of that name\n"
		    "  dwell calls k:vfs_read --by process    a function of the kernel\n"
		    "  dwell calls 'parse*' -- ./prog         some functions of a command\n",
	.argp = &argp,
	.run = run_calls,
	.needs_rights = true,
	.strangers = perf_strangers,
	.has_words = true,
};
