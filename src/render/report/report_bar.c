// SPDX-License-Identifier: GPL-2.0-or-later
/* The bar: busy time by what it was spent on, one letter for each part, and its legend. */
#include <string.h>

#include "profile/rounding.h"
#include "render/report/report_parts.h"
#include "util/text.h"

/* More would make the legend longer than it helps; the smallest become "other". */
#define MOST_REASONS 6

struct part {
	char letter;
	const char *name;
	uint64_t ns;
};

struct parts {
	struct part at[REASONS + 2];
	size_t count;
};

static void sort_by_size(struct part *parts, size_t count)
{
	for (size_t i = 1; i < count; i++)
		for (size_t j = i; j && parts[j].ns > parts[j - 1].ns; j--) {
			struct part swap = parts[j];
			parts[j] = parts[j - 1];
			parts[j - 1] = swap;
		}
}

static struct parts make_parts(const struct summary *summary)
{
	uint64_t runnable_ns = summary->total_ns[TIME_WOKEN] + summary->total_ns[TIME_PREEMPTED];
	struct parts parts = {.count = 2};
	uint64_t rest_ns = summary->called_ns[REASON_UNKNOWN];

	parts.at[0] = (struct part){'R', "running", summary->total_ns[TIME_RUNNING]};
	parts.at[1] = (struct part){'q', "ready, no CPU", runnable_ns};
	for (unsigned int i = 1; i < REASONS; i++)
		if (summary->called_ns[i])
			parts.at[parts.count++] = (struct part){reason_letter((enum reason)i),
				reason_name((enum reason)i), summary->called_ns[i]};
	sort_by_size(parts.at + 2, parts.count - 2);
	while (parts.count > 2 + MOST_REASONS)
		rest_ns += parts.at[--parts.count].ns;
	if (rest_ns)
		parts.at[parts.count++] = (struct part){
			reason_letter(REASON_UNKNOWN), reason_name(REASON_UNKNOWN), rest_ns};
	return parts;
}

/* Colours only repeat what the letters say. */
static const char *color_of(char letter)
{
	static const struct {
		const char *letters;
		const char *color;
	} colors[] = {
		{"R", "\033[32m"},    /* running: green */
		{"q", "\033[33m"},    /* no CPU: yellow */
		{"DJG", "\033[31m"},  /* storage: red */
		{"LF", "\033[35m"},   /* locks: magenta */
		{"SA", "\033[34m"},   /* network: blue */
		{"POUY", "\033[36m"}, /* data and events: cyan */
	};

	for (size_t i = 0; i < ARRAY_SIZE(colors); i++)
		if (strchr(colors[i].letters, letter))
			return colors[i].color;
	return "\033[0m";
}

static void put_cells(const struct report *report, const struct parts *parts, size_t columns)
{
	uint64_t values[REASONS + 2], cells[REASONS + 2];

	for (size_t i = 0; i < parts->count; i++)
		values[i] = parts->at[i].ns;
	apportion(values, parts->count, columns, cells);
	for (size_t i = 0; i < parts->count; i++) {
		if (report->style->is_colored && cells[i])
			fputs(color_of(parts->at[i].letter), report->out);
		for (uint64_t cell = 0; cell < cells[i]; cell++)
			putc(parts->at[i].letter, report->out);
	}
	fputs(report->style->is_colored ? "\033[0m\n" : "\n", report->out);
}

static void put_legend(const struct report *report, const struct parts *parts)
{
	uint64_t values[REASONS + 2], percents[REASONS + 2];
	size_t used = 0;

	for (size_t i = 0; i < parts->count; i++)
		values[i] = parts->at[i].ns;
	apportion(values, parts->count, 100, percents);
	for (size_t i = 0; i < parts->count; i++) {
		char item[64];
		int length;
		if (!percents[i])
			continue;
		length = snprintf(item, sizeof(item), " %s %llu %%", parts->at[i].name,
			(unsigned long long)percents[i]);
		if (used && used + 3 + (size_t)length > report_prose(report)) {
			putc('\n', report->out);
			used = 0;
		}
		fprintf(report->out, "  %s%c%s%s",
			report->style->is_colored ? color_of(parts->at[i].letter) : "",
			parts->at[i].letter, report->style->is_colored ? "\033[0m" : "", item);
		used += 3 + (size_t)length;
	}
	putc('\n', report->out);
}

void report_bar(const struct report *report)
{
	const struct summary *summary = report->summary;
	struct parts parts = make_parts(summary);
	char amount[UNITS_ROOM], label[64];
	int length;

	length = snprintf(label, sizeof(label), "%s %s %s  ",
		summary->aside_ns && !summary->is_filtered ? "the other" : "in all",
		scale_text(&report->scale, report->busy_quanta, amount), report->scale.unit);
	fputs(label, report->out);
	put_cells(report, &parts, report->style->width - (size_t)length);
	put_legend(report, &parts);
}
