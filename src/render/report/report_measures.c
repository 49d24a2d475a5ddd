// SPDX-License-Identifier: GPL-2.0-or-later
/* What was counted beside thread time: a block for each measure, or for several that are one. */
#include "render/report/report_measures.h"

#include <string.h>

#include "profile/rounding.h"
#include "render/stack_line.h"
#include "util/hash.h"
#include "util/map64.h"
#include "util/mem.h"
#include "util/text.h"

const char *measure_value(
	const struct measured *measured, uint64_t value, char room[static UNIT_VALUE_ROOM])
{
	const struct view_type *view = &measured->view.type;

	return unit_value(view->unit, view->unit_word, value, room);
}

char *measure_total(const struct measured *measured)
{
	const struct view_type *view = &measured->view.type;
	bool is_one = measured->count == 1;
	const char *what = is_one ? view->counted : view->counts;
	char value[UNIT_VALUE_ROOM], count[UNITS_ROOM], error[ESTIMATE_ROOM];
	/* "failed (if ret<0): openat returns": what is before the colon comes before the figure. */
	const char *colon = strstr(what, ": ");
	int before = colon ? (int)(colon - what) + 2 : 0;

	measure_value(measured, measured->weight, value);
	estimate_text(measured->count, measured->samples, error);
	const char *sum = strstr(what, "sum of ");
	if (view->unit == UNIT_COUNT && !(sum && sum < what + before))
		return xasprintf("%.*s%s %s%s", before, what, value, what + before, error);
	return xasprintf("%.*s%s in %s %s%s", before, what, value,
		units_count(measured->count, count), what + before, error);
}

/* "12.3/s"; whole numbers from 10 up. */
static void per_second_text(double number, char room[static UNIT_VALUE_ROOM])
{
	char count[UNITS_ROOM];

	if (number >= 10)
		snprintf(room, UNIT_VALUE_ROOM, "%s/s",
			units_count((uint64_t)(number + 0.5), count));
	else if (number >= 0.05)
		snprintf(room, UNIT_VALUE_ROOM, "%.1f/s", number);
	else
		snprintf(room, UNIT_VALUE_ROOM, "< 0.1/s");
}

const char *measure_rate(const struct measured *measured, uint64_t weight, uint64_t count,
	uint64_t ns, char room[static UNIT_VALUE_ROOM])
{
	enum unit unit = measured->view.type.unit;
	char bytes[UNITS_ROOM];

	room[0] = 0;
	if (!ns)
		return room;
	double seconds = (double)ns / NS_PER_S;
	if (unit == UNIT_BYTES)
		snprintf(room, UNIT_VALUE_ROOM, "%s/s",
			units_bytes((uint64_t)((double)weight / seconds), bytes));
	else
		per_second_text((double)(unit == UNIT_COUNT ? weight : count) / seconds, room);
	return room;
}

/* What rounds to nothing is still something. */
char *measure_with_share(char *text, const char *name, uint64_t percent)
{
	char *longer = xasprintf("%s%s%s %s%llu %%", text, text[0] ? ", " : "", name,
		percent ? "" : "< ", (unsigned long long)(percent ? percent : 1));

	free(text);
	return longer;
}

char *measure_names(const struct summary *summary, const struct measured *measured)
{
	uint64_t parts[MEASURE_NAMES + 1] = {0}, percents[MEASURE_NAMES + 1];
	size_t count = measured->names.count;
	size_t shown = count < MEASURE_NAMES ? count : MEASURE_NAMES;
	char *text = xstrdup("");

	for (size_t i = 0; i < count; i++)
		parts[i < shown ? i : shown] += measured->names.at[i].weight;
	apportion(parts, shown + 1, 100, percents);
	for (size_t i = 0; i < shown; i++) {
		_cleanup_free_ char *name = summary_root_name(summary, measured->names.at[i].node);
		text = measure_with_share(text, name, percents[i]);
	}
	if (shown < count) {
		_cleanup_free_ char *more = xasprintf("%zu more", count - shown);
		text = measure_with_share(text, more, percents[shown]);
	}
	return text;
}

/* "80 % in interrupts, told of whom they interrupted"; "" if none was. */
static char *text_of_interrupts(const struct measured *measured)
{
	char share[UNITS_ROOM];

	if (!measured->in_interrupts)
		return xstrdup("");
	return xasprintf("%s in interrupts, told of whom they interrupted",
		share_text(measured->in_interrupts, measured->count, share));
}

