// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The table of functions as text. Lines are made first, the ones that stand for what is not listed
 * among them; self amounts and percentages are then shared out among those lines whose sum is the
 * total (functions, not the objects above them), so that they add up as printed.
 */
#include "render/functions.h"

#include <string.h>

#include "profile/rounding.h"
#include "render/layout.h"
#include "util/mem.h"
#include "util/text.h"

#define OBJECT_COLUMNS 16
#define FIGURE_COLUMNS 32

struct table_line {
	char *object; /* owned */
	char *name;   /* owned */
	uint64_t self_ns;
	uint64_t total_ns;
	bool has_total; /* a sum of totals would count stacks twice */
	bool is_head;   /* an object above its functions: their sum */
	bool is_below;  /* a function below its object */
	uint64_t self;  /* quanta */
	uint64_t permille;
};

struct table_text {
	const struct function_table *table;
	const struct functions_style *style;
	struct scale scale;
	VEC(struct table_line) lines;
	FILE *out;
};

/* The file's name without its folders. */
static char *short_object(const char *object)
{
	const char *slash = strrchr(object, '/');

	return xstrdup(slash && slash[1] ? slash + 1 : object);
}

static void add_function(struct table_text *text, const struct function_row *row, bool is_below)
{
	struct table_line line = {.object = is_below ? xstrdup("") : short_object(row->object),
		.name = xstrdup(row->name),
		.self_ns = row->self_ns,
		.total_ns = row->total_ns,
		.has_total = true,
		.is_below = is_below};

	vec_push(&text->lines, line);
}

static void add_rest(
	struct table_text *text, size_t count, const char *what, uint64_t self_ns, bool is_below)
{
	struct table_line line = {.object = xstrdup(""),
		.name = xasprintf("%zu more%s%s", count, what, what[0] && count != 1 ? "s" : ""),
		.self_ns = self_ns,
		.is_below = is_below};

	if (count)
		vec_push(&text->lines, line);
	else {
		free(line.object);
		free(line.name);
	}
}

static void add_flat(struct table_text *text)
{
	const struct function_table *table = text->table;
	size_t top = text->style->top ? text->style->top : FUNCTIONS_TOP;
	size_t shown = table->functions.count < top ? table->functions.count : top;
	uint64_t rest_ns = table->total_ns;

	for (size_t i = 0; i < shown; i++) {
		add_function(text, &table->functions.at[i], false);
		rest_ns -= table->functions.at[i].self_ns;
	}
	add_rest(text, table->functions.count - shown, "", rest_ns, false);
}

/* The functions of one object, from the first of them; they are sorted by object. */
static void add_object(struct table_text *text, const struct function_row *object,
	const struct function_row *functions, size_t top)
{
	struct table_line head = {.object = short_object(object->object),
		.name = xstrdup(""),
		.self_ns = object->self_ns,
		.total_ns = object->total_ns,
		.has_total = true,
		.is_head = true};
	size_t shown = object->functions < top ? object->functions : top;
	uint64_t rest_ns = object->self_ns;

	if (!head.object[0]) {
		free(head.object);
		head.object = xstrdup("[no function]");
	}
	vec_push(&text->lines, head);
	for (size_t i = 0; i < shown; i++) {
		add_function(text, &functions[i], true);
		rest_ns -= functions[i].self_ns;
	}
	add_rest(text, object->functions - shown, "", rest_ns, true);
}

static void add_grouped(struct table_text *text)
{
	const struct function_table *table = text->table;
	size_t top = text->style->top ? text->style->top : FUNCTIONS_TOP_OBJECTS;
	size_t shown = table->objects.count < top ? table->objects.count : top;
	const struct function_row *functions = table->functions.at;
	uint64_t rest_ns = table->total_ns;

	for (size_t i = 0; i < shown; i++) {
		const struct function_row *object = &table->objects.at[i];
		add_object(text, object, functions, top);
		functions += object->functions;
		rest_ns -= object->self_ns;
	}
	add_rest(text, table->objects.count - shown, " object", rest_ns, false);
}

/* Heads get the sum of the lines below them. */
static void sum_heads(struct table_text *text)
{
	struct table_line *head = NULL;

	vec_each (line, &text->lines) {
		if (line->is_head)
			head = line;
		else if (line->is_below && head) {
			head->self += line->self;
			head->permille += line->permille;
		}
	}
}

static void round_lines(struct table_text *text)
{
	size_t count = text->lines.count;
	_cleanup_free_ uint64_t *values = xcalloc(count + 1, sizeof(*values));
	_cleanup_free_ uint64_t *shares = xcalloc(count + 1, sizeof(*shares));
	struct table_line *lines = text->lines.at;

	for (size_t i = 0; i < count; i++)
		values[i] = lines[i].is_head ? 0 : lines[i].self_ns;
	apportion(values, count, round_to(text->table->total_ns, text->scale.quantum_ns), shares);
	for (size_t i = 0; i < count; i++)
		lines[i].self = shares[i];
	apportion(values, count, 1000, shares);
	for (size_t i = 0; i < count; i++)
		lines[i].permille = shares[i];
	sum_heads(text);
}

