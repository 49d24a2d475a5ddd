// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Calls in the report: a table of functions, and below each what its slow calls waited in, which of
 * its calls have not ended and which are in no figure.
 */
#include "render/report/report_calls.h"

#include <string.h>

#include "profile/rounding.h"
#include "render/report/report_called.h"
#include "render/report/report_parts.h"
#include "util/mem.h"
#include "util/text.h"

#define COUNT_COLUMNS 8
#define LENGTH_COLUMNS 7
#define TIME_COLUMNS 8
#define BAR_COLUMNS 8
/* A narrow screen goes without the bar and p90. */
#define WIDE_ENOUGH 76

static bool is_wide(const struct report *report)
{
	return report->style->width >= WIDE_ENOUGH;
}

static size_t name_columns(const struct report *report)
{
	size_t figures = COUNT_COLUMNS + 3 * LENGTH_COLUMNS + TIME_COLUMNS +
			 (is_wide(report) ? LENGTH_COLUMNS + 2 + BAR_COLUMNS : 0);

	return report->style->width > figures ? report->style->width - figures : 1;
}

static void put_heading(const struct report *report)
{
	bool has_more = is_wide(report);

	fprintf(report->out, "%-*s%*s%*s%*s%*s%*s%*s%s\n", (int)name_columns(report), "calls of",
		COUNT_COLUMNS, "calls", LENGTH_COLUMNS, "p50", has_more ? LENGTH_COLUMNS : 0,
		has_more ? "p90" : "", LENGTH_COLUMNS, "p99", LENGTH_COLUMNS, "max", TIME_COLUMNS,
		"time", has_more ? "  of it" : "");
}

/* Cells in the order of the bar of the whole report: running, no CPU, then what is blocked. */
static void bar_text(const struct call_total *total, char text[static BAR_COLUMNS + 1])
{
	uint64_t parts[] = {total->part_ns[TIME_RUNNING],
		total->part_ns[TIME_WOKEN] + total->part_ns[TIME_PREEMPTED],
		total->part_ns[TIME_BLOCKED]};
	uint64_t cells[ARRAY_SIZE(parts)];
	size_t used = 0;

	apportion(parts, ARRAY_SIZE(parts), BAR_COLUMNS, cells);
	for (size_t i = 0; i < ARRAY_SIZE(parts); i++)
		for (uint64_t cell = 0; cell < cells[i]; cell++)
			text[used++] = "RqB"[i];
	text[used] = 0;
}

/* One row of the table. */
struct row {
	const char *name;
	size_t indent;
	const struct call_total *all;
	uint64_t p50_ns, p90_ns, p99_ns, max_ns; /* p90 0: not told */
};

static const char *length_text(uint64_t ns, bool is_told, char room[static UNITS_ROOM])
{
	if (!is_told)
		snprintf(room, UNITS_ROOM, "-");
	else if (ns < 1000 * NS_PER_S)
		units_duration(ns, room);
	else
		snprintf(room, UNITS_ROOM, "%llu s", (unsigned long long)round_to(ns, NS_PER_S));
	return room;
}

/* A name that has no room beside its figures is on a line of its own. */
static void put_name(const struct report *report, const struct row *row)
{
	size_t width = report->style->width - row->indent, columns = name_columns(report);
	_cleanup_free_ char *clean = text_clean(row->name, false);
	_cleanup_free_ char *cut = layout_cut(clean, width);
	size_t used = row->indent + text_width(cut);

	fprintf(report->out, "%*s%s", (int)row->indent, "", cut);
	if (used > columns) {
		putc('\n', report->out);
		used = 0;
	}
	fprintf(report->out, "%*s", (int)(columns - used), "");
}

static void put_row(const struct report *report, const struct row *row)
{
	char count[UNITS_ROOM], p50[UNITS_ROOM], p90[UNITS_ROOM], p99[UNITS_ROOM], max[UNITS_ROOM],
		time[UNITS_ROOM], bar[BAR_COLUMNS + 1];
	bool has_more = is_wide(report), is_told = row->all->count;

	bar_text(row->all, bar);
	if (row->all->count < 10000000)
		units_count(row->all->count, count);
	else
		snprintf(count, sizeof(count), "%.1f M", (double)row->all->count / 1e6);
	put_name(report, row);
	fprintf(report->out, "%*s%*s%*s%*s%*s%*s%s%s\n", COUNT_COLUMNS, count, LENGTH_COLUMNS,
		length_text(row->p50_ns, is_told, p50), has_more ? LENGTH_COLUMNS : 0,
		has_more ? length_text(row->p90_ns, is_told && row->p90_ns, p90) : "",
		LENGTH_COLUMNS, length_text(row->p99_ns, is_told, p99), LENGTH_COLUMNS,
		length_text(row->max_ns, is_told, max), TIME_COLUMNS,
		length_text(row->all->wall_ns, is_told, time), has_more && bar[0] ? "  " : "",
		has_more ? bar : "");
}

