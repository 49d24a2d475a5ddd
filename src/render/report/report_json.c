// SPDX-License-Identifier: GPL-2.0-or-later
/* The summary as one JSON object. Names are raw here: escaping is JSON's. */
#include "render/report/report_json.h"

#include "render/report/report_causes.h"
#include "render/report/report_json_calls.h"
#include "render/report/report_json_measures.h"
#include "render/report/report_json_recording.h"
#include "render/report/report_json_things.h"
#include "render/report/report_queue.h"
#include "util/json.h"

/* Version of this form: a number that grows when a key changes its meaning or goes. */
#define REPORT_JSON_VERSION 1

static void put_states(struct json *json, const uint64_t total_ns[static TIME_STATES])
{
	json_field_uint(json, "running_ns", total_ns[TIME_RUNNING]);
	json_field_uint(json, "runnable_ns", total_ns[TIME_WOKEN] + total_ns[TIME_PREEMPTED]);
	json_field_uint(json, "blocked_ns", total_ns[TIME_BLOCKED]);
	json_field_uint(json, "woken_ns", total_ns[TIME_WOKEN]);
	json_field_uint(json, "preempted_ns", total_ns[TIME_PREEMPTED]);
}

static void put_reasons(struct json *json, const uint64_t reason_ns[static REASONS])
{
	json_open_object(json);
	for (unsigned int i = 0; i < REASONS; i++)
		if (reason_ns[i])
			json_field_uint(json, reason_name((enum reason)i), reason_ns[i]);
	json_close_object(json);
}

static void put_totals(struct json *json, const struct summary *summary)
{
	json_name(json, "totals");
	json_open_object(json);
	json_field_uint(json, "threads", summary->threads.count);
	json_field_uint(json, "processes", summary->process_count);
	json_field_uint(json, "life_ns", summary->life_ns);
	put_states(json, summary->total_ns);
	json_name(json, "idle_ns");
	json_open_object(json);
	for (unsigned int i = IDLE_NOT + 1; i < IDLE_KINDS; i++)
		json_field_uint(json, idle_kind_name((enum idle_kind)i), summary->idle_ns[i]);
	json_close_object(json);
	json_name(json, "blocked_by_reason_ns");
	put_reasons(json, summary->reason_ns);
	json_name(json, "blocked_as_called_ns");
	put_reasons(json, summary->called_ns);
	json_close_object(json);
}

static void put_threads(struct json *json, const struct summary *summary)
{
	json_name(json, "threads");
	json_open_array(json);
	for (size_t i = 0; i < summary->threads.count; i++) {
		const struct summary_thread *thread = &summary->threads.at[i];
		json_open_object(json);
		json_field_uint(json, "pid", thread->process->pid);
		json_field_uint(json, "tid", thread->thread->tid);
		json_field_text(json, "comm", thread->thread->comm);
		json_field_text(json, "process", thread->process->name);
		json_field_text(json, "exe", thread->process->exe);
		json_field_text(json, "container", thread->process->container);
		json_field_bool(json, "is_kernel", thread->thread->is_kernel);
		json_field_uint(json, "start_ns", thread->thread->start_ns);
		json_field_uint(json, "end_ns", thread->thread->end_ns);
		json_field_uint(json, "life_ns", thread->life_ns);
		put_states(json, thread->total_ns);
		json_field_uint(json, "idle_ns", thread->idle_ns);
		json_close_object(json);
	}
	json_close_array(json);
}

/* What a process computed in, where there are samples enough to tell. */
static void put_computed(struct json *json, const struct computed *computed)
{
	if (!computed)
		return;
	json_field_uint(json, "samples", computed->samples);
	json_name(json, "computed_in");
	json_open_array(json);
	for (size_t i = 0; i < COMPUTED_FUNCTIONS && computed->functions[i].name; i++) {
		json_open_object(json);
		if (computed_has_name(&computed->functions[i]))
			json_field_text(json, "function", computed->functions[i].name);
		json_field_uint(json, "samples", computed->functions[i].samples);
		json_close_object(json);
	}
	json_close_array(json);
}

