// SPDX-License-Identifier: GPL-2.0-or-later
/* dwell report --things: the table of what waits were for. */
#include "cli/command.h"
#include "cli/input.h"
#include "cli/report.h"
#include "profile/nothing.h"
#include "render/report/things.h"

static int print_table(const char *path, const struct report_options *report,
	struct recording *recording, const struct thing_table *table)
{
	_cleanup_free_ char *filter_text = view_filter_text(&report->view.filter);
	struct things_style style = {.file = path,
		.target = recording_meta(recording)->target,
		.filter_text = filter_text,
		.recording = recording,
		.width = report_width(report),
		.top = report->top,
		.is_full = report->is_full,
		.hides_idle =
			report->view.filter.idle == IDLE_HIDE && !report->view.filter.slow_function,
		.is_colored = report_wants_color(report)};

	if (report->is_json)
		thing_table_json(table, &style, stdout);
	else if (table->total_ns)
		thing_table_text(table, &style, stdout);
	if (table->total_ns)
		return STATUS_DONE;
	_cleanup_free_ char *nothing = nothing_text(recording, &report->view.filter);
	if (!view_filter_is_open(&report->view.filter))
		return fail(STATUS_NOTHING, "%s: no blocked time passes the filters%s%s", path,
			nothing ? ": " : "", nothing ? nothing : "");
	return fail(STATUS_NOTHING, "%s: %s has no blocked time%s", path,
		recording_meta(recording)->window_ns ? "the recording"
						     : "the recording is empty and",
		style.hides_idle ? " that is not idle (--idle show)" : "");
}

/* A table in which nothing is told needs a reason. */
static void say_why_nothing(const char *path, struct recording *recording)
{
	size_t count;

	recording_awaited(recording, &count);
	if (!count)
		fprintf(stderr,
			"dwell: %s does not hold what waits were for: it was made with "
			"--no-awaited, by import or by an older dwell\n",
			path);
}

int things_print(const char *path, const struct report_options *report)
{
	struct recording *recording;
	struct thing_table *table = NULL;
	struct why why = {""};
	int status, error;

	if (recording_open(path, &recording, &why))
		return fail(STATUS_USAGE, "%s", why.text);
	error = thing_table_new(recording, &report->view.filter, &table, &why);
	if (error) {
		recording_free(recording);
		return fail_reading(error, &why);
	}
	status = finish_stdout(print_table(path, report, recording, table));
	say_why_nothing(path, recording);
	_cleanup_free_ char *losses = input_losses(recording);
	if (losses)
		fprintf(stderr, "dwell: %s: %s\n", path, losses);
	thing_table_free(table);
	recording_free(recording);
	return status;
}
