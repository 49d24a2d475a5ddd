// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Memory that was allocated: how much, what of it was freed or lives on, who asked for it, how old
 * the rest is, and what looks like a leak. These are up to four measures and one story.
 */
#include "render/report/report_measures.h"

#include "profile/rounding.h"
#include "util/mem.h"
#include "util/text.h"

static const struct measured *measure_of(const struct report *report, enum measure_kind kind)
{
	return measured_of_kind(&report->summary->measures, kind);
}

static void put_head(const struct report *report, const struct measured *alloc)
{
	if (!alloc) {
		fputs("memory allocated\n", report->out);
		return;
	}
	_cleanup_free_ char *text = report_measure_text(report->summary, alloc);
	_cleanup_free_ char *head = xasprintf("memory allocated: %s", text);
	layout_wrap(report->out, head, report_prose(report), 0, 2);
}

/* "freed 1.2 GiB; live at the end 300 MiB": one more part. */
static char *with_part(char *text, const char *what, const char *part)
{
	char *longer = xasprintf("%s%s%s %s", text, text[0] ? "; " : "", what, part);

	free(text);
	return longer;
}

/* "27 MiB in 1,859 live blocks", of it so much of processes that are gone with what they had. */
static char *live_text(const struct measured *live)
{
	_cleanup_free_ char *total = measure_total(live);
	char value[UNIT_VALUE_ROOM];

	if (!live->of_ended || live->of_ended == live->weight)
		return xstrdup(total);
	return xasprintf("%s, of it %s of processes that had ended", total,
		measure_value(live, live->of_ended, value));
}

/* What became of it. */
static void put_fate(const struct report *report)
{
	const struct measured *freed = measure_of(report, MEASURE_FREED);
	const struct measured *live = measure_of(report, MEASURE_LIVE);
	char value[UNIT_VALUE_ROOM], error[ESTIMATE_ROOM], *text = xstrdup("");

	if (freed) {
		_cleanup_free_ char *part =
			xasprintf("%s%s", measure_value(freed, freed->weight, value),
				estimate_text(freed->count, freed->samples, error));
		text = with_part(text, "freed", freed->count ? part : "nothing");
	}
	if (live) {
		_cleanup_free_ char *part = live_text(live);
		bool is_of_ended = live->count && live->of_ended == live->weight;
		text = with_part(text,
			is_of_ended ? "live when its process ended" : "live at the end",
			live->count ? part : "nothing");
	}
	fputs("  ", report->out);
	layout_wrap(report->out, text, report_prose(report), 2, 4);
	free(text);
}

/* "10 s to 1 min", "older"; the youngest band that slices tell apart begins at 0. */
static void age_words(unsigned int age, bool is_first, bool is_last, char room[static UNITS_ROOM])
{
	static const char *const borders[MEASURED_AGES + 1] = {"0", "1 s", "10 s", "1 min", ""};

	if (is_first)
		snprintf(room, UNITS_ROOM, "< %s", borders[age + 1]);
	else if (is_last)
		snprintf(room, UNITS_ROOM, "older");
	else
		snprintf(room, UNITS_ROOM, "%s to %s", borders[age], borders[age + 1]);
}

/* Only ages that the window can hold, and that its slices tell. */
static void put_ages(const struct report *report, const struct measured *live)
{
	const struct rec_meta *meta = report->summary->meta;
	char *text = xstrdup("live by age:");
	uint64_t weight = 0;
	bool is_first = true;

	for (unsigned int age = 0; age < MEASURED_AGES; age++) {
		bool is_last =
			age + 1 == MEASURED_AGES || measured_age_ns(age + 1) >= meta->window_ns;
		char words[UNITS_ROOM], value[UNIT_VALUE_ROOM];
		weight += live->by_age[age];
		if (!is_last && measured_age_ns(age + 1) < meta->slice_ns)
			continue;
		if (is_first && is_last)
			break;
		age_words(age, is_first, is_last, words);
		char *longer = xasprintf("%s%s %s %s", text, is_first ? "" : ",", words,
			measure_value(live, weight, value));
		free(text);
		text = longer;
		weight = 0;
		is_first = false;
		if (is_last)
			break;
	}
	if (!is_first) {
		fputs("  ", report->out);
		layout_wrap(report->out, text, report_prose(report), 2, 4);
	}
	free(text);
}

