// SPDX-License-Identifier: GPL-2.0-or-later
/* dwell report --functions: the flat table of functions. */
#include "cli/command.h"
#include "cli/report.h"
#include "cli/input.h"
#include "render/functions.h"

static int nothing_found(
	const char *path, const struct report_options *report, struct recording *recording)
{
	if (!view_filter_is_open(&report->view.filter))
		return fail(STATUS_NOTHING, "%s: no time of %s passes the filters", path,
			view_name(report->kind));
	return fail(STATUS_NOTHING, "%s: %s has no time of %s", path,
		recording_meta(recording)->window_ns ? "the recording"
						     : "the recording is empty and",
		view_name(report->kind));
}

static int print_profile(const char *path, const struct report_options *report,
	struct recording *recording, const struct profile *profile)
{
	_cleanup_free_ char *filter_text = view_filter_text(&report->view.filter);
	struct functions_style style = {.file = path,
		.target = recording_meta(recording)->target,
		.profile = profile,
		.filter_text = filter_text,
		.view = report->kind,
		.order = report->order,
		.width = report_width(report),
		.top = report->top,
		.is_full = report->is_full,
		.hides_idle = report->view.filter.idle == IDLE_HIDE,
		.is_colored = report_wants_color(report)};
	struct function_table table;
	int status = STATUS_DONE;

	function_table_make(&profile->tree, report->kind, report->order, &table);
	if (report->is_json)
		functions_json(&table, &style, stdout);
	else if (table.total_ns)
		functions_text(&table, &style, stdout);
	if (!table.total_ns)
		status = nothing_found(path, report, recording);
	function_table_clear(&table);
	return finish_stdout(status);
}

int functions_print(const char *path, const struct report_options *report)
{
	/* Threads have no part in the table: stacks without names. */
	struct stack_shape shape = report->view.shape;
	struct recording *recording = NULL;
	struct profile profile;
	struct why why = {""};
	int status;

	if (report->kind == VIEW_OFFWAKE || report->kind == VIEW_CHAIN)
		return fail(STATUS_USAGE,
			"report: --functions has no %s: its stacks are of several "
			"threads; --view wakeup has the wakers' functions",
			view_name(report->kind));
	shape.by_count = 0;
	shape.keeps_objects = true;
	if (recording_open(path, &recording, &why))
		return fail(STATUS_USAGE, "%s", why.text);
	if (profile_of_view(
		    recording, report->kind, &report->view.filter, &shape, &profile, &why)) {
		status = fail(STATUS_USAGE, "%s", why.text);
	} else {
		status = print_profile(path, report, recording, &profile);
		_cleanup_free_ char *losses = input_losses(recording);
		if (losses)
			fprintf(stderr, "dwell: %s: %s\n", path, losses);
		profile_clear(&profile);
	}
	recording_free(recording);
	return status;
}
