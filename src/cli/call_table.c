// SPDX-License-Identifier: GPL-2.0-or-later
/* Names are what is left of a line's columns; their ends are kept, where functions have theirs. */
#include "cli/call_table.h"

#include <stdlib.h>
#include <string.h>

#include "render/layout.h"
#include "util/mem.h"
#include "util/text.h"
#include "util/units.h"

#define NARROWEST_NAME 16
#define MEDIAN 500000
#define P99 990000
/* Heading and one function: less is no table. */
#define LEAST_LINES 2

struct row {
	const struct capture_calls *calls;
	uint64_t new_calls;
	uint64_t since_ns;
};

typedef const char *(*cell_fn)(const struct row *row, char room[static UNITS_ROOM]);

static const char *rate_cell(const struct row *row, char room[static UNITS_ROOM])
{
	if (!row->since_ns)
		return "-";
	return units_count(
		(uint64_t)((double)row->new_calls * 1e9 / (double)row->since_ns + 0.5), room);
}

static const char *length_cell(
	const struct row *row, uint32_t millionths, char room[static UNITS_ROOM])
{
	if (!row->calls->lengths.calls)
		return "-";
	return units_duration(call_lengths_at(&row->calls->lengths, millionths), room);
}

static const char *median_cell(const struct row *row, char room[static UNITS_ROOM])
{
	return length_cell(row, MEDIAN, room);
}

static const char *p99_cell(const struct row *row, char room[static UNITS_ROOM])
{
	return length_cell(row, P99, room);
}

static const char *max_cell(const struct row *row, char room[static UNITS_ROOM])
{
	if (!row->calls->lengths.calls)
		return "-";
	return units_duration(row->calls->lengths.max_ns, room);
}

static const char *part_cell(const struct row *row, uint64_t ns, char room[static UNITS_ROOM])
{
	return row->calls->wall_ns ? share_text(ns, row->calls->wall_ns, room) : "-";
}

static const char *running_cell(const struct row *row, char room[static UNITS_ROOM])
{
	return part_cell(row, row->calls->part_ns[TIME_RUNNING], room);
}

static const char *no_cpu_cell(const struct row *row, char room[static UNITS_ROOM])
{
	const uint64_t *part_ns = row->calls->part_ns;

	return part_cell(row, part_ns[TIME_WOKEN] + part_ns[TIME_PREEMPTED], room);
}

static const char *blocked_cell(const struct row *row, char room[static UNITS_ROOM])
{
	return part_cell(row, row->calls->part_ns[TIME_BLOCKED], room);
}

static const char *open_cell(const struct row *row, char room[static UNITS_ROOM])
{
	return units_count(row->calls->open, room);
}

static const struct column {
	const char *title;
	int width; /* with the space before it */
	cell_fn cell;
} all_columns[] = {{"calls/s", 9, rate_cell}, {"p50", 8, median_cell}, {"p99", 8, p99_cell},
	{"max", 8, max_cell}, {"running", 8, running_cell}, {"no CPU", 7, no_cpu_cell},
	{"blocked", 8, blocked_cell}, {"open", 6, open_cell}};

/* How many of them have room beside names; *ret_name: columns of these. */
static size_t fit(size_t columns, size_t *ret_name)
{
	size_t count = 0, used = 0;

	while (count < ARRAY_SIZE(all_columns) &&
		used + (size_t)all_columns[count].width + NARROWEST_NAME <= columns)
		used += (size_t)all_columns[count++].width;
	*ret_name = columns - used;
	return count;
}

static void put_row(FILE *out, const struct row *row, size_t count, size_t name_columns)
{
	_cleanup_free_ char *clean = text_clean(row->calls->name, false);
	_cleanup_free_ char *name = layout_cut_front(clean, name_columns);
	char room[UNITS_ROOM];

	fprintf(out, "%s%*s", name, (int)(name_columns - text_width(name)), "");
	for (size_t i = 0; i < count; i++)
		fprintf(out, "%*s", all_columns[i].width, all_columns[i].cell(row, room));
	putc('\n', out);
}

static int compare(const void *a, const void *b)
{
	const struct row *one = a, *other = b;

	if (one->calls->wall_ns != other->calls->wall_ns)
		return one->calls->wall_ns < other->calls->wall_ns ? 1 : -1;
	return one->calls < other->calls ? -1 : one->calls > other->calls;
}

static struct row *make_rows(const struct call_table *table)
{
	struct row *rows = xcalloc(table->count, sizeof(*rows));

	for (size_t i = 0; i < table->count; i++)
		rows[i] = (struct row){.calls = &table->calls[i],
			.new_calls = table->calls[i].lengths.calls - table->before[i],
			.since_ns = table->since_ns};
	qsort(rows, table->count, sizeof(*rows), compare);
	return rows;
}

char *call_table(const struct call_table *table, size_t lines, size_t columns)
{
	size_t name_columns, count = fit(columns, &name_columns), size;
	char *text = NULL;

	if (!table->count || lines < LEAST_LINES || !count)
		return xstrdup("");
	_cleanup_free_ struct row *rows = make_rows(table);
	FILE *out = open_memstream(&text, &size);
	if (!out)
		return xstrdup("");
	fprintf(out, "%-*s", (int)name_columns, "FUNCTION");
	for (size_t i = 0; i < count; i++)
		fprintf(out, "%*s", all_columns[i].width, all_columns[i].title);
	putc('\n', out);
	for (size_t i = 0; i < table->count && i + 1 < lines; i++)
		put_row(out, &rows[i], count, name_columns);
	fclose(out);
	return text;
}
