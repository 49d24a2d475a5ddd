// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Page faults: how many and where they were taken, which files they were in, and what waiting for
 * those pages cost.
 */
#include "render/report/report_measures.h"

#include <string.h>

#include "profile/rounding.h"
#include "util/mem.h"
#include "util/text.h"

#define COUNT_ROOM 64
/* Columns of a path that still tells something. */
#define LEAST_PATH 8

/* " (600/s; 98 % user, 2 % kernel)", as far as it is known. */
static char *rate_and_modes(const struct report *report, const struct measured *measured)
{
	bool is_told = measured->by_mode[FAULT_UNTOLD] != measured->count;
	uint64_t percents[FAULT_MODES];
	char rate[UNIT_VALUE_ROOM];
	char *text = xstrdup(measure_rate(measured, measured->weight, measured->count,
		report->summary->to_ns - report->summary->from_ns, rate));
	bool is_first = true;

	apportion(measured->by_mode, FAULT_MODES, 100, percents);
	for (unsigned int i = 0; is_told && i < FAULT_MODES; i++) {
		if (!measured->by_mode[i])
			continue;
		char *longer = xasprintf("%s%s%s%llu %% %s", text,
			!is_first ? ", "
			: text[0] ? "; "
				  : "",
			percents[i] ? "" : "< ",
			(unsigned long long)(percents[i] ? percents[i] : 1),
			fault_mode_name((enum fault_mode)i));
		free(text);
		text = longer;
		is_first = false;
	}
	char *whole = text[0] ? xasprintf(" (%s)", text) : xstrdup("");
	free(text);
	return whole;
}

/* "412 major faults" */
static const char *count_text(
	uint64_t count, enum fault_weight weight, char room[static COUNT_ROOM])
{
	char number[UNITS_ROOM];

	snprintf(room, COUNT_ROOM, "%s %s fault%s", count ? units_count(count, number) : "no",
		fault_weight_name(weight), count == 1 ? "" : "s");
	return room;
}

/* "120,000 minor faults ± 3 % (12/s; 98 % user, 2 % kernel), 412 major faults: shop 100 %" */
static void put_head(const struct report *report)
{
	const struct measured *largest = NULL;
	char *text = xstrdup("");

	vec_each (measured, &report->summary->measures) {
		char number[COUNT_ROOM], error[ESTIMATE_ROOM];
		if (measured->view.type.kind != MEASURE_FAULTS)
			continue;
		_cleanup_free_ char *modes =
			measured->count ? rate_and_modes(report, measured) : xstrdup("");
		char *longer = xasprintf("%s%s%s%s%s", text, text[0] ? ", " : "",
			fault_weight_of(measured) == FAULTS_ALL && measured->count
				? units_count(measured->count, number)
				: count_text(measured->count, fault_weight_of(measured), number),
			estimate_text(measured->count, measured->samples, error), modes);
		free(text);
		text = longer;
		if (measured->count && (!largest || measured->count > largest->count))
			largest = measured;
	}
	_cleanup_free_ char *names = largest ? measure_names(report->summary, largest) : NULL;
	_cleanup_free_ char *head =
		xasprintf("page faults: %s%s%s", text, names ? ": " : "", names ? names : "");
	layout_wrap(report->out, head, report_prose(report), 0, 2);
	free(text);
}

/* What the faults of one file cost, or of all where it is not told by file. */
static void put_cost(const struct report *report, const struct faulted *file)
{
	uint64_t major = file->count[FAULTS_MAJOR], all = file->count[FAULTS_ALL];
	enum fault_weight weight = major ? FAULTS_MAJOR : FAULTS_ALL;
	char number[COUNT_ROOM] = "faults", time[UNITS_ROOM];

	if (major || all)
		count_text(major ? major : all, weight, number);
	_cleanup_free_ char *cost =
		file->wait_ns ? xasprintf(" cost %s blocked", units_duration(file->wait_ns, time))
			      : xstrdup("");
	/* What it cost is to be seen, however long the path is. */
	size_t used = 2 + strlen(number) + strlen(" in ") + strlen(cost);
	size_t width = report->style->width;
	_cleanup_free_ char *path = report->style->is_full || used + LEAST_PATH > width
					    ? xstrdup(file->text)
					    : layout_cut_front(file->text, width - used);
	_cleanup_free_ char *text =
		xasprintf("%s%s%s%s", number, path[0] ? " in " : "", path, cost);
	measure_line(report, 2, text);
}

/* Files with waits or with faults that had to be read in; the rest is in the shares below. */
static void put_costs(const struct report *report)
{
	size_t shown = 0;

	vec_each (file, &report->summary->faulted.at) {
		if (shown == report->stacks)
			break;
		if (!file->wait_ns && !file->count[FAULTS_MAJOR])
			continue;
		put_cost(report, file);
		shown++;
	}
}

/* "files of minor faults: /usr/lib/libfoo.so 60 %, 4 more 5 %, no file 35 %" */
static void put_files(const struct report *report, const struct measured *measured)
{
	const measured_things *things = &measured->things;
	uint64_t parts[MEASURE_NAMES + 2] = {0}, percents[MEASURE_NAMES + 2];
	size_t shown = things->count < MEASURE_NAMES ? things->count : MEASURE_NAMES;
	char *text = xstrdup("");

	if (!things->count)
		return;
	parts[shown + 1] = measured->weight;
	for (size_t i = 0; i < things->count; i++) {
		parts[i < shown ? i : shown] += things->at[i].weight;
		parts[shown + 1] -= things->at[i].weight;
	}
	apportion(parts, shown + 2, 100, percents);
	for (size_t i = 0; i < shown; i++)
		text = measure_with_share(text, things->at[i].text, percents[i]);
	if (parts[shown]) {
		_cleanup_free_ char *more = xasprintf("%zu more", things->count - shown);
		text = measure_with_share(text, more, percents[shown]);
	}
	if (parts[shown + 1])
		text = measure_with_share(text, "no file", percents[shown + 1]);
	_cleanup_free_ char *line = xasprintf(
		"files of %s faults: %s", fault_weight_name(fault_weight_of(measured)), text);
	free(text);
	measure_line(report, 2, line);
}

static size_t measures_of_faults(const struct report *report)
{
	size_t count = 0;

	vec_each (measured, &report->summary->measures)
		count += measured->view.type.kind == MEASURE_FAULTS && measured->count;
	return count;
}

void report_faults(const struct report *report)
{
	size_t several = measures_of_faults(report);
	bool has_all = report->style->top || report->style->is_full;
	/* Together as many lines as one measure has, and a line each at least. */
	size_t most = several > 1 && !has_all ? (report->stacks + 1) / several : report->stacks;

	put_head(report);
	put_costs(report);
	vec_each (measured, &report->summary->measures) {
		char what[32] = "";
		if (measured->view.type.kind != MEASURE_FAULTS)
			continue;
		/* Those of major faults are above, with what they cost. */
		if (report->stacks >= MEASURE_ROOM_FOR_DETAIL &&
			fault_weight_of(measured) != FAULTS_MAJOR)
			put_files(report, measured);
		if (several > 1)
			snprintf(what, sizeof(what), "%s ",
				fault_weight_name(fault_weight_of(measured)));
		struct measure_stacks stacks = {measured, what, most ? most : 1, 2, false, false};
		measure_stacks(report, &stacks);
	}
}
