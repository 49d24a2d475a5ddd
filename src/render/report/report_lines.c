// SPDX-License-Identifier: GPL-2.0-or-later
/* The waits of a report: what, how long, how often, and the stack that most of it has. */
#include <string.h>

#include "profile/rounding.h"
#include "render/report/report_causes.h"
#include "render/report/report_parts.h"
#include "render/report/report_queue.h"
#include "render/report/report_things.h"
#include "render/stack_line.h"
#include "util/mem.h"
#include "util/text.h"

#define NAME_COLUMNS 16
#define MOST_NAME_COLUMNS 32
#define MOST_TITLE_COLUMNS 64
/* Figures that a narrow screen goes without: the mean, and the lengths of waits. */
#define MEAN_COLUMNS 8
#define BAND_COLUMNS (2 + CONTRACT_BANDS)
#define WIDE_ENOUGH_FOR_MEAN 60
#define WIDE_ENOUGH_FOR_BANDS 70
#define TOTAL_COLUMNS (8 + 8 + 7)
/* Names in the line about CPUs. */
#define RUNNERS 2
/* Lines for which all waits are gone through, and stacks of each that are compared with the one
 * that is shown. */
#define MOST_EXAMINED 200
#define MOST_COMPARED 256

static bool has_mean(const struct report *report)
{
	return report->style->width >= WIDE_ENOUGH_FOR_MEAN;
}

static bool has_bands(const struct report *report)
{
	return report->style->width >= WIDE_ENOUGH_FOR_BANDS;
}

static size_t title_columns(const struct report *report)
{
	size_t columns = report->style->width - TOTAL_COLUMNS -
			 (has_mean(report) ? MEAN_COLUMNS : 0) -
			 (has_bands(report) ? BAND_COLUMNS : 0);

	return columns < MOST_TITLE_COLUMNS ? columns : MOST_TITLE_COLUMNS;
}

static size_t name_columns(const struct report *report)
{
	size_t columns = title_columns(report) * NAME_COLUMNS / 40;

	return columns < MOST_NAME_COLUMNS ? columns : MOST_NAME_COLUMNS;
}

/* A column for each band, by its share of the time whose length is known. */
static void bands_text(const struct summary_line *line, char text[static CONTRACT_BANDS + 1])
{
	uint64_t known_ns = line->total_ns - line->uncounted_ns;

	for (unsigned int band = 0; band < CONTRACT_BANDS; band++) {
		uint64_t percent = known_ns ? (uint64_t)((unsigned __int128)line->band_ns[band] *
							 100 / known_ns)
					    : 0;
		text[band] = percent >= 50 ? '#' : percent >= 20 ? '=' : percent >= 5 ? '-' : '.';
	}
	text[CONTRACT_BANDS] = 0;
}

/* Forms that fit a column of seven, whatever the figure. */
static const char *short_duration(uint64_t ns, char room[static UNITS_ROOM])
{
	if (ns < 1000 * NS_PER_S)
		return units_duration(ns, room);
	snprintf(room, UNITS_ROOM, "%llu s", (unsigned long long)round_to(ns, NS_PER_S));
	return room;
}

static const char *short_count(uint64_t count, char room[static UNITS_ROOM])
{
	if (count < 1000000)
		return units_count(count, room);
	if (count < 1000000000)
		snprintf(room, UNITS_ROOM, "%.1f M", (double)count / 1e6);
	else
		snprintf(room, UNITS_ROOM, "%.1f G", (double)count / 1e9);
	return room;
}

static char *title_of(const struct report *report, const struct summary_line *line, size_t number)
{
	_cleanup_free_ char *name = summary_root_name(report->summary, line->root);
	_cleanup_free_ char *cut = layout_cut(name, name_columns(report));
	const char *reason = line->known.name ? line->known.name : reason_name(line->reason);

	if (line->is_runnable)
		return xasprintf("%zu %s  no CPU", number, cut);
	_cleanup_free_ char *before = xasprintf("%zu %s  ", number, cut);
	_cleanup_free_ char *thing =
		thing_title(report->summary, line, title_columns(report) - 1 - text_width(before));
	if (thing[0])
		return xasprintf("%s%s", before, thing);
	if (line->part == PART_REST)
		return xasprintf("%s%s, other things", before, reason);
	/* A lock of the kernel is taken in several operations. */
	if (line->known.name && line->reason != REASON_LOCK)
		return xasprintf(
			"%zu %s  %s%s", number, cut, reason, line->is_rest ? ", elsewhere" : "");
	if (!line->operation || !strcmp(line->operation, reason))
		return xasprintf(
			"%zu %s  %s%s", number, cut, reason, line->is_rest ? ", elsewhere" : "");
	_cleanup_free_ char *operation = text_clean(line->operation, false);
	return xasprintf("%zu %s  %s, in %s%s", number, cut, reason, operation,
		line->is_rest ? ", elsewhere" : "");
}

