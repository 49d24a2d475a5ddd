// SPDX-License-Identifier: GPL-2.0-or-later
/* How whole the user stacks are, in words: a clause of the accounting line, and lines below it. */
#include <string.h>

#include "render/report/report_parts.h"
#include "util/mem.h"
#include "util/text.h"

/* Less than this of all time is not worth a line; of those that are, so many. */
#define MIN_SHARE 0.001
#define MAX_REASONS 3

/* Rounded down: 100 % is all of them. */
static double percent_below(double share)
{
	return (double)(uint64_t)(share * 1000) / 10;
}

void report_complete_text(const struct summary *summary, char *room, size_t size)
{
	const struct completeness *whole = &summary->completeness;
	double all = 0;

	for (unsigned int end = 0; end < UNWIND_ROOM; end++)
		all += whole->ends_by_time[end];
	if (!(all > 0))
		snprintf(room, size, "no user stacks");
	else if (whole->by_time >= 1)
		snprintf(room, size, "user stacks complete 100 %%");
	else
		snprintf(room, size, "user stacks complete %.1f %%", percent_below(whole->by_time));
}

/* What helps, where something does. */
static const char *hint_of(enum unwind_end end)
{
	if (end == UNWIND_BROKEN)
		return "; try --user-stacks table";
	return "";
}

static void put_line(const struct report *report, const char *text)
{
	_cleanup_free_ char *clean = text_clean(text, false);
	_cleanup_free_ char *cut = layout_cut(clean, report->style->width - 2);

	fprintf(report->out, "  %s\n", cut);
}

/* "99.8 % by count; 1.2 % of time: qemu, generated code without frame pointers" */
static void put_incomplete(const struct report *report)
{
	const struct completeness *whole = &report->summary->completeness;
	char by_count[48];
	size_t shown = 0;

	snprintf(by_count, sizeof(by_count), "%.1f %% by count; ", percent_below(whole->by_count));
	vec_each (part, &whole->incomplete) {
		if (part->by_time < MIN_SHARE || shown == MAX_REASONS)
			break;
		_cleanup_free_ char *text = xasprintf("%s%.1f %% of time: %s, %s%s",
			shown++ ? "" : by_count, part->by_time * 100, part->process,
			words_text(report->summary->words, WORD_UNWIND_END, part->end),
			hint_of(part->end));
		put_line(report, text);
	}
}

/* Only Java's stacks end so. */
static void put_advice(const struct report *report)
{
	const struct completeness *whole = &report->summary->completeness;

	if (whole->ends_by_time[UNWIND_DOUBTFUL] >= MIN_SHARE)
		put_line(report, "whole stacks of Java: start it with -XX:+PreserveFramePointer");
}

void report_stacks(const struct report *report)
{
	put_incomplete(report);
	put_advice(report);
	if (report->summary->runtimes.count) {
		_cleanup_free_ char *text = runtime_text(&report->summary->runtimes.at[0]);
		fprintf(report->out, "  ");
		layout_wrap(report->out, text, report->style->width, 2, 4);
	}
}
