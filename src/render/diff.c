// SPDX-License-Identifier: GPL-2.0-or-later
/* The ranked table of a comparison: slower, faster, new, gone. */
#include "render/diff.h"

#include <math.h>
#include <string.h>

#include "render/layout.h"

#define LEFT_COLUMNS 47
#define SHARE_COLUMNS 10
/* A narrower screen has no shares. */
#define WIDE_ENOUGH 66

static bool has_share(const struct diff_text *text)
{
	return text->width >= WIDE_ENOUGH;
}

static double own(const struct diff_function *function)
{
	return function->own_after - function->own_before;
}

static double total(const struct diff_function *function)
{
	return function->total_after - function->total_before;
}

static const char *object_name(const struct diff *diff, const struct diff_function *function)
{
	const char *path =
		intern_text(&diff->tree.labels, diff->tree.frames.at[function->frame].object);
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

static const char *name_of(const struct diff *diff, const struct diff_function *function)
{
	return intern_text(&diff->tree.labels, diff->tree.frames.at[function->frame].label);
}

/* Amounts that would not fit into their columns are whole. */
static int decimals(const struct diff *diff, const struct diff_text *text)
{
	const struct diff_weight *root = &diff->weights.at[TREE_ROOT];
	double most =
		root->total_before > root->total_after ? root->total_before : root->total_after;

	return most * text->factor < 1e6 ? 3 : 0;
}

/*
 * Has the function a row? One without time of its own is a caller: the table names those to blame,
 * not all above. What is nothing in the decimals of the table would be a row of zeros.
 */
static bool has_row(
	const struct diff *diff, const struct diff_function *function, const struct diff_text *text)
{
	double change = fabs(own(function)), whole = diff->weights.at[TREE_ROOT].total_before;

	return change * text->factor >= (decimals(diff, text) ? 0.0005 : 0.5) &&
	       change >= 0.0005 * whole;
}

static void print_function(FILE *out, const struct diff *diff, const struct diff_function *function,
	const struct diff_text *text)
{
	double whole = diff->weights.at[TREE_ROOT].total_before;
	const char *object = object_name(diff, function);
	_cleanup_free_ char *name = object[0]
					    ? xasprintf("%s (%s)", name_of(diff, function), object)
					    : xstrdup(name_of(diff, function));
	size_t left = LEFT_COLUMNS - (has_share(text) ? 0 : SHARE_COLUMNS);
	size_t room = text->width > left + 10 ? text->width - left : 10;
	_cleanup_free_ char *cut = layout_cut(name, room);
	int digits = decimals(diff, text);

	fprintf(out, "  %11.*f %10.*f %+10.*f", digits, function->own_before * text->factor, digits,
		function->own_after * text->factor, digits, own(function) * text->factor);
	if (!has_share(text))
		fprintf(out, "  %s\n", cut);
	else if (whole > 0)
		fprintf(out, " %+7.1f %%  %s\n", 100 * own(function) / whole, cut);
	else
		fprintf(out, "          %s\n", cut);
}

static const char *heading_of(enum diff_change change, const struct diff_text *text)
{
	if (text->more_is_slower || (change != DIFF_SLOWER && change != DIFF_FASTER))
		return diff_change_name(change);
	return change == DIFF_SLOWER ? "more" : "less";
}

static void print_change(FILE *out, const struct diff *diff, const diff_functions *functions,
	const struct diff_text *text, enum diff_change change)
{
	size_t shown = 0, all = 0;

	for (size_t i = 0; i < functions->count; i++)
		all += functions->at[i].change == change && has_row(diff, &functions->at[i], text);
	if (!all)
		return;
	fprintf(out, "\n%-6s %6s %10s %10s%s  function\n", heading_of(change, text), "before",
		"after", "change", has_share(text) ? "  of total" : "");
	for (size_t i = 0; i < functions->count && shown < text->top; i++)
		if (functions->at[i].change == change && has_row(diff, &functions->at[i], text)) {
			print_function(out, diff, &functions->at[i], text);
			shown++;
		}
	if (all > shown)
		fprintf(out, "  %zu more\n", all - shown);
}

static bool has_changed(const diff_calls *calls)
{
	vec_each (call, calls)
		if (diff_calls_changed(call))
			return true;
	return false;
}

void diff_print(FILE *out, const struct diff *diff, const diff_functions *functions,
	const struct diff_text *text)
{
	const struct diff_weight *root = &diff->weights.at[TREE_ROOT];
	double before = root->total_before * text->factor, after = root->total_after * text->factor;
	int digits = decimals(diff, text);

	size_t room = text->width - strlen("before  ") - 14 - strlen(text->unit) - 3;
	_cleanup_free_ char *name_before = layout_cut_front(text->before, room);
	_cleanup_free_ char *name_after = layout_cut_front(text->after, room);

	fprintf(out, "before  %12.*f %s  %s\n", digits, before, text->unit, name_before);
	fprintf(out, "after   %12.*f %s  %s\n", digits, after, text->unit, name_after);
	fprintf(out, "change  %+12.*f %s", digits, after - before, text->unit);
	if (before > 0)
		fprintf(out, "  (%+.1f %%)", 100 * (after - before) / before);
	fprintf(out, "  of %s\n", text->what);
	if (!functions->count)
		fprintf(out, "\nNothing changed%s.\n",
			text->calls && has_changed(text->calls) ? " but calls" : "");
	else if (text->facts)
		diff_words_print(out, diff, functions, text);
	if (text->calls)
		diff_calls_print(out, text->calls, text->width);
	for (unsigned int change = 0; change < DIFF_CHANGES; change++)
		print_change(out, diff, functions, text, (enum diff_change)change);
}

static void function_json(
	struct json *json, const struct diff *diff, const struct diff_function *function)
{
	json_open_object(json);
	json_field_text(json, "function", name_of(diff, function));
	json_field_text(json, "object", object_name(diff, function));
	json_field_text(json, "change", diff_change_name(function->change));
	json_field_double(json, "own_before", function->own_before);
	json_field_double(json, "own_after", function->own_after);
	json_field_double(json, "own_change", own(function));
	json_field_double(json, "total_before", function->total_before);
	json_field_double(json, "total_after", function->total_after);
	json_field_double(json, "total_change", total(function));
	json_close_object(json);
}

static void facts_json(struct json *json, const struct diff_facts *facts)
{
	for (unsigned int i = 0; i < DIFF_QUESTIONS; i++) {
		json_name(json, diff_question_name((enum diff_question)i));
		json_open_array(json);
		vec_each (fact, &facts->at[i]) {
			json_open_object(json);
			json_field_text(json, "name", intern_text(&facts->names, fact->name));
			json_field_double(json, "before", fact->before);
			json_field_double(json, "after", fact->after);
			json_field_double(json, "change", fact->after - fact->before);
			json_close_object(json);
		}
		json_close_array(json);
	}
}

void diff_json(struct json *json, const struct diff *diff, const diff_functions *functions,
	const struct diff_text *text)
{
	const struct diff_weight *root = &diff->weights.at[TREE_ROOT];

	json_open_object(json);
	json_field_text(json, "before", text->before);
	json_field_text(json, "after", text->after);
	json_field_text(json, "what", text->what);
	json_field_text(json, "unit", text->unit);
	json_field_double(json, "total_before", root->total_before);
	json_field_double(json, "total_after", root->total_after);
	json_field_double(json, "worst_growth", diff_worst_growth(diff, functions));
	if (text->facts) {
		json_name(json, "by");
		json_open_object(json);
		facts_json(json, text->facts);
		json_close_object(json);
	}
	if (text->calls)
		diff_calls_json(json, text->calls);
	json_name(json, "functions");
	json_open_array(json);
	for (size_t i = 0; i < functions->count; i++)
		function_json(json, diff, &functions->at[i]);
	json_close_array(json);
	json_close_object(json);
}