static void put_figures(const struct report *report, const struct summary_line *line, size_t number)
{
	char total[UNITS_ROOM], count[UNITS_ROOM], mean[UNITS_ROOM] = "-", max[UNITS_ROOM] = "-";
	char bands[CONTRACT_BANDS + 1];
	_cleanup_free_ char *title = title_of(report, line, number);
	_cleanup_free_ char *cut = layout_cut(title, title_columns(report) - 1);

	bands_text(line, bands);
	if (line->count) {
		uint64_t mean_ns = (line->total_ns - line->uncounted_ns) / line->count;
		/* In a range there may be parts of waits that end, and count, behind it. */
		if (mean_ns <= line->max_ns)
			short_duration(mean_ns, mean);
		short_duration(line->max_ns, max);
	}
	fprintf(report->out, "%s%*s%8s%8s%*s%7s%s%s\n", cut,
		(int)title_columns(report) - (int)text_width(cut), "",
		short_duration(line->total_ns, total), short_count(line->count, count),
		has_mean(report) ? MEAN_COLUMNS : 0, has_mean(report) ? mean : "", max,
		has_bands(report) ? "  " : "", has_bands(report) ? bands : "");
}

/* How much of a line has a stack that looks like the one that is shown. */
static uint64_t ns_of_looks(const struct report *report, size_t index, const char *shown)
{
	const struct summary *summary = report->summary;
	uint64_t ns = 0;
	size_t compared = 0;

	vec_each (wait, &summary->waits) {
		if (wait->line != index + 1)
			continue;
		if (compared++ == MOST_COMPARED)
			break;
		_cleanup_free_ char *stack = stack_line(
			&summary->tree, wait->node, report->style->is_full, report->style->width);
		if (!strcmp(stack, shown))
			ns += wait->total_ns;
	}
	return ns;
}

/* The stack of most of it; the share is said where it is not nearly all. */
static void put_stack(const struct report *report, size_t index)
{
	const struct summary_line *line = &report->summary->lines.at[index];
	const struct summary_wait *wait = &report->summary->waits.at[line->heaviest];
	char room[UNITS_ROOM], share[UNITS_ROOM + 16] = "";
	_cleanup_free_ char *shown = stack_line(
		&report->summary->tree, wait->node, report->style->is_full, report->style->width);
	/* Who asks for thousands of lines gets the share of the very stack. */
	uint64_t ns = index < MOST_EXAMINED ? ns_of_looks(report, index, shown) : line->heaviest_ns;

	if (ns < line->total_ns - line->total_ns / 20)
		snprintf(share, sizeof(share), "%s: ", share_text(ns, line->total_ns, room));
	_cleanup_free_ char *stack = stack_line(&report->summary->tree, wait->node,
		report->style->is_full, report->style->width - 2 - strlen(share));
	if (!stack[0])
		return;
	fprintf(report->out, "  %s", share);
	if (report->style->is_full) {
		layout_wrap(report->out, stack, report->style->width, 2 + strlen(share), 4);
		return;
	}
	_cleanup_free_ char *cut = layout_cut(stack, report->style->width - 2 - strlen(share));
	fprintf(report->out, "%s\n", cut);
}

/* "; CPU time: postgres 68 %, pgbench 24 %": the two that ran most, by share of all running time.
 */
static void put_runners(FILE *out, const struct summary *summary, size_t columns)
{
	const struct summary_group *best[RUNNERS] = {NULL};
	uint64_t all_ns = summary->total_ns[TIME_RUNNING];
	char share[UNITS_ROOM];

	vec_each (group, &summary->groups) {
		const struct summary_group *mover = group;
		for (size_t i = 0; i < RUNNERS; i++)
			if (!best[i] ||
				best[i]->total_ns[TIME_RUNNING] < mover->total_ns[TIME_RUNNING]) {
				const struct summary_group *smaller = best[i];
				best[i] = mover;
				mover = smaller;
				if (!mover)
					break;
			}
	}
	for (size_t i = 0; i < RUNNERS && best[i] && best[i]->total_ns[TIME_RUNNING]; i++) {
		_cleanup_free_ char *name = summary_root_name(summary, best[i]->root);
		_cleanup_free_ char *item = xasprintf("%s %s %s", i ? "," : "; CPU time:", name,
			share_text(best[i]->total_ns[TIME_RUNNING], all_ns, share));
		if (text_width(item) > columns)
			return;
		fputs(item, out);
		columns -= text_width(item);
	}
}

