// SPDX-License-Identifier: GPL-2.0-or-later
/* dwell report --functions: the flat table of functions. */
#include "cli/command.h"
#include "cli/report.h"
#include "cli/input.h"
#include "profile/nothing.h"
#include "render/report/functions.h"

static int nothing_found(const char *path, const struct report_options *report,
	struct recording *recording, const struct view_type *view)
{
	const char *what = view->id == VIEW_MEASURE ? view->counted : "time";
	const char *of = view->id == VIEW_MEASURE ? "" : " of ";
	const char *name = view->id == VIEW_MEASURE ? "" : view->name;

	_cleanup_free_ char *nothing = nothing_text(recording, &report->view.filter);
	if (!view_filter_is_open(&report->view.filter) || nothing)
		return fail(STATUS_NOTHING, "%s: no %s%s%s passes the filters%s%s", path, what, of,
			name, nothing ? ": " : "", nothing ? nothing : "");
	return fail(STATUS_NOTHING, "%s: %s has no %s%s%s", path,
		recording_meta(recording)->window_ns ? "the recording"
						     : "the recording is empty and",
		what, of, name);
}

static int print_profile(const char *path, const struct report_options *report,
	struct recording *recording, const struct view_type *view, const struct profile *profile)
{
	_cleanup_free_ char *filter_text = view_filter_text(&report->view.filter);
	struct functions_style style = {.file = path,
		.target = recording_meta(recording)->target,
		.profile = profile,
		.filter_text = filter_text,
		.view = view,
		.order = report->order,
		.width = report_width(report),
		.top = report->top,
		.is_full = report->is_full,
		.hides_idle =
			report->view.filter.idle == IDLE_HIDE && !report->view.filter.slow_function,
		.is_colored = report_wants_color(report)};
	struct function_table table;
	int status = STATUS_DONE;

	function_table_make(&profile->tree, view, report->order, &table);
	if (report->is_json)
		functions_json(&table, &style, stdout);
	else if (table.total_weight)
		functions_text(&table, &style, stdout);
	if (!table.total_weight)
		status = nothing_found(path, report, recording, view);
	function_table_clear(&table);
	return finish_stdout(status);
}

static int print_view(const char *path, const struct report_options *report,
	struct recording *recording, const struct view_type *view)
{
	/* Threads have no part in the table: stacks without names. */
	struct stack_shape shape = report->view.shape;
	struct profile profile;
	struct why why = {""};
	int status, error;

	if (view->id == VIEW_OFFWAKE || view->id == VIEW_CHAIN)
		return fail(STATUS_USAGE,
			"report: --functions has no %s: its stacks are of several "
			"threads; --view wakeup has the wakers' functions",
			view->name);
	shape.by_count = 0;
	shape.keeps_objects = true;
	error = profile_of_view(recording, view, &report->view.filter, &shape, &profile, &why);
	if (error)
		return fail_reading(error, &why);
	status = print_profile(path, report, recording, view, &profile);
	_cleanup_free_ char *losses = input_losses(recording);
	if (losses)
		fprintf(stderr, "dwell: %s: %s\n", path, losses);
	profile_clear(&profile);
	return status;
}

int functions_print(const char *path, struct report_options *report)
{
	struct recording *recording;
	struct view_choice view;
	struct why why = {""};
	int status;

	if (view_options_take_slow(&report->view, &report->kind))
		return STATUS_USAGE;
	if (input_open_view(path, report->kind, &recording, &view, &why))
		return fail(STATUS_USAGE, "%s", why.text);
	status = print_view(path, report, recording, &view.type);
	view_choice_clear(&view);
	recording_free(recording);
	return status;
}
