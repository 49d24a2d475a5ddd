// SPDX-License-Identifier: GPL-2.0-or-later
/* What was counted beside thread time: two lines for each measure. */
#include <string.h>

#include "profile/rounding.h"
#include "render/report/report_parts.h"
#include "render/stack_line.h"
#include "util/mem.h"
#include "util/text.h"

/* Names in a measure's line. */
#define MOST_NAMES 3

/* "12,345 page faults", "1.5 GiB of allocations". */
static char *total_text(const struct measured *measured)
{
	const struct view_type *view = &measured->view.type;
	bool is_one = measured->count == 1 && measured->weight == 1;
	char value[UNIT_VALUE_ROOM];

	unit_value(view->unit, view->unit_word, measured->weight, value);
	if (view->unit == UNIT_COUNT)
		return xasprintf("%s %s", value, is_one ? view->counted : view->weight);
	return xasprintf("%s of %s", value, view->weight);
}

/* " 74 %"; what rounds to nothing is still something. */
static char *with_share(char *text, const char *name, uint64_t percent)
{
	char *longer = xasprintf("%s%s%s %s%llu %%", text, text[0] ? ", " : "", name,
		percent ? "" : "< ", (unsigned long long)(percent ? percent : 1));

	free(text);
	return longer;
}

/* Shares as printed add up to 100. */
static char *names_text(const struct summary *summary, const struct measured *measured)
{
	uint64_t parts[MOST_NAMES + 1] = {0}, percents[MOST_NAMES + 1];
	size_t count = measured->names.count, shown = count < MOST_NAMES ? count : MOST_NAMES;
	char *text = xstrdup("");

	for (size_t i = 0; i < count; i++)
		parts[i < shown ? i : shown] += measured->names.at[i].weight;
	apportion(parts, shown + 1, 100, percents);
	for (size_t i = 0; i < shown; i++) {
		_cleanup_free_ char *name = summary_root_name(summary, measured->names.at[i].node);
		text = with_share(text, name, percents[i]);
	}
	if (shown < count) {
		_cleanup_free_ char *more = xasprintf("%zu more", count - shown);
		text = with_share(text, more, percents[shown]);
	}
	return text;
}

char *report_measure_text(const struct summary *summary, const struct measured *measured)
{
	if (!measured->count)
		return xasprintf("no %s was seen", measured->view.type.counted);
	_cleanup_free_ char *total = total_text(measured);
	_cleanup_free_ char *names = names_text(summary, measured);
	return xasprintf("%s: %s", total, names);
}

char *report_measure_stack(const struct summary *summary, const struct measured *measured,
	bool is_full, size_t columns)
{
	char room[UNITS_ROOM], share[UNITS_ROOM + 16];

	if (!measured->stacks.count)
		return xstrdup("");
	const struct measured_part *part = &measured->stacks.at[0];
	snprintf(share, sizeof(share), "%s: ", share_text(part->weight, measured->weight, room));
	_cleanup_free_ char *stack =
		stack_line(&summary->tree, part->node, is_full, columns - strlen(share));
	return stack[0] ? xasprintf("%s%s", share, stack) : xstrdup("");
}

static void put_stack(const struct report *report, const char *stack)
{
	size_t width = report->style->width;

	fputs("  ", report->out);
	if (report->style->is_full) {
		layout_wrap(report->out, stack, width, 2, 4);
		return;
	}
	_cleanup_free_ char *cut = layout_cut(stack, width - 2);
	fprintf(report->out, "%s\n", cut);
}

static void put_measure(const struct report *report, const struct measured *measured)
{
	_cleanup_free_ char *text = report_measure_text(report->summary, measured);
	_cleanup_free_ char *stack = report_measure_stack(
		report->summary, measured, report->style->is_full, report->style->width - 2);

	layout_wrap(report->out, text, report_prose(report), 0, 2);
	if (stack[0])
		put_stack(report, stack);
}

const char *report_hidden_measures(const struct summary *summary)
{
	return summary->hidden_measures
		       ? "Events that were counted are left out: the filters are for time."
		       : NULL;
}

void report_measures(const struct report *report)
{
	const char *hidden = report_hidden_measures(report->summary);

	if (hidden)
		fprintf(report->out, "%s\n", hidden);
	vec_each (measured, &report->summary->measures)
		put_measure(report, measured);
}
