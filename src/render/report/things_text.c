// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The table of things as text: a line of figures for each thing, and below it who waited and who
 * ended the waits. Totals are shared out among the lines, so that they add up as printed.
 */
#include "render/report/things.h"

#include <string.h>

#include "model/words.h"
#include "profile/rounding.h"
#include "render/layout.h"
#include "render/report/report_causes.h"
#include "util/text.h"

#define FIGURE_COLUMNS 34
#define MEAN_COLUMNS 8
/* A narrower screen has no means. */
#define WIDE_ENOUGH 66
/* Names that are listed of those who wait, and of those who end waits. */
#define MOST_NAMES 3
/* Who ended less than this part of the time is one of "others". */
#define LEAST_PERCENT 5

struct things_text {
	const struct thing_table *table;
	const struct things_style *style;
	struct scale scale;
	FILE *out;
};

/* Figures of one line of the table. */
struct figures {
	uint64_t total_ns;
	uint64_t uncounted_ns;
	uint64_t waits;
	uint64_t max_ns;
};

/* Of a path that is too long the end stays: it tells more than the folders. Caller frees. */
static char *cut_title(const char *title, size_t columns)
{
	return title[0] == '/' ? layout_cut_front(title, columns) : layout_cut(title, columns);
}

static bool has_mean(const struct things_style *style)
{
	return style->width >= WIDE_ENOUGH;
}

static size_t title_columns(const struct things_style *style)
{
	return style->width - FIGURE_COLUMNS + (has_mean(style) ? 0 : MEAN_COLUMNS);
}

static void put_figures(const struct things_text *text, const char *title,
	const struct figures *figures, uint64_t quanta)
{
	const struct things_style *style = text->style;
	size_t columns = title_columns(style);
	_cleanup_free_ char *cut = style->is_full ? xstrdup(title) : cut_title(title, columns - 1);
	size_t width = text_width(cut);
	char total[UNITS_ROOM], waits[UNITS_ROOM], mean[UNITS_ROOM] = "-", max[UNITS_ROOM] = "-";

	if (figures->waits) {
		uint64_t mean_ns = (figures->total_ns - figures->uncounted_ns) / figures->waits;
		/* In a range there may be parts of waits that end, and count, behind it. */
		if (mean_ns <= figures->max_ns)
			units_duration(mean_ns, mean);
		units_duration(figures->max_ns, max);
	}
	fprintf(text->out, "%s%s%s%*s%9s%9s%*s%8s\n", style->is_colored ? "\033[1m" : "", cut,
		style->is_colored ? "\033[0m" : "", width < columns ? (int)(columns - width) : 1,
		"", scale_text(&text->scale, quanta, total), units_count(figures->waits, waits),
		has_mean(style) ? MEAN_COLUMNS : 0, has_mean(style) ? mean : "", max);
}

/* "postgres (8), nginx and 2 others". */
static void put_waiters(FILE *out, const struct thing_row *row)
{
	size_t count = row->waiters.count;
	size_t shown = count > MOST_NAMES + 1 ? MOST_NAMES : count;

	for (size_t i = 0; i < shown; i++) {
		const struct thing_waiter *waiter = &row->waiters.at[i];
		_cleanup_free_ char *name = text_clean(waiter->name, false);
		fprintf(out, "%s%s", i ? ", " : "", name[0] ? name : "[no name]");
		if (waiter->threads > 1)
			fprintf(out, " (%u)", waiter->threads);
	}
	if (shown < count)
		fprintf(out, " and %zu others", count - shown);
}

/* "jbd2/vda1-8", "disk vda", or why nobody is known. Caller frees. */
static char *ender_name(const struct things_text *text, const struct thing_ender *ender)
{
	const struct words *words = recording_words(text->style->recording);

	return ender->is_nobody ? xasprintf("nobody (%s)", words_plain_end(words, ender->end))
				: cause_name(words, ender->kind, ender->name);
}

/* "ended by jbd2/vda1-8 90 %, disk vda 8 % and 3 others 2 %". Percentages add up to 100. */
static void put_enders(const struct things_text *text, FILE *out, const struct thing_row *row)
{
	size_t count = row->enders.count;
	_cleanup_free_ uint64_t *values = xcalloc(count + 1, sizeof(*values));
	_cleanup_free_ uint64_t *percents = xcalloc(count + 1, sizeof(*percents));
	uint64_t rest = 100;
	size_t shown = 0;

	for (size_t i = 0; i < count; i++)
		values[i] = row->enders.at[i].ns;
	apportion(values, count, 100, percents);
	/* What rounds to nothing is not worth a word. */
	while (count > 1 && !percents[count - 1])
		count--;
	for (; shown < count && shown < MOST_NAMES; shown++) {
		/* The first is always named, and one that would be the only other one. */
		if (shown && percents[shown] < LEAST_PERCENT && shown + 1 < count)
			break;
		_cleanup_free_ char *name = ender_name(text, &row->enders.at[shown]);
		fprintf(out, "%s%s %llu %%", shown ? ", " : "; ended by ", name,
			(unsigned long long)percents[shown]);
		rest -= percents[shown];
	}
	if (shown < count)
		fprintf(out, " and %zu other%s %llu %%", count - shown,
			count - shown == 1 ? "" : "s", (unsigned long long)rest);
}

