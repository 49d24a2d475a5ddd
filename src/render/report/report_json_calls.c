// SPDX-License-Identifier: GPL-2.0-or-later
/* Calls as data. Percentiles are estimates, from the bands that are here as well. */
#include "render/report/report_json_calls.h"

static void put_parts(struct json *json, uint64_t wall_ns, const uint64_t *part_ns)
{
	json_field_uint(json, "wall_ns", wall_ns);
	json_field_uint(json, "running_ns", part_ns[TIME_RUNNING]);
	json_field_uint(json, "woken_ns", part_ns[TIME_WOKEN]);
	json_field_uint(json, "preempted_ns", part_ns[TIME_PREEMPTED]);
	json_field_uint(json, "blocked_ns", part_ns[TIME_BLOCKED]);
}

static void put_total(struct json *json, const struct call_total *total)
{
	json_field_uint(json, "count", total->count);
	put_parts(json, total->wall_ns, total->part_ns);
}

static void put_lengths(struct json *json, const struct call_lengths *lengths)
{
	json_field_uint(json, "p50_ns", call_lengths_at(lengths, 500000));
	json_field_uint(json, "p90_ns", call_lengths_at(lengths, 900000));
	json_field_uint(json, "p99_ns", call_lengths_at(lengths, 990000));
	json_field_uint(json, "max_ns", lengths->max_ns);
}

static void put_bands(struct json *json, const struct call_lengths *lengths)
{
	json_name(json, "bands");
	json_open_array(json);
	for (uint32_t band = 0; band < CONTRACT_CALL_BANDS; band++) {
		if (!lengths->count[band])
			continue;
		json_open_object(json);
		json_field_uint(json, "from_ns", call_band_begin(band));
		json_field_uint(json, "count", lengths->count[band]);
		json_field_uint(json, "ns", lengths->ns[band]);
		json_close_object(json);
	}
	json_close_array(json);
}

/* Open ones are in "open_count" and in the lines, not in the figures of those that ended. */
static void put_slow(struct json *json, const struct called *called, size_t top,
	const struct report_json_forms *forms)
{
	json_name(json, "slow");
	json_open_object(json);
	json_field_text(json, "rule", called->function->rule);
	json_field_uint(json, "from_ns", called->function->slow_from_ns);
	put_total(json, &called->slow);
	json_field_uint(json, "open_count", called->open_slow.count);
	json_field_uint(json, "open_wall_ns", called->open_slow.wall_ns);
	if (called->waits)
		forms->put_lines(json, called->waits, top);
	json_close_object(json);
}

static void put_open(struct json *json, const struct summary *summary, const struct called *called,
	const struct report_json_forms *forms)
{
	json_name(json, "open");
	json_open_array(json);
	vec_each (open, &called->opened) {
		json_open_object(json);
		json_field_uint(json, "pid", open->process->pid);
		json_field_uint(json, "tid", open->thread->tid);
		json_field_text(json, "comm", open->thread->comm);
		put_parts(json, open->wall_ns, open->part_ns);
		json_field_bool(json, "is_inner", open->is_inner);
		json_field_bool(json, "is_slow", open->is_slow);
		json_field_text(json, "state", state_name(open->state));
		if (open->state == TIME_BLOCKED)
			json_field_text(json, "reason", reason_name(open->reason));
		if (open->operation)
			json_field_text(json, "operation", open->operation);
		if (open->thing)
			json_field_text(json, "awaited", open->thing);
		forms->put_stack(json, &summary->tree, open->node);
		json_close_object(json);
	}
	json_close_array(json);
}

static void put_groups(
	struct json *json, const struct summary *summary, const struct called *called, size_t top)
{
	json_name(json, "names");
	json_open_array(json);
	for (size_t i = 0; i < called->groups.count && i < top; i++) {
		const struct called_group *group = &called->groups.at[i];
		json_open_object(json);
		if (group->root != TREE_ROOT) {
			_cleanup_free_ char *name = summary_root_name(summary, group->root);
			json_field_text(json, "name", name);
		}
		put_total(json, &group->all);
		json_field_uint(json, "p50_ns", group->p50_ns);
		json_field_uint(json, "p99_ns", group->p99_ns);
		json_field_uint(json, "max_ns", group->max_ns);
		json_close_object(json);
	}
	json_close_array(json);
}

/* Of the whole recording, whatever the filters are. */
static void put_counts(struct json *json, const struct rec_function *function)
{
	json_field_uint(json, "begun_before", function->begun_before);
	json_field_uint(json, "left", function->left);
	json_field_uint(json, "died_inside", function->died_inside);
	json_field_uint(json, "too_deep", function->too_deep);
	json_field_uint(json, "unmatched", function->unmatched);
	json_field_uint(json, "in_interrupt", function->in_interrupt);
	json_field_uint(json, "jumped_on", function->jumped_on);
	json_field_uint(json, "price_ns", function->price_ns);
}

void report_json_calls(struct json *json, const struct summary *summary, size_t top,
	const struct report_json_forms *forms)
{
	if (!summary->calls.count)
		return;
	json_name(json, "calls");
	json_open_array(json);
	vec_each (called, &summary->calls) {
		json_open_object(json);
		json_field_text(json, "name", called->function->name);
		json_field_text(json, "kind", call_kind_name(called->kind));
		json_field_text(json, "place", called->function->place);
		put_total(json, &called->all);
		json_field_uint(json, "errors", called->errors);
		put_lengths(json, &called->lengths);
		put_slow(json, called, top, forms);
		json_name(json, "typical");
		json_open_object(json);
		put_total(json, &called->typical);
		json_close_object(json);
		put_open(json, summary, called, forms);
		put_counts(json, called->function);
		put_groups(json, summary, called, top);
		put_bands(json, &called->lengths);
		json_close_object(json);
	}
	json_close_array(json);
}