static void put_groups(struct json *json, const struct summary *summary, size_t top)
{
	json_name(json, "processes");
	json_open_array(json);
	for (size_t i = 0; i < summary->groups.count && i < top; i++) {
		const struct summary_group *group = &summary->groups.at[i];
		_cleanup_free_ char *name = summary_root_name(summary, group->root);
		json_open_object(json);
		json_field_text(json, "name", name);
		json_field_uint(json, "threads", group->threads);
		json_field_uint(json, "life_ns", group->life_ns);
		put_states(json, group->total_ns);
		json_field_uint(json, "idle_ns", group->idle_ns);
		json_name(json, "blocked_by_reason_ns");
		put_reasons(json, group->reason_ns);
		json_name(json, "blocked_as_called_ns");
		put_reasons(json, group->called_ns);
		put_computed(json, computed_by_group(&summary->computing, group->root));
		json_close_object(json);
	}
	json_close_array(json);
}

static void put_bands(struct json *json, const char *name, const uint64_t *values)
{
	json_name(json, name);
	json_open_array(json);
	for (unsigned int band = 0; band < CONTRACT_BANDS; band++)
		json_uint(json, values[band]);
	json_close_array(json);
}

/* Frames below the names, root first. */
static void put_stack(struct json *json, const struct tree *tree, uint32_t node)
{
	VEC(uint32_t) path = {0};

	for (; node != TREE_ROOT && tree->nodes.at[node].kind != FRAME_NAME;
		node = tree->nodes.at[node].parent)
		vec_push(&path, node);
	json_name(json, "stack");
	json_open_array(json);
	for (size_t i = path.count; i-- > 0;)
		json_text(json, tree_label(tree, path.at[i]));
	json_close_array(json);
	vec_clear(&path);
}

static void put_wait(
	struct json *json, const struct summary *summary, const struct summary_wait *wait)
{
	_cleanup_free_ char *name = summary_root_name(summary, wait->root);
	const char letter[2] = {wait->task_letter ? wait->task_letter : '?', 0};
	bool is_blocked = wait->state == TIME_BLOCKED;

	json_open_object(json);
	json_field_text(json, "name", name);
	if (is_blocked)
		json_field_text(json, "reason", reason_name(wait->reason));
	json_field_text(json, "state", is_blocked ? letter : state_name(wait->state));
	if (wait->operation)
		json_field_text(json, "operation", wait->operation);
	if (wait->thing != REC_NONE)
		json_field_text(json, "awaited", summary->things.at.at[wait->thing].text);
	if (is_blocked) {
		json_field_bool(json, "is_idle", wait->idle != IDLE_NOT);
		json_field_text(json, "idle", idle_kind_name(wait->idle));
	}
	json_field_uint(json, "count", wait->count);
	json_field_uint(json, "unended", wait->unended);
	json_field_uint(json, "total_ns", wait->total_ns);
	json_field_uint(json, "max_ns", wait->max_ns);
	put_bands(json, "bands", wait->band_count);
	put_bands(json, "bands_ns", wait->band_ns);
	put_stack(json, &summary->tree, wait->node);
	json_close_object(json);
}

/* Blocked time, or runnable time. */
static void put_waits(struct json *json, const char *name, const struct summary *summary,
	bool is_runnable, const struct report_json_options *options)
{
	size_t most = options->top ? options->top : SIZE_MAX;

	json_name(json, name);
	json_open_array(json);
	for (size_t i = 0, shown = 0; i < summary->waits.count && shown < most; i++) {
		const struct summary_wait *wait = &summary->waits.at[i];
		if (state_is_runnable(wait->state) != is_runnable ||
			(wait->is_aside && options->hides_idle))
			continue;
		put_wait(json, summary, wait);
		shown++;
	}
	json_close_array(json);
}

static void put_hop(struct json *json, const struct summary *summary, const struct cause_hop *hop,
	const struct rec_share *share)
{
	const struct words *words = summary->words;

	json_open_object(json);
	json_field_text(json, "kind", words_text(words, WORD_HOP_KIND, hop->kind));
	json_field_text(json, "name", hop->name);
	if (hop->has_waited) {
		json_field_text(json, "woke_from", reason_name(hop->reason));
		if (hop->operation)
			json_field_text(json, "woke_in", hop->operation);
		if (hop->thing != REC_NONE)
			json_field_text(json, "woke_for", summary->things.at.at[hop->thing].text);
	}
	json_field_uint(json, "ran_ns", share->ran_ns);
	json_field_uint(json, "no_cpu_ns", share->no_cpu_ns);
	json_field_uint(json, "earlier_ns", share->earlier_ns);
	json_close_object(json);
}

