// SPDX-License-Identifier: GPL-2.0-or-later
/* Measures as data: all that the blocks of the text say, in whole numbers. */
#include "render/report/report_json_measures.h"

#include "profile/estimate.h"
#include "util/mem.h"
#include "util/units.h"

struct writing {
	struct json *json;
	const struct summary *summary;
	size_t top;
	report_json_stack_fn put_stack;
};

/* What each sum has. */
static void put_sum(struct json *json, uint64_t count, uint64_t samples, uint64_t value)
{
	json_field_uint(json, "count", count);
	json_field_uint(json, "value", value);
	json_field_uint(json, "samples", samples);
	json_field_double(json, "relative_error", estimate_error(count, samples));
}

static void put_names(const struct writing *writing, const measured_parts *parts)
{
	struct json *json = writing->json;

	json_name(json, "names");
	json_open_array(json);
	for (size_t i = 0; i < parts->count && i < writing->top; i++) {
		const struct measured_part *part = &parts->at[i];
		_cleanup_free_ char *name = summary_root_name(writing->summary, part->node);
		json_open_object(json);
		json_field_text(json, "name", name);
		put_sum(json, part->count, part->samples, part->weight);
		json_close_object(json);
	}
	json_close_array(json);
}

static void put_stacks(const struct writing *writing, const measured_parts *parts)
{
	struct json *json = writing->json;

	json_name(json, "stacks");
	json_open_array(json);
	for (size_t i = 0; i < parts->count && i < writing->top; i++) {
		const struct measured_part *part = &parts->at[i];
		json_open_object(json);
		writing->put_stack(json, &writing->summary->tree, part->node);
		put_sum(json, part->count, part->samples, part->weight);
		json_close_object(json);
	}
	json_close_array(json);
}

/* Only of measures whose events are on something. */
static void put_things(const struct writing *writing, const measured_things *things)
{
	struct json *json = writing->json;

	if (!things->count)
		return;
	json_name(json, "things");
	json_open_array(json);
	for (size_t i = 0; i < things->count && i < writing->top; i++) {
		json_open_object(json);
		json_field_text(json, "thing", things->at[i].text);
		put_sum(json, things->at[i].count, things->at[i].samples, things->at[i].weight);
		json_close_object(json);
	}
	json_close_array(json);
}

static void put_ages(struct json *json, const struct measured *measured)
{
	json_name(json, "ages");
	json_open_array(json);
	for (unsigned int age = 0; age < MEASURED_AGES; age++) {
		json_open_object(json);
		json_field_uint(json, "from_ns", measured_age_ns(age));
		json_field_uint(json, "value", measured->by_age[age]);
		json_close_object(json);
	}
	json_close_array(json);
}

static void put_modes(struct json *json, const struct measured *measured)
{
	json_name(json, "modes");
	json_open_object(json);
	for (unsigned int mode = 0; mode < FAULT_MODES; mode++)
		json_field_uint(
			json, fault_mode_name((enum fault_mode)mode), measured->by_mode[mode]);
	json_close_object(json);
}

static void put_measure(const struct writing *writing, const struct measured *measured)
{
	const struct view_type *view = &measured->view.type;
	uint64_t ns = writing->summary->to_ns - writing->summary->from_ns;
	struct json *json = writing->json;

	json_open_object(json);
	json_field_text(json, "name", view->name);
	json_field_text(json, "kind", measure_kind_name(view->kind));
	json_field_text(json, "unit", view->unit_word);
	json_field_text(json, "event", view->counted);
	put_sum(json, measured->count, measured->samples, measured->weight);
	json_field_uint(json, "value_of_ended", measured->of_ended);
	json_field_double(json, "value_per_second",
		ns ? (double)measured->weight * NS_PER_S / (double)ns : 0);
	put_names(writing, &measured->names);
	put_stacks(writing, &measured->stacks);
	put_things(writing, &measured->things);
	if (view->kind == MEASURE_LIVE || view->kind == MEASURE_LEAKS)
		put_ages(json, measured);
	if (view->kind == MEASURE_FAULTS)
		put_modes(json, measured);
	if (view->kind == MEASURE_EVENT)
		json_field_uint(json, "in_interrupts", measured->in_interrupts);
	json_close_object(json);
}

static void put_faulted(const struct writing *writing)
{
	const struct faulted_files *files = &writing->summary->faulted;
	struct json *json = writing->json;

	if (!files->at.count)
		return;
	json_name(json, "faulted");
	json_open_array(json);
	for (size_t i = 0; i < files->at.count && i < writing->top; i++) {
		const struct faulted *file = &files->at.at[i];
		json_open_object(json);
		json_field_text(json, "file", file->text);
		json_field_uint(json, "minor", file->count[FAULTS_MINOR]);
		json_field_uint(json, "major", file->count[FAULTS_MAJOR]);
		json_field_uint(json, "faults", file->count[FAULTS_ALL]);
		json_field_uint(json, "waits", file->waits);
		json_field_uint(json, "wait_ns", file->wait_ns);
		json_close_object(json);
	}
	json_close_array(json);
}

static void put_resident(struct json *json, const resident_list *list)
{
	if (!list->count)
		return;
	json_name(json, "memory");
	json_open_array(json);
	vec_each (at, list) {
		json_open_object(json);
		json_field_uint(json, "at_ns", at->at_ns);
		json_field_uint(json, "rss", at->rss_bytes);
		json_field_uint(json, "anonymous", at->anonymous_bytes);
		json_close_object(json);
	}
	json_close_array(json);
}

void report_json_measures(struct json *json, const struct summary *summary, size_t top,
	report_json_stack_fn put_stack)
{
	struct writing writing = {json, summary, top, put_stack};

	if (summary->measures.count) {
		json_name(json, "measures");
		json_open_array(json);
		vec_each (measured, &summary->measures)
			put_measure(&writing, measured);
		json_close_array(json);
	}
	put_faulted(&writing);
	put_resident(json, &summary->resident);
}
