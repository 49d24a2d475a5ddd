// SPDX-License-Identifier: GPL-2.0-or-later
/* The table of functions as one JSON object. */
#include "profile/estimate.h"
#include "render/report/functions.h"
#include "util/json.h"

/* Version of this form: a number that grows when a key changes its meaning or goes. */
#define FUNCTIONS_JSON_VERSION 1

static void put_weights(
	struct json *json, const struct function_row *row, const struct view_type *view)
{
	bool is_time = view->unit == UNIT_NS;

	json_field_uint(json, is_time ? "self_ns" : "self_value", row->self_weight);
	json_field_uint(json, is_time ? "total_ns" : "total_value", row->total_weight);
	json_field_uint(json, "self_count", row->self_count);
	json_field_uint(json, "total_count", row->total_count);
	if (view->id == VIEW_MEASURE) {
		json_field_uint(json, "self_samples", row->self_samples);
		json_field_uint(json, "total_samples", row->total_samples);
		json_field_double(json, "self_relative_error",
			estimate_error(row->self_count, row->self_samples));
		json_field_double(json, "total_relative_error",
			estimate_error(row->total_count, row->total_samples));
	}
	json_close_object(json);
}

static void put_function(
	struct json *json, const struct function_row *row, const struct view_type *view)
{
	json_open_object(json);
	json_field_text(json, "function", row->name);
	json_field_text(json, "object", row->object);
	json_field_bool(json, "is_kernel", row->kind == FRAME_KERNEL);
	put_weights(json, row, view);
}

static void put_object(
	struct json *json, const struct function_row *row, const struct view_type *view)
{
	json_open_object(json);
	json_field_text(json, "object", row->object);
	json_field_bool(json, "is_kernel", row->kind == FRAME_KERNEL);
	json_field_uint(json, "functions", row->functions);
	put_weights(json, row, view);
}

void functions_json(
	const struct function_table *table, const struct functions_style *style, FILE *out)
{
	size_t top = style->top ? style->top : SIZE_MAX;
	struct json json;

	json_init(&json, out);
	json_open_object(&json);
	json_field_uint(&json, "version", FUNCTIONS_JSON_VERSION);
	json_field_text(&json, "file", style->file);
	json_field_text(&json, "view", style->view->name);
	json_field_text(&json, "sort", function_order_name(style->order));
	json_field_uint(&json, "from_ns", style->profile->from_ns);
	json_field_uint(&json, "to_ns", style->profile->to_ns);
	json_field_text(&json, "filters", style->filter_text);
	json_field_bool(&json, "hides_idle", style->hides_idle);
	if (style->view->unit == UNIT_NS) {
		json_field_uint(&json, "total_ns", table->total_weight);
	} else {
		json_field_text(&json, "unit", style->view->unit_word);
		json_field_uint(&json, "total_value", table->total_weight);
	}
	json_field_uint(&json, "total_count", table->total_count);
	if (style->view->id == VIEW_MEASURE) {
		json_field_uint(&json, "total_samples", table->total_samples);
		json_field_double(&json, "relative_error",
			estimate_error(table->total_count, table->total_samples));
	}
	json_name(&json, "functions");
	json_open_array(&json);
	for (size_t i = 0; i < table->functions.count && i < top; i++)
		put_function(&json, &table->functions.at[i], style->view);
	json_close_array(&json);
	json_name(&json, "objects");
	json_open_array(&json);
	for (size_t i = 0; i < table->objects.count && i < top; i++)
		put_object(&json, &table->objects.at[i], style->view);
	json_close_array(&json);
	json_close_object(&json);
	json_end(&json);
}