/* "the longest found it with postgres (thread 101)" */
static void put_owner(const struct things_text *text, FILE *out, const struct thing_row *row)
{
	size_t count;
	const struct rec_thread *threads = recording_threads(text->style->recording, &count);

	if (row->owner >= count)
		return;
	_cleanup_free_ char *name = text_clean(threads[row->owner].comm, false);
	char length[UNITS_ROOM];
	if (text->table->things.at.at[row->thing].kind == AWAITED_PIPE) {
		fprintf(out, "; %s (%u) has the other end", name, threads[row->owner].tid);
		return;
	}
	fprintf(out, "; at the longest, %s, %s (%u) had it",
		units_duration(row->owner_max_ns, length), name, threads[row->owner].tid);
}

static void put_who(const struct things_text *text, const struct thing_row *row)
{
	char *line = NULL;
	size_t size;
	FILE *out = open_memstream(&line, &size);

	if (!out)
		abort();
	if (row->thing != REC_NONE) {
		const struct thing *thing = &text->table->things.at.at[row->thing];
		fprintf(out, "%s", awaited_kind_name(thing->kind));
		if (thing->members > 1)
			fprintf(out, ", %u of them", thing->members);
		fputs("; ", out);
	}
	fputs("waited: ", out);
	put_waiters(out, row);
	put_enders(text, out, row);
	if (row->unended)
		fprintf(out, "; %llu had not ended", (unsigned long long)row->unended);
	put_owner(text, out, row);
	fclose(out);
	fputs("  ", text->out);
	layout_wrap(text->out, line, text->style->width, 2, 2);
	free(line);
}

static void put_row(const struct things_text *text, const struct thing_row *row, uint64_t quanta)
{
	struct figures figures = {row->total_ns, row->uncounted_ns, row->waits, row->max_ns};
	const char *title =
		row->thing != REC_NONE ? text->table->things.at.at[row->thing].text : "not told";

	put_figures(text, title, &figures, quanta);
	put_who(text, row);
}

static void put_rest(
	const struct things_text *text, const struct thing_row *rows, size_t count, uint64_t quanta)
{
	_cleanup_free_ char *title =
		xasprintf("%zu more thing%s (--top)", count, count == 1 ? "" : "s");
	struct figures figures = {0};

	for (size_t i = 0; i < count; i++) {
		figures.total_ns += rows[i].total_ns;
		figures.uncounted_ns += rows[i].uncounted_ns;
		figures.waits += rows[i].waits;
		if (rows[i].max_ns > figures.max_ns)
			figures.max_ns = rows[i].max_ns;
	}
	if (count)
		put_figures(text, title, &figures, quanta);
}

static void put_rows(const struct things_text *text)
{
	const struct thing_row *rows = text->table->rows.at;
	size_t count = text->table->rows.count;
	size_t top = text->style->top ? text->style->top : THINGS_TOP;
	size_t told = count && rows[count - 1].thing == REC_NONE ? count - 1 : count;
	size_t shown = told < top ? told : top;
	_cleanup_free_ uint64_t *values = xcalloc(shown + 3, sizeof(*values));
	_cleanup_free_ uint64_t *quanta = xcalloc(shown + 3, sizeof(*quanta));

	for (size_t i = 0; i < count; i++)
		values[i < shown ? i : i < told ? shown : shown + 1] += rows[i].total_ns;
	apportion(values, shown + 2, round_to(text->table->total_ns, text->scale.quantum), quanta);
	for (size_t i = 0; i < shown; i++)
		put_row(text, &rows[i], quanta[i]);
	put_rest(text, rows + shown, told - shown, quanta[shown]);
	if (told < count)
		put_row(text, &rows[told], quanta[shown + 1]);
}

static void put_head(const struct things_text *text)
{
	const struct things_style *style = text->style;
	const struct thing_table *table = text->table;
	char total[UNITS_ROOM], waits[UNITS_ROOM], share[UNITS_ROOM];
	_cleanup_free_ char *file = layout_cut_front(style->file, style->width - 8);
	_cleanup_free_ char *raw =
		xasprintf("dwell  %s blocked in %s wait%s, %s: %s; what for is told of %s%s",
			scale_ns(&text->scale, table->total_ns, total),
			units_count(table->waits, waits), table->waits == 1 ? "" : "s",
			style->target, file, share_text(table->told_ns, table->total_ns, share),
			style->hides_idle ? "; idle waits are set aside (--idle show)" : "");
	_cleanup_free_ char *clean = text_clean(raw, false);
	_cleanup_free_ char *filters = text_clean(style->filter_text, false);
	_cleanup_free_ char *what =
		layout_only(table->has_range, table->from_ns, table->to_ns, filters);
	_cleanup_free_ char *only = xasprintf("only: %s", what);

	layout_wrap(text->out, clean, style->width, 0, 7);
	if (what[0])
		layout_wrap(text->out, only, style->width, 0, 6);
}

void thing_table_text(const struct thing_table *table, const struct things_style *style, FILE *out)
{
	struct things_text text = {
		.table = table, .style = style, .scale = scale_fine(table->total_ns), .out = out};

	put_head(&text);
	_cleanup_free_ char *total = xasprintf("total %s", text.scale.unit);
	fprintf(out, "\n%-*s%9s%9s%*s%8s\n", (int)title_columns(style), "what they waited for",
		total, "waits", has_mean(style) ? MEAN_COLUMNS : 0, has_mean(style) ? "mean" : "",
		"longest");
	put_rows(&text);
}
