// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The table of processes. All its cells are shares of the printed busy time, so that they add up to
 * it; the reasons of a row are shares of its blocked cell.
 */
#include <string.h>

#include "profile/rounding.h"
#include "render/report/report_parts.h"
#include "util/mem.h"
#include "util/text.h"

#define NAME_COLUMNS 18
#define MOST_NAME_COLUMNS 28
#define FIGURE_COLUMNS 27
/* Fewer have no room for a reason and its time. */
#define LEAST_REASON_COLUMNS 16

enum column { COLUMN_RUNNING, COLUMN_RUNNABLE, COLUMN_BLOCKED, COLUMNS };

struct table_row {
	char *name;
	uint64_t ns[COLUMNS];
	uint64_t quanta[COLUMNS];
	uint64_t reason_ns[REASONS];
	bool is_idle; /* it has nothing but idle time */
};

static size_t name_columns(const struct report *report)
{
	size_t columns = NAME_COLUMNS + report_extra(report, 3);

	return columns < MOST_NAME_COLUMNS ? columns : MOST_NAME_COLUMNS;
}

/* 0: they are left out. */
static size_t reason_columns(const struct report *report)
{
	size_t used = name_columns(report) + FIGURE_COLUMNS + 2;
	size_t width = report_prose(report);

	return width >= used + LEAST_REASON_COLUMNS ? width - used : 0;
}

static void add_group(struct table_row *row, const struct summary_group *group)
{
	row->ns[COLUMN_RUNNING] += group->total_ns[TIME_RUNNING];
	row->ns[COLUMN_RUNNABLE] += group->total_ns[TIME_WOKEN] + group->total_ns[TIME_PREEMPTED];
	row->ns[COLUMN_BLOCKED] += group->total_ns[TIME_BLOCKED] - group->aside_ns;
	for (unsigned int i = 0; i < REASONS; i++)
		row->reason_ns[i] += group->called_ns[i];
}

static char *group_name(const struct report *report, const struct summary_group *group)
{
	const struct summary *summary = report->summary;
	_cleanup_free_ char *name = summary_root_name(summary, group->root);
	char number[32] = "";

	if (group->threads > 1)
		snprintf(number, sizeof(number), " (%zu)", group->threads);
	_cleanup_free_ char *cut = layout_cut(name, name_columns(report) - strlen(number));
	return xasprintf("%s%s", cut, number);
}

/* Groups are sorted: those that the filters leave nothing of come last. */
static size_t count_shown(const struct report *report)
{
	const struct summary *summary = report->summary;
	size_t shown = 0;

	while (shown < summary->groups.count && shown < report->rows &&
		(summary_group_busy_ns(&summary->groups.at[shown]) ||
			summary->groups.at[shown].aside_ns))
		shown++;
	return shown;
}

/* Rows for the first groups, and one for all the rest. Caller frees rows and names. */
static struct table_row *make_rows(const struct report *report, size_t *ret_count)
{
	const struct summary *summary = report->summary;
	size_t shown = count_shown(report);
	struct table_row *rows = xcalloc(shown + 1, sizeof(*rows));
	size_t more = 0;

	for (size_t i = 0; i < summary->groups.count; i++) {
		const struct summary_group *group = &summary->groups.at[i];
		struct table_row *row = &rows[i < shown ? i : shown];
		add_group(row, group);
		if (i >= shown) {
			more += group->threads;
			continue;
		}
		row->name = group_name(report, group);
		row->is_idle = !summary_group_busy_ns(group);
	}
	if (summary->groups.count > shown)
		rows[shown].name = xasprintf("%zu more", more);
	*ret_count = shown + (summary->groups.count > shown);
	return rows;
}

static void round_rows(const struct report *report, struct table_row *rows, size_t count)
{
	_cleanup_free_ uint64_t *values = xcalloc(count * COLUMNS + 1, sizeof(*values));
	_cleanup_free_ uint64_t *shares = xcalloc(count * COLUMNS + 1, sizeof(*shares));

	for (size_t i = 0; i < count * COLUMNS; i++)
		values[i] = rows[i / COLUMNS].ns[i % COLUMNS];
	apportion(values, count * COLUMNS, report->busy_quanta, shares);
	for (size_t i = 0; i < count * COLUMNS; i++)
		rows[i / COLUMNS].quanta[i % COLUMNS] = shares[i];
}

static unsigned int largest(const uint64_t *values)
{
	unsigned int best = 0;

	for (unsigned int i = 1; i < REASONS; i++)
		if (values[i] > values[best])
			best = i;
	return best;
}

/* "disk 22.6, lock 17.9, rest 0.4": as many as fit, the last one standing for all others. */
static void reasons_text(
	const struct report *report, const struct table_row *row, char *text, size_t size)
{
	uint64_t quanta[REASONS], left = row->quanta[COLUMN_BLOCKED];
	char amount[UNITS_ROOM];

	apportion(row->reason_ns, REASONS, left, quanta);
	text[0] = 0;
	while (left) {
		unsigned int reason = largest(quanta);
		char item[96], rest[64] = "";
		uint64_t after = left - quanta[reason];
		snprintf(item, sizeof(item), "%s%s %s", text[0] ? ", " : "",
			reason_name((enum reason)reason),
			scale_text(&report->scale, quanta[reason], amount));
		if (after)
			snprintf(rest, sizeof(rest), ", rest %s",
				scale_text(&report->scale, after, amount));
		if (text[0] &&
			strlen(text) + strlen(item) + strlen(rest) > reason_columns(report)) {
			snprintf(text + strlen(text), size - strlen(text), ", rest %s",
				scale_text(&report->scale, left, amount));
			return;
		}
		snprintf(text + strlen(text), size - strlen(text), "%s", item);
		left = after;
		quanta[reason] = 0;
	}
}

static void put_row(const struct report *report, const struct table_row *row)
{
	char amounts[COLUMNS][UNITS_ROOM];
	char reasons[256];
	int padding = (int)name_columns(report) - (int)text_width(row->name);

	reasons[0] = 0;
	if (reason_columns(report))
		reasons_text(report, row, reasons, sizeof(reasons));
	if (row->is_idle && reason_columns(report))
		snprintf(reasons, sizeof(reasons), "idle");
	for (size_t i = 0; i < COLUMNS; i++)
		scale_text(&report->scale, row->quanta[i], amounts[i]);
	fprintf(report->out, "%s%*s%9s%9s%9s%s%s\n", row->name, padding > 0 ? padding : 0, "",
		amounts[COLUMN_RUNNING], amounts[COLUMN_RUNNABLE], amounts[COLUMN_BLOCKED],
		reasons[0] ? "  " : "", reasons);
}

void report_groups(const struct report *report)
{
	size_t count;
	struct table_row *rows = make_rows(report, &count);
	const char *what = report->style->is_by_process ? "process (threads)" : "name (threads)";

	round_rows(report, rows, count);
	const char *unit = strcmp(report->scale.unit, "s") ? " (all in ms)" : "";
	fprintf(report->out, "%-*s%9s%9s%9s%s%s\n", (int)name_columns(report), what, "running",
		"no CPU", "blocked", reason_columns(report) ? "  blocked in" : "",
		reason_columns(report) ? unit : "");
	for (size_t i = 0; i < count; i++) {
		put_row(report, &rows[i]);
		free(rows[i].name);
	}
	free(rows);
}