char *report_measure_text(const struct summary *summary, const struct measured *measured)
{
	char rate[UNIT_VALUE_ROOM];

	if (!measured->count)
		return xasprintf("no %s was seen", measured->view.type.counted);
	_cleanup_free_ char *total = measure_total(measured);
	_cleanup_free_ char *names = measure_names(summary, measured);
	/* What is live at the end is no rate. */
	measure_rate(measured, measured->weight, measured->count,
		measured->view.type.kind == MEASURE_LIVE ? 0 : summary->to_ns - summary->from_ns,
		rate);
	_cleanup_free_ char *interrupts = text_of_interrupts(measured);
	return xasprintf("%s%s%s%s%s%s: %s", total, rate[0] || interrupts[0] ? " (" : "", rate,
		rate[0] && interrupts[0] ? "; " : "", interrupts,
		rate[0] || interrupts[0] ? ")" : "", names);
}

/* "70 % ± 3 %"; with a value "2.1 MiB, 70 % ± 3 %", and a number "2.1 MiB in 900, 70 % ± 3 %". */
static char *share_of(
	const struct measured *measured, const struct measured_part *part, bool has_number)
{
	bool has_value = measured->view.type.unit != UNIT_COUNT;
	char value[UNIT_VALUE_ROOM], share[UNITS_ROOM], error[ESTIMATE_ROOM], count[UNITS_ROOM];

	return xasprintf("%s%s%s%s%s%s",
		has_value ? measure_value(measured, part->weight, value) : "",
		has_number ? " in " : "", has_number ? units_count(part->count, count) : "",
		has_value ? ", " : "", share_text(part->weight, measured->weight, share),
		estimate_text(part->count, part->samples, error));
}

/* The largest ones; further ones are not compared. */
#define MOST_COMPARED 4096
#define WHOLE_LINE 100000

static int compare_weights(const void *left, const void *right)
{
	const struct measured_part *a = left, *b = right;

	return (a->weight < b->weight) - (a->weight > b->weight);
}

/* Stacks that differ in what is not shown, as the way through an allocator, are one line. */
static measured_parts shown_parts(
	const struct summary *summary, const struct measured *measured, bool is_full)
{
	const measured_parts *all = &measured->stacks;
	struct map64 known = {0};
	measured_parts parts = {0};

	for (size_t i = 0; i < all->count && i < MOST_COMPARED; i++) {
		_cleanup_free_ char *text =
			stack_line(&summary->tree, all->at[i].node, is_full, WHOLE_LINE);
		uint64_t *number = map64_put(&known, hash_text(0, text), NULL);
		if (!*number) {
			vec_push(&parts, all->at[i]);
			*number = parts.count;
			continue;
		}
		struct measured_part *part = &parts.at[*number - 1];
		part->weight += all->at[i].weight;
		part->count += all->at[i].count;
		part->samples += all->at[i].samples;
	}
	map64_clear(&known);
	vec_sort(&parts, compare_weights);
	return parts;
}

char *report_measure_stack(const struct summary *summary, const struct measured *measured,
	bool is_full, size_t columns)
{
	if (!measured->stacks.count)
		return xstrdup("");
	measured_parts parts = shown_parts(summary, measured, is_full);
	struct measured_part part = parts.at[0];
	vec_clear(&parts);
	_cleanup_free_ char *share = share_of(measured, &part, false);
	size_t used = text_width(share) + 2;
	_cleanup_free_ char *stack =
		stack_line(&summary->tree, part.node, is_full, columns > used ? columns - used : 1);
	return stack[0] ? xasprintf("%s: %s", share, stack) : xstrdup("");
}

void measure_line(const struct report *report, size_t indent, const char *text)
{
	size_t width = report->style->width;

	fprintf(report->out, "%*s", (int)indent, "");
	if (report->style->is_full) {
		layout_wrap(report->out, text, width, indent, indent + 2);
		return;
	}
	_cleanup_free_ char *cut = layout_cut(text, width - indent);
	fprintf(report->out, "%s\n", cut);
}

uint64_t leak_range_ns(const struct report *report)
{
	const struct summary *summary = report->summary;
	uint64_t ns = summary->to_ns - summary->from_ns, slice = summary->meta->slice_ns;
	uint64_t old = ns / 4 * 3 / (slice ? slice : 1) * (slice ? slice : 1);

	/* A range of the recording has what it has. */
	return ns == summary->meta->window_ns && old ? old : ns;
}

