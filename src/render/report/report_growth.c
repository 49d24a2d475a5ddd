// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * How processes grew: address space that was mapped and given back, by who asked, and the memory
 * that was resident meanwhile.
 */
#include "render/report/report_measures.h"

#include <string.h>

#include "util/mem.h"
#include "util/text.h"

#define SPARK_COLUMNS 16

static char *signed_bytes(uint64_t from, uint64_t to)
{
	char bytes[UNITS_ROOM];

	return xasprintf("%s%s", to < from ? "-" : "+",
		units_bytes(to < from ? from - to : to - from, bytes));
}

/* "+6.0 MiB/s" */
static char *growth_per_second(const struct resident *first, const struct resident *last)
{
	double seconds = (double)(last->at_ns - first->at_ns) / NS_PER_S;
	bool is_less = last->rss_bytes < first->rss_bytes;
	uint64_t bytes =
		is_less ? first->rss_bytes - last->rss_bytes : last->rss_bytes - first->rss_bytes;
	_cleanup_free_ char *text = signed_bytes(is_less ? (uint64_t)((double)bytes / seconds) : 0,
		is_less ? 0 : (uint64_t)((double)bytes / seconds));

	return xasprintf("%s/s", text);
}

/* A column for each piece of the time, by how much of the range between least and most it had. */
static void spark_text(const resident_list *list, char text[static SPARK_COLUMNS + 1])
{
	static const char levels[] = ".-=#";
	size_t columns = list->count < SPARK_COLUMNS ? list->count : SPARK_COLUMNS;
	uint64_t least = UINT64_MAX, most = 0;

	vec_each (at, list) {
		least = at->rss_bytes < least ? at->rss_bytes : least;
		most = at->rss_bytes > most ? at->rss_bytes : most;
	}
	for (size_t i = 0; i < columns; i++) {
		const struct resident *at = &list->at[(i + 1) * list->count / columns - 1];
		double part =
			most > least ? (double)(at->rss_bytes - least) / (double)(most - least) : 0;
		text[i] = levels[part >= 1 ? 3 : (size_t)(part * 4)];
	}
	text[columns] = 0;
}

void report_resident(const struct report *report, size_t indent)
{
	const resident_list *list = &report->summary->resident;
	char from[UNITS_ROOM], to[UNITS_ROOM], time[UNITS_ROOM];
	char anonymous_from[UNITS_ROOM], anonymous_to[UNITS_ROOM];
	char spark[SPARK_COLUMNS + 1];

	if (!list->count)
		return;
	const struct resident *first = &list->at[0], *last = &list->at[list->count - 1];
	_cleanup_free_ char *text = NULL;
	if (list->count == 1) {
		text = xasprintf("rss %s, of it anonymous %s", units_bytes(last->rss_bytes, to),
			units_bytes(last->anonymous_bytes, anonymous_to));
	} else {
		_cleanup_free_ char *rate = growth_per_second(first, last);
		spark_text(list, spark);
		text = xasprintf("rss %s  %s to %s in %s (%s), of it anonymous %s to %s", spark,
			units_bytes(first->rss_bytes, from), units_bytes(last->rss_bytes, to),
			units_duration(last->at_ns - first->at_ns, time), rate,
			units_bytes(first->anonymous_bytes, anonymous_from),
			units_bytes(last->anonymous_bytes, anonymous_to));
	}
	fprintf(report->out, "%*s", (int)indent, "");
	layout_wrap(report->out, text, report_prose(report), indent, indent + 2);
}

/* What went with its process; "" if none did, or all did. */
static char *gone_text(const struct measured *growth, const struct measured *shrink)
{
	uint64_t back = shrink ? shrink->of_ended : 0;

	if ((!growth->of_ended && !back) ||
		(growth->of_ended == growth->weight && (!shrink || back == shrink->weight)))
		return xstrdup("");
	_cleanup_free_ char *net = signed_bytes(back, growth->of_ended);
	return xasprintf(", of it %s of processes that had ended", net);
}

/* "grew by 512 MiB in 120 mappings (8.5 MiB/s), gave back 128 MiB, net +384 MiB: shop 100 %" */
static char *head_text(
	const struct report *report, const struct measured *growth, const struct measured *shrink)
{
	const struct summary *summary = report->summary;
	bool has_grown = growth && growth->count, has_shrunk = shrink && shrink->count;
	char rate[UNIT_VALUE_ROOM] = "";

	if (!has_grown && !has_shrunk)
		return xstrdup("address space: nothing was mapped or given back");
	_cleanup_free_ char *back = has_shrunk ? measure_total(shrink) : xstrdup("nothing");
	_cleanup_free_ char *net =
		signed_bytes(has_shrunk ? shrink->weight : 0, has_grown ? growth->weight : 0);
	_cleanup_free_ char *names = measure_names(summary, has_grown ? growth : shrink);
	if (!has_grown)
		return xasprintf("address space: gave back %s: %s", back, names);
	_cleanup_free_ char *grown = measure_total(growth);
	measure_rate(
		growth, growth->weight, growth->count, summary->to_ns - summary->from_ns, rate);
	_cleanup_free_ char *gone = gone_text(growth, shrink);
	_cleanup_free_ char *more =
		shrink ? xasprintf(", gave back %s, net %s%s", back, net, gone) : xstrdup("");
	return xasprintf("address space: grew by %s%s%s%s%s: %s", grown, rate[0] ? " (" : "", rate,
		rate[0] ? ")" : "", more, names);
}

void report_growth(const struct report *report)
{
	const measured_list *measures = &report->summary->measures;
	const struct measured *growth = measured_of_kind(measures, MEASURE_GROWTH);
	const struct measured *shrink = measured_of_kind(measures, MEASURE_SHRINK);
	struct measure_stacks stacks = {growth, "", report->stacks, 2, false, false};
	_cleanup_free_ char *head = head_text(report, growth, shrink);

	layout_wrap(report->out, head, report_prose(report), 0, 2);
	report_resident(report, 2);
	if (growth)
		measure_stacks(report, &stacks);
}