/* Percent of so many thousandths. */
static void put_share(FILE *out, uint64_t permille)
{
	fprintf(out, "%5llu.%llu", (unsigned long long)(permille / 10),
		(unsigned long long)(permille % 10));
}

static uint64_t permille_of(uint64_t part, uint64_t whole)
{
	return whole ? (uint64_t)(((unsigned __int128)part * 2000 + whole) / whole / 2) : 0;
}

static void put_line(const struct table_text *text, const struct table_line *line)
{
	const struct functions_style *style = text->style;
	size_t columns = style->width - FIGURE_COLUMNS - OBJECT_COLUMNS - 4;
	_cleanup_free_ char *object = layout_cut(line->object, OBJECT_COLUMNS);
	_cleanup_free_ char *name =
		style->is_full ? xstrdup(line->name) : layout_cut(line->name, columns);
	uint64_t total = round_to(line->total_ns, text->scale.quantum_ns);
	uint64_t permille = permille_of(line->total_ns, text->table->total_ns);
	char amount[UNITS_ROOM];
	FILE *out = text->out;

	if (line->is_head && style->is_colored)
		fputs("\033[1m", out);
	fprintf(out, "%9s", scale_text(&text->scale, line->self, amount));
	put_share(out, line->permille);
	if (line->has_total) {
		/* Shares of a total can be rounded up where the total itself is rounded down. */
		total = total > line->self ? total : line->self;
		permille = permille > line->permille ? permille : line->permille;
		fprintf(out, "%9s", scale_text(&text->scale, total, amount));
		put_share(out, permille);
	} else {
		fprintf(out, "%16s", "");
	}
	fprintf(out, "  %s%*s%s%s\n", object,
		name[0] ? (int)(OBJECT_COLUMNS + 2 - text_width(object)) : 0, "", name,
		line->is_head && style->is_colored ? "\033[0m" : "");
}

static const char *time_of_view(enum view view)
{
	switch (view) {
	case VIEW_ONCPU:
		return "running time";
	case VIEW_OFFCPU:
		return "off-CPU time";
	case VIEW_RUNQ:
		return "time ready without a CPU";
	default:
		return "thread time";
	}
}

static const char *weight_of_view(enum view view)
{
	return view == VIEW_ONCPU ? "sample" : view == VIEW_HOTCOLD ? "waits and sample" : "wait";
}

/* What the figures are of. */
static void put_head(const struct table_text *text)
{
	const struct functions_style *style = text->style;
	const struct function_table *table = text->table;
	bool has_idle = style->view == VIEW_OFFCPU || style->view == VIEW_HOTCOLD;
	char amount[UNITS_ROOM], count[UNITS_ROOM];
	_cleanup_free_ char *raw = xasprintf("dwell  %s of %s in %s %s%s, %s: %s%s",
		scale_ns(&text->scale, table->total_ns, amount), time_of_view(style->view),
		units_count(table->total_count, count), weight_of_view(style->view),
		table->total_count == 1 ? "" : "s", style->target, style->file,
		has_idle && style->hides_idle ? "; idle waits are set aside (--idle show)" : "");
	_cleanup_free_ char *clean = text_clean(raw, false);

	layout_wrap(text->out, clean, style->width, 0, 7);
	if (style->profile->has_range)
		fprintf(text->out, "only: %.3f s to %.3f s\n",
			(double)style->profile->from_ns / 1e9, (double)style->profile->to_ns / 1e9);
	if (style->filter_text[0]) {
		_cleanup_free_ char *filters = text_clean(style->filter_text, false);
		_cleanup_free_ char *only = xasprintf("only: %s", filters);
		layout_wrap(text->out, only, style->width, 0, 6);
	}
}

void functions_text(
	const struct function_table *table, const struct functions_style *style, FILE *out)
{
	struct table_text text = {
		.table = table, .style = style, .scale = scale_fine(table->total_ns), .out = out};
	_cleanup_free_ char *self = xasprintf("self %s", text.scale.unit);
	_cleanup_free_ char *total = xasprintf("total %s", text.scale.unit);

	if (style->order == FUNCTIONS_BY_OBJECT)
		add_grouped(&text);
	else
		add_flat(&text);
	round_lines(&text);
	put_head(&text);
	fprintf(out, "\n%9s%7s%9s%7s  %-*sfunction\n", self, "%", total, "%", OBJECT_COLUMNS + 2,
		"object");
	vec_each (line, &text.lines) {
		put_line(&text, line);
		free(line->object);
		free(line->name);
	}
	vec_clear(&text.lines);
}