/* Blocks below that number are few to see growth by. */
#define FEW_BLOCKS 1000

/* What that may be for is said: few blocks that were looked at, or a process that tidied up. */
static void put_no_leak(const struct report *report)
{
	const struct measured *alloc = measure_of(report, MEASURE_ALLOC);
	const struct measured *live = measure_of(report, MEASURE_LIVE);
	char count[UNITS_ROOM];
	_cleanup_free_ char *few = NULL;

	if (alloc && alloc->samples < FEW_BLOCKS && alloc->samples < alloc->count)
		few = xasprintf(
			"; of %s blocks that were looked at, which are few (--alloc=SIZE with a "
			"smaller SIZE looks at more)",
			units_count(alloc->samples, count));
	bool is_tidy = alloc && live && alloc->of_ended == alloc->weight;
	_cleanup_free_ char *text =
		xasprintf("no leak is suspected: nothing grew steadily%s%s", few ? few : "",
			is_tidy ? "; what a process frees as it ends is not live then (-d TIME "
				  "looks before)"
				: "");
	fputs("  ", report->out);
	layout_wrap(report->out, text, report_prose(report), 2, 4);
}

static void put_leaks(const struct report *report, const struct measured *leaks)
{
	struct measure_stacks stacks = {leaks, "", report->stacks, 4, true, true};
	char rate[UNIT_VALUE_ROOM];

	if (!leaks->count) {
		put_no_leak(report);
		return;
	}
	_cleanup_free_ char *total = measure_total(leaks);
	measure_rate(leaks, leaks->weight, leaks->count, leak_range_ns(report), rate);
	_cleanup_free_ char *text = xasprintf(
		"suspected leaks: %s%s%s%s", total, rate[0] ? " (+" : "", rate, rate[0] ? ")" : "");
	fputs("  ", report->out);
	layout_wrap(report->out, text, report_prose(report), 2, 4);
	measure_stacks(report, &stacks);
}

#define SMALL_OBJECT 512

/* A heap that a runtime divides itself is one block to its allocator. */
static void put_runtime(const struct report *report)
{
	if (!report->summary->runtimes.count)
		return;
	const struct measured *alloc = measure_of(report, MEASURE_ALLOC);
	const struct runtime *runtime = &report->summary->runtimes.at[0];
	/* Small blocks reach the allocator, so Python was started as it should be. */
	if (runtime->kind == RUNTIME_PYTHON && alloc && alloc->count &&
		alloc->weight / alloc->count < SMALL_OBJECT)
		return;
	_cleanup_free_ char *text = runtime_memory_text(runtime);
	fputs("  ", report->out);
	layout_wrap(report->out, text, report_prose(report), 2, 4);
}

void report_memory(const struct report *report)
{
	const struct measured *alloc = measure_of(report, MEASURE_ALLOC);
	const struct measured *live = measure_of(report, MEASURE_LIVE);
	const struct measured *leaks = measure_of(report, MEASURE_LEAKS);
	struct measure_stacks stacks = {alloc, "", report->stacks, 2, false, false};
	bool has_growth = measure_of(report, MEASURE_GROWTH) || measure_of(report, MEASURE_SHRINK);

	put_head(report, alloc);
	if ((live || measure_of(report, MEASURE_FREED)) && !(alloc && !alloc->count))
		put_fate(report);
	if (alloc)
		measure_stacks(report, &stacks);
	if (live && live->count && report->stacks >= MEASURE_ROOM_FOR_DETAIL)
		put_ages(report, live);
	if (leaks && !(alloc && !alloc->count))
		put_leaks(report, leaks);
	put_runtime(report);
	if (!has_growth)
		report_resident(report, 2);
}
