// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The table of functions as text. Lines are made first, the ones that stand for what is not listed
 * among them; self amounts and percentages are then shared out among those lines whose sum is the
 * total (functions, not the objects above them), so that they add up as printed.
 */
#include "render/report/functions.h"

#include <string.h>

#include "profile/estimate.h"
#include "profile/rounding.h"
#include "render/layout.h"
#include "util/mem.h"
#include "util/text.h"

#define OBJECT_COLUMNS 16
#define MOST_OBJECT_COLUMNS 24
#define FIGURE_COLUMNS 32
#define SHARE_COLUMNS 7
#define ERROR_COLUMNS 8
/* A narrower screen has neither objects nor shares of totals. */
#define WIDE_ENOUGH 72
#define UNIT_COLUMNS 3

struct table_line {
	char *object; /* owned */
	char *name;   /* owned */
	uint64_t self_weight;
	uint64_t total_weight;
	uint64_t error_count;   /* of what is estimated: how many events, and */
	uint64_t error_samples; /* how many of them were looked at */
	bool has_total;         /* a sum of totals would count stacks twice */
	bool is_head;           /* an object above its functions: their sum */
	bool is_below;          /* a function below its object */
	uint64_t self;          /* quanta */
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

/* Of the value that a table is sorted by, or of the only one that there is. */
static void set_error(
	const struct table_text *text, struct table_line *line, const struct function_row *row)
{
	bool is_total = text->style->order == FUNCTIONS_BY_TOTAL || !row->self_count;

	line->error_count = is_total ? row->total_count : row->self_count;
	line->error_samples = is_total ? row->total_samples : row->self_samples;
}

static void add_function(struct table_text *text, const struct function_row *row, bool is_below)
{
	struct table_line line = {.object = is_below ? xstrdup("") : short_object(row->object),
		.name = xstrdup(row->name),
		.self_weight = row->self_weight,
		.total_weight = row->total_weight,
		.has_total = true,
		.is_below = is_below};
	set_error(text, &line, row);

	vec_push(&text->lines, line);
}

static void add_rest(struct table_text *text, size_t count, const char *what, uint64_t self_weight,
	bool is_below)
{
	struct table_line line = {.object = xstrdup(""),
		.name = xasprintf("%zu more%s%s", count, what, what[0] && count != 1 ? "s" : ""),
		.self_weight = self_weight,
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
	uint64_t rest = table->total_weight;

	for (size_t i = 0; i < shown; i++) {
		add_function(text, &table->functions.at[i], false);
		rest -= table->functions.at[i].self_weight;
	}
	add_rest(text, table->functions.count - shown, "", rest, false);
}

/* The functions of one object, from the first of them; they are sorted by object. */
static void add_object(struct table_text *text, const struct function_row *object,
	const struct function_row *functions, size_t top)
{
	struct table_line head = {.object = short_object(object->object),
		.name = xstrdup(""),
		.self_weight = object->self_weight,
		.total_weight = object->total_weight,
		.has_total = true,
		.is_head = true};
	set_error(text, &head, object);
	size_t shown = object->functions < top ? object->functions : top;
	uint64_t rest = object->self_weight;

	if (!head.object[0]) {
		free(head.object);
		head.object = xstrdup("[no function]");
	}
	vec_push(&text->lines, head);
	for (size_t i = 0; i < shown; i++) {
		add_function(text, &functions[i], true);
		rest -= functions[i].self_weight;
	}
	add_rest(text, object->functions - shown, "", rest, true);
}

static void add_grouped(struct table_text *text)
{
	const struct function_table *table = text->table;
	size_t top = text->style->top ? text->style->top : FUNCTIONS_TOP_OBJECTS;
	size_t shown = table->objects.count < top ? table->objects.count : top;
	const struct function_row *functions = table->functions.at;
	uint64_t rest = table->total_weight;

	for (size_t i = 0; i < shown; i++) {
		const struct function_row *object = &table->objects.at[i];
		add_object(text, object, functions, top);
		functions += object->functions;
		rest -= object->self_weight;
	}
	add_rest(text, table->objects.count - shown, " object", rest, false);
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
		values[i] = lines[i].is_head ? 0 : lines[i].self_weight;
	apportion(values, count, round_to(text->table->total_weight, text->scale.quantum), shares);
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

static bool is_narrow(const struct functions_style *style)
{
	return style->width < WIDE_ENOUGH;
}

/* Were only some events looked at? Then each line says how sure its self value is. */
static bool has_errors(const struct table_text *text)
{
	return text->table->total_count > text->table->total_samples &&
	       text->table->total_samples && !is_narrow(text->style);
}

/* Right-aligned. */
static void put_error(const struct table_text *text, const char *error)
{
	if (has_errors(text))
		fprintf(text->out, "%*s%s", (int)(ERROR_COLUMNS - text_width(error)), "", error);
}

static size_t object_columns(const struct functions_style *style)
{
	size_t columns = OBJECT_COLUMNS + (style->width > 80 ? (style->width - 80) / 4 : 0);

	if (is_narrow(style))
		return 0;
	return columns < MOST_OBJECT_COLUMNS ? columns : MOST_OBJECT_COLUMNS;
}

/* What is left for names. */
static size_t name_columns(const struct table_text *text)
{
	const struct functions_style *style = text->style;
	size_t errors = has_errors(text) ? ERROR_COLUMNS : 0;

	return is_narrow(style)
		       ? style->width - FIGURE_COLUMNS + SHARE_COLUMNS - 2
		       : style->width - FIGURE_COLUMNS - errors - object_columns(style) - 4;
}

/* "  libc.so.6  malloc"; a head is its object alone. */
static void put_names(const struct table_text *text, const struct table_line *line)
{
	const struct functions_style *style = text->style;
	bool is_head = !line->name[0] && is_narrow(style);
	const char *whole = is_head ? line->object : line->name;
	_cleanup_free_ char *object = layout_cut(line->object, object_columns(style));
	_cleanup_free_ char *name =
		style->is_full ? xstrdup(whole) : layout_cut(whole, name_columns(text));
	size_t gap = is_narrow(style) ? 0 : object_columns(style) + 2 - text_width(object);

	fprintf(text->out, "  %s%*s%s", object, name[0] ? (int)gap : 0, "", name);
}

static void put_line(const struct table_text *text, const struct table_line *line)
{
	const struct functions_style *style = text->style;
	uint64_t total = round_to(line->total_weight, text->scale.quantum);
	uint64_t permille = permille_of(line->total_weight, text->table->total_weight);
	char amount[UNITS_ROOM], error[ESTIMATE_ROOM];
	FILE *out = text->out;

	if (line->is_head && style->is_colored)
		fputs("\033[1m", out);
	fprintf(out, "%9s", scale_text(&text->scale, line->self, amount));
	put_share(out, line->permille);
	put_error(text, estimate_text(line->error_count, line->error_samples, error));
	if (line->has_total) {
		/* Shares of a total can be rounded up where the total itself is rounded down. */
		total = total > line->self ? total : line->self;
		permille = permille > line->permille ? permille : line->permille;
		fprintf(out, "%9s", scale_text(&text->scale, total, amount));
		if (!is_narrow(style))
			put_share(out, permille);
	} else {
		fprintf(out, "%*s", is_narrow(style) ? 9 : 9 + SHARE_COLUMNS, "");
	}
	put_names(text, line);
	fputs(line->is_head && style->is_colored ? "\033[0m\n" : "\n", out);
}

/* "12.300 s of off-CPU time in "; "" if weights are how many there were. The caller frees it. */
static char *weight_text(const struct table_text *text)
{
	const struct view_type *view = text->style->view;
	uint64_t quanta = round_to(text->table->total_weight, text->scale.quantum);
	char amount[UNITS_ROOM];

	if (view->unit == UNIT_COUNT)
		return xstrdup("");
	scale_text(&text->scale, quanta, amount);
	/* What they are is said of their number. */
	if (view->id == VIEW_MEASURE)
		return xasprintf("%s %s in ", amount, text->scale.unit);
	return xasprintf("%s %s of %s in ", amount, text->scale.unit, view->weight);
}

/* "2,050 waits". The caller frees it. */
static char *count_text(const struct table_text *text)
{
	const struct view_type *view = text->style->view;
	uint64_t number =
		view->unit == UNIT_COUNT ? text->table->total_weight : text->table->total_count;
	char count[UNITS_ROOM], error[ESTIMATE_ROOM];

	units_count(number, count);
	return xasprintf("%s %s%s", count, number == 1 ? view->counted : view->counts,
		estimate_text(text->table->total_count, text->table->total_samples, error));
}

static void put_only(const struct table_text *text)
{
	const struct functions_style *style = text->style;
	const struct profile *profile = style->profile;
	_cleanup_free_ char *filters = text_clean(style->filter_text, false);
	_cleanup_free_ char *what =
		layout_only(profile->has_range, profile->from_ns, profile->to_ns, filters);
	_cleanup_free_ char *only = xasprintf("only: %s", what);

	if (what[0])
		layout_wrap(text->out, only, style->width, 0, 6);
}

/* What the figures are of. */
static void put_head(const struct table_text *text)
{
	const struct functions_style *style = text->style;
	bool has_aside = style->view->has_idle && style->hides_idle;
	_cleanup_free_ char *weight = weight_text(text);
	_cleanup_free_ char *count = count_text(text);
	_cleanup_free_ char *file = layout_cut_front(style->file, style->width - 8);
	_cleanup_free_ char *raw = xasprintf("dwell  %s%s, %s: %s%s", weight, count, style->target,
		file, has_aside ? "; idle waits are set aside (--idle show)" : "");
	_cleanup_free_ char *clean = text_clean(raw, false);

	layout_wrap(text->out, clean, style->width, 0, 7);
	put_only(text);
}

/* "self s"; a word too long for the column is in the head alone. The caller frees it. */
static char *column_name(const char *column, const struct scale *scale)
{
	return xasprintf(
		"%s %s", column, text_width(scale->unit) > UNIT_COLUMNS ? "" : scale->unit);
}

void functions_text(
	const struct function_table *table, const struct functions_style *style, FILE *out)
{
	const struct view_type *view = style->view;
	struct table_text text = {.table = table,
		.style = style,
		.scale = scale_of_unit(view->unit, view->unit_word, table->total_weight),
		.out = out};
	_cleanup_free_ char *self = column_name("self", &text.scale);
	_cleanup_free_ char *total = column_name("total", &text.scale);

	if (style->order == FUNCTIONS_BY_OBJECT)
		add_grouped(&text);
	else
		add_flat(&text);
	round_lines(&text);
	put_head(&text);
	if (is_narrow(style))
		fprintf(out, "\n%9s%7s %8s  function\n", self, "%", total);
	else
		fprintf(out, "\n%9s%7s%*s%s %8s%7s  %-*sfunction\n", self, "%",
			has_errors(&text) ? ERROR_COLUMNS - 1 : 0, "",
			has_errors(&text) ? "\u00b1" : "", total, "%",
			(int)object_columns(style) + 2, "object");
	vec_each (line, &text.lines) {
		put_line(&text, line);
		free(line->object);
		free(line->name);
	}
	vec_clear(&text.lines);
}