static void put_chains(struct json *json, const struct summary *summary, size_t line)
{
	const struct causes *causes = &summary->causes;
	size_t count;
	const struct cause_chain *chains = causes_of(causes, (uint32_t)line, &count);

	json_name(json, "chains");
	json_open_array(json);
	for (size_t i = 0; i < count; i++) {
		const struct rec_share *shares = causes->shares.at + chains[i].first_share;
		json_open_object(json);
		json_field_uint(json, "total_ns", chains[i].total_ns);
		json_field_uint(json, "count", chains[i].count);
		json_field_text(
			json, "end", words_text(summary->words, WORD_CHAIN_END, chains[i].end));
		json_field_uint(json, "rest_ns", shares[chains[i].hop_count].ran_ns);
		json_name(json, "hops");
		json_open_array(json);
		for (uint32_t hop = 0; hop < chains[i].hop_count; hop++)
			put_hop(json, summary, &causes->hops.at[chains[i].first_hop + hop],
				&shares[hop]);
		json_close_array(json);
		json_close_object(json);
	}
	json_close_array(json);
}

/* What the text report lists and numbers, with causes where they were recorded. */
static void put_lines(struct json *json, const struct summary *summary, size_t top)
{
	json_name(json, "lines");
	json_open_array(json);
	for (size_t i = 0; i < summary->lines.count && i < top; i++) {
		const struct summary_line *line = &summary->lines.at[i];
		_cleanup_free_ char *name = summary_root_name(summary, line->root);
		struct explanation explanation;
		json_open_object(json);
		json_field_uint(json, "number", i + 1);
		json_field_text(json, "name", name);
		json_field_text(
			json, "reason", line->is_runnable ? "no CPU" : reason_name(line->reason));
		if (line->operation)
			json_field_text(json, "operation", line->operation);
		if (line->known.name)
			json_field_text(json, "known", line->known.name);
		if (line->spot)
			json_field_text(json, "called_from", line->spot);
		if (line->is_rest)
			json_field_bool(json, "is_rest", true);
		json_field_uint(json, "count", line->count);
		json_field_uint(json, "total_ns", line->total_ns);
		json_field_uint(json, "max_ns", line->max_ns);
		things_json(json, summary, i);
		if (line->is_runnable)
			queue_json(json, summary, i);
		if (summary->has_chains && !line->is_runnable) {
			explain_line(summary, i, &explanation);
			cause_json(json, &explanation, name);
			explanation_clear(&explanation);
			put_chains(json, summary, i);
		}
		json_close_object(json);
	}
	json_close_array(json);
}

/* All blocked time that is not set aside, as if it were one wait. */
static void put_causes(struct json *json, const struct summary *summary)
{
	struct explanation explanation;

	json_name(json, "blocked");
	json_open_object(json);
	json_field_bool(json, "has_chains", summary->has_chains);
	if (summary->has_chains) {
		explain_all(summary, &explanation);
		json_field_uint(json, "total_ns", explanation.total_ns);
		cause_json(json, &explanation, "");
		explanation_clear(&explanation);
	}
	json_close_object(json);
}

static void put_band_borders(struct json *json)
{
	uint64_t borders[CONTRACT_BANDS];

	for (unsigned int band = 0; band < CONTRACT_BANDS; band++)
		borders[band] = band_start_ns(band);
	put_bands(json, "band_start_ns", borders);
}

void report_json(
	const struct summary *summary, const struct report_json_options *options, FILE *out)
{
	struct json json;

	json_init(&json, out);
	json_open_object(&json);
	json_field_uint(&json, "version", REPORT_JSON_VERSION);
	json_field_uint(&json, "window_ns", summary->to_ns - summary->from_ns);
	json_field_uint(&json, "from_ns", summary->from_ns);
	json_field_uint(&json, "to_ns", summary->to_ns);
	json_field_text(&json, "filters", summary->filter_text);
	report_json_recording(&json, summary, options->file);
	put_totals(&json, summary);
	put_band_borders(&json);
	put_threads(&json, summary);
	put_groups(&json, summary, options->top ? options->top : SIZE_MAX);
	put_causes(&json, summary);
	deadlocks_json(&json, summary);
	put_lines(&json, summary, options->top ? options->top : SIZE_MAX);
	put_waits(&json, "waits", summary, false, options);
	put_waits(&json, "runq", summary, true, options);
	report_json_measures(&json, summary, options->top ? options->top : SIZE_MAX, put_stack);
	report_json_calls(&json, summary, options->top ? options->top : SIZE_MAX,
		&(struct report_json_forms){put_lines, put_stack});
	if (summary->hidden_calls)
		json_field_uint(&json, "hidden_calls", summary->hidden_calls);
	if (summary->hidden_measures)
		json_field_uint(&json, "hidden_measures", summary->hidden_measures);
	json_close_object(&json);
	json_end(&json);
}