/* Waiting for a CPU has no cause in the stack; what matters is who had it, and how it began. */
static void put_runnable(const struct report *report, size_t index)
{
	const struct summary_line *line = &report->summary->lines.at[index];
	_cleanup_free_ char *queue =
		index < MOST_EXAMINED ? queue_sentence(report->summary, index) : xstrdup("");
	uint64_t parts[2] = {line->woken_ns, line->total_ns - line->woken_ns}, percents[2];
	_cleanup_free_ char *text = NULL;
	char busy[UNITS_ROOM];
	size_t size;
	FILE *out = open_memstream(&text, &size);

	if (!out)
		return;
	apportion(parts, 2, 100, percents);
	fprintf(out, "%s%s", queue, queue[0] ? " " : "");
	if (percents[0] == 100 || percents[1] == 100)
		fprintf(out, "%sll %s", queue[0] ? "A" : "a",
			percents[0] ? "after a wake" : "preempted");
	else
		fprintf(out, "%llu %% after a wake, %llu %% preempted",
			(unsigned long long)percents[0], (unsigned long long)percents[1]);
	fflush(out);
	if (!queue[0] && report_has_all_threads(report->summary))
		put_runners(out, report->summary,
			report->style->width > 2 + strlen(text)
				? report->style->width - 2 - strlen(text)
				: 0);
	else if (report_cpu_share(report->summary, busy))
		fprintf(out, "; CPUs %s busy", busy);
	if (!strstr(queue, "the CPU quota") &&
		report_was_held_back(report->summary, line->total_ns))
		fprintf(out, "; the CPU quota of its cgroup held it back for %s",
			short_duration(report->summary->meta->held_back_ns, busy));
	fclose(out);
	fputs("  ", report->out);
	layout_wrap(report->out, text, report_prose(report), 2, 2);
}

/* What it was for, if that was recorded. Caller frees. */
static char *causes_of_line(const struct summary *summary, size_t line)
{
	struct explanation explanation;

	if (!summary->has_chains)
		return xstrdup("");
	explain_line(summary, line, &explanation);
	_cleanup_free_ char *name = summary_root_name(summary, summary->lines.at[line].root);
	char *text = cause_sentence(&explanation, name);
	explanation_clear(&explanation);
	return text;
}

static void put_causes(const struct report *report, size_t line)
{
	_cleanup_free_ char *things = thing_sentence(report->summary, line);
	_cleanup_free_ char *causes = causes_of_line(report->summary, line);
	_cleanup_free_ char *text =
		xasprintf("%s%s%s", things, things[0] && causes[0] ? " " : "", causes);

	if (!text[0])
		return;
	fputs("  ", report->out);
	layout_wrap(report->out, text, report_prose(report), 2, 2);
}

static void put_heading(const struct report *report)
{
	fprintf(report->out, "%-*s%8s%8s%*s%7s%s\n", (int)title_columns(report),
		"why they did not run", "total", "waits", has_mean(report) ? MEAN_COLUMNS : 0,
		has_mean(report) ? "mean" : "", "max", has_bands(report) ? "  10u..1s" : "");
}

static void put_line(const struct report *report, size_t index)
{
	const struct summary_line *line = &report->summary->lines.at[index];

	put_figures(report, line, index + 1);
	if (line->is_runnable) {
		put_runnable(report, index);
		return;
	}
	put_stack(report, index);
	put_causes(report, index);
}

void report_line(const struct report *report, size_t line)
{
	put_heading(report);
	put_line(report, line);
}

void report_lines(const struct report *report)
{
	const struct summary *summary = report->summary;
	size_t shown = summary->lines.count < report->top ? summary->lines.count : report->top;

	put_heading(report);
	for (size_t i = 0; i < shown; i++)
		put_line(report, i);
	if (shown < summary->lines.count)
		fprintf(report->out, "%zu more (--top %zu shows %s)\n",
			summary->lines.count - shown, summary->lines.count,
			summary->lines.count - shown == 1 ? "it" : "them");
	if (!summary->has_chains)
		fputs("Who ended these waits was not recorded (no wake chains).\n", report->out);
}