/* What stands before a stack. */
static char *figures_of(const struct report *report, const struct measure_stacks *stacks,
	const struct measured_part *part)
{
	const struct measured *measured = stacks->measured;
	uint64_t ns = measured->view.type.kind == MEASURE_LEAKS
			      ? leak_range_ns(report)
			      : report->summary->to_ns - report->summary->from_ns;
	char rate[UNIT_VALUE_ROOM];
	_cleanup_free_ char *share = share_of(measured, part, stacks->has_number);

	measure_rate(measured, part->weight, part->count, ns, rate);
	return xasprintf("%s%s%s%s", stacks->what, share,
		stacks->has_growth && rate[0] ? ", +" : "", stacks->has_growth ? rate : "");
}

/* One stack behind its figures, or below them if these leave it too little room. */
static void put_stack(
	const struct report *report, size_t indent, const char *figures, uint32_t node)
{
	size_t width = report->style->width, used = indent + text_width(figures) + 2;
	bool is_below = !report->style->is_full && 2 * used > width;
	size_t columns = is_below ? width - indent - 2 : width - used;
	_cleanup_free_ char *stack =
		stack_line(&report->summary->tree, node, report->style->is_full, columns);
	_cleanup_free_ char *line =
		xasprintf("%s:%s%s", figures, is_below ? "" : " ", is_below ? "" : stack);

	if (!stack[0]) {
		_cleanup_free_ char *bare = xasprintf("%s: [no stack]", figures);
		measure_line(report, indent, bare);
		return;
	}
	measure_line(report, indent, line);
	if (is_below)
		measure_line(report, indent + 2, stack);
}

void measure_stacks(const struct report *report, const struct measure_stacks *stacks)
{
	measured_parts parts =
		shown_parts(report->summary, stacks->measured, report->style->is_full);

	for (size_t i = 0; i < parts.count && i < stacks->most; i++) {
		_cleanup_free_ char *figures = figures_of(report, stacks, &parts.at[i]);
		put_stack(report, stacks->indent, figures, parts.at[i].node);
	}
	vec_clear(&parts);
}

static void put_measure(const struct report *report, const struct measured *measured)
{
	_cleanup_free_ char *text = report_measure_text(report->summary, measured);
	struct measure_stacks stacks = {measured, "", report->stacks, 2, false, false};

	layout_wrap(report->out, text, report_prose(report), 0, 2);
	measure_stacks(report, &stacks);
}

const char *report_hidden_measures(const struct summary *summary)
{
	return summary->hidden_measures
		       ? "Events that were counted are left out: the filters are for time."
		       : NULL;
}

/* The block of a kind, told where the first measure of it stands; NULL: each has its own. */
typedef void (*block_fn)(const struct report *report);

static block_fn block_of(enum measure_kind kind)
{
	switch (kind) {
	case MEASURE_ALLOC:
	case MEASURE_FREED:
	case MEASURE_LIVE:
	case MEASURE_LEAKS:
		return report_memory;
	case MEASURE_FAULTS:
		return report_faults;
	case MEASURE_GROWTH:
	case MEASURE_SHRINK:
		return report_growth;
	default:
		return NULL;
	}
}

/* Is it the first of its kind? Only that is in a block with others; of faults all are. */
static bool is_in_block(const struct summary *summary, const struct measured *measured)
{
	enum measure_kind kind = measured->view.type.kind;

	return kind == MEASURE_FAULTS || measured_of_kind(&summary->measures, kind) == measured;
}

void report_measures(const struct report *report)
{
	const struct summary *summary = report->summary;
	const char *hidden = report_hidden_measures(summary);
	block_fn told[MEASURE_KINDS];
	size_t count = 0;

	if (hidden)
		fprintf(report->out, "%s\n", hidden);
	vec_each (measured, &summary->measures) {
		block_fn block = block_of(measured->view.type.kind);
		bool is_told = false;
		if (!block || !is_in_block(summary, measured)) {
			put_measure(report, measured);
			continue;
		}
		for (size_t i = 0; i < count; i++)
			is_told |= told[i] == block;
		if (is_told)
			continue;
		told[count++] = block;
		block(report);
	}
	if (!measured_of_kind(&summary->measures, MEASURE_GROWTH) &&
		!measured_of_kind(&summary->measures, MEASURE_SHRINK) &&
		!measured_of_kind(&summary->measures, MEASURE_ALLOC))
		report_resident(report, 0);
}