static void put_function_row(const struct report *report, const struct called *called)
{
	struct row row = {.name = called->function->name,
		.all = &called->all,
		.p50_ns = call_lengths_at(&called->lengths, 500000),
		.p90_ns = call_lengths_at(&called->lengths, 900000),
		.p99_ns = call_lengths_at(&called->lengths, 990000),
		.max_ns = called->lengths.max_ns};

	put_row(report, &row);
}

/* Only where names were asked for: the table is of functions. */
static void put_groups(const struct report *report, const struct called *called)
{
	size_t shown = called->groups.count;

	if (report->style->is_by_process)
		return;
	if (shown > report->calls && !report->style->is_full)
		shown = report->calls;
	for (size_t i = 0; i < shown; i++) {
		const struct called_group *group = &called->groups.at[i];
		_cleanup_free_ char *name =
			group->root == TREE_ROOT ? xstrdup("[threads not told apart]")
						 : summary_root_name(report->summary, group->root);
		struct row row = {.name = name,
			.indent = 2,
			.all = &group->all,
			.p50_ns = group->p50_ns,
			.p99_ns = group->p99_ns,
			.max_ns = group->max_ns};
		put_row(report, &row);
	}
	if (shown < called->groups.count)
		fprintf(report->out, "  and %zu more (--full has all)\n",
			called->groups.count - shown);
}

static void put_unseen(const struct report *report, size_t unseen, size_t more)
{
	const called_list *calls = &report->summary->calls;
	char *text = NULL;

	if (more)
		fprintf(report->out, "%zu more function%s with less time of calls (--full)\n", more,
			more == 1 ? "" : "s");
	if (!unseen)
		return;
	vec_each (called, calls) {
		if (called_was_seen(called) ||
			(text && text_width(text) > 60 && !report->style->is_full))
			continue;
		_cleanup_free_ char *name = text_clean(called->function->name, false);
		char *longer =
			xasprintf("%s%s%s", text ? text : "not called: ", text ? ", " : "", name);
		free(text);
		text = longer;
		unseen--;
	}
	_cleanup_free_ char *line =
		unseen ? xasprintf("%s and %zu more", text ? text : "not called:", unseen)
		       : xstrdup(text);
	layout_wrap(report->out, line, report_prose(report), 0, 2);
	free(text);
}

void report_calls_block(const struct report *report)
{
	const struct summary *summary = report->summary;
	size_t most = report->style->is_full ? SIZE_MAX : report->calls;
	size_t shown = 0, more = 0, unseen = 0;

	if (summary->hidden_calls)
		fputs("Calls are left out: the filters are for time.\n", report->out);
	if (!summary->calls.count)
		return;
	put_heading(report);
	vec_each (called, &summary->calls) {
		if (!called_was_seen(called)) {
			unseen++;
			continue;
		}
		if (shown++ >= most) {
			more++;
			continue;
		}
		put_function_row(report, called);
		put_groups(report, called);
		report_called(report, called);
	}
	put_unseen(report, unseen, more);
	if (shown) {
		_cleanup_free_ char *legend =
			xasprintf("%sp50 to p99 are estimates, up to 25 %% off; %s",
				is_wide(report) ? "R running, q no CPU, B blocked; " : "",
				"time of calls is part of the threads'");
		layout_wrap(report->out, legend, report_prose(report), 0, 2);
	}
}

void report_calls(const struct summary *summary, const struct report_style *style, FILE *out)
{
	_cleanup_free_ char *text = NULL;
	size_t size;
	struct report report = {.summary = summary,
		.style = style,
		.stacks = REPORT_STACKS,
		.calls = style->top ? style->top : REPORT_CALLS};

	report.out = open_memstream(&text, &size);
	if (!report.out)
		return;
	report_calls_block(&report);
	fclose(report.out);
	layout_fit(out, text, style->width);
}
