// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The facts of the page: all that its data says in JSON beside the tables of numbers. What was
 * recorded, views, words, threads, labels, and the report's lines with their sentences.
 */
#include "model/words.h"
#include "profile/view_types.h"
#include "render/page/page_parts.h"
#include "render/report/report_what.h"
#include "util/units.h"

/* Lines of the report that are explained. */
#define MOST_SENTENCES 200

static void put_name(struct json *json, const struct page *page, const char *name, const char *text)
{
	_cleanup_free_ char *clean = page_text(text, page->options->is_redacted);

	json_field_text(json, name, clean);
}

static void put_recording(struct json *json, const struct page *page)
{
	const struct rec_meta *meta = page->summary->meta;
	bool is_redacted = page->options->is_redacted;

	json_name(json, "recording");
	json_open_object(json);
	put_name(json, page, "file", is_redacted ? "" : page->options->file);
	put_name(json, page, "made_by", is_redacted ? "" : page->options->command);
	put_name(json, page, "command_line", is_redacted ? "" : meta->command_line);
	put_name(json, page, "target", is_redacted ? "" : meta->target);
	put_name(json, page, "host", is_redacted ? "" : meta->host);
	put_name(json, page, "kernel", meta->kernel_release);
	put_name(json, page, "dwell_version", meta->dwell_version);
	put_name(json, page, "sample_event", meta->sample_event);
	put_name(json, page, "user_stacks", meta->user_stacks);
	json_field_uint(json, "cpus", meta->cpus);
	json_field_uint(json, "start_unix_ms", meta->start_unix_ns / NS_PER_MS);
	json_field_uint(json, "sample_hz", meta->sample_hz);
	json_field_uint(json, "slice_ns", meta->slice_ns);
	json_field_bool(json, "is_finished", meta->is_finished);
	json_field_bool(json, "is_redacted", is_redacted);
	json_field_double(json, "complete_user_stacks", page->summary->completeness.by_time);
	json_field_double(json, "cost_us_per_switch",
		meta->switches ? (double)meta->program_ns / (double)meta->switches / 1e3 : 0);
	json_field_double(json, "cost_share_of_one_cpu",
		meta->window_ns ? rec_meta_cost_ns(meta) / (double)meta->window_ns : 0);
	json_close_object(json);
}

static void put_folds(struct json *json, const struct cube_table *table)
{
	json_field_uint(json, "keys", table->folded_keys);
	json_field_uint(json, "keys_weight", table->folded_keys_weight);
	json_field_uint(json, "cells", table->folded_cells);
	json_field_uint(json, "cells_weight", table->folded_cells_weight);
}

/* What all views have, in an object that is open; texts of a measure come from the recording. */
static void put_view(struct json *json, const struct page *page, const struct view_type *type)
{
	put_name(json, page, "name", type->name);
	put_name(json, page, "title", type->label);
	put_name(json, page, "about", type->about);
	put_name(json, page, "weight", type->weight);
	put_name(json, page, "counted", type->counted);
	put_name(json, page, "counts", type->counts);
	json_field_text(json, "unit", unit_name(type->unit));
	put_name(json, page, "unit_word", type->unit_word);
	json_field_bool(json, "needs_chains", type->needs_chains);
	json_field_bool(json, "has_reasons", type->has_reasons);
	json_name(json, "marks");
	json_open_array(json);
	for (unsigned int state = 0; state <= TIME_SAMPLE; state++)
		json_text(json, type->marks[state] ? type->marks[state] : "");
	json_close_array(json);
}

/* The list of views, those of measures at its end: the page has none of its own. */
static void put_views(struct json *json, const struct page *page)
{
	const struct cube *cube = page->cube;

	json_name(json, "views");
	json_open_array(json);
	for (unsigned int i = 0; i < VIEWS; i++) {
		json_open_object(json);
		put_view(json, page, view_type((enum view)i));
		json_field_uint(json, "states", view_type((enum view)i)->states);
		json_close_object(json);
	}
	for (size_t i = 0; i < cube->measures.count; i++) {
		json_open_object(json);
		put_view(json, page, &cube->measures.at[i].view.type);
		json_field_uint(json, "measure", i + 1);
		json_name(json, "folded");
		json_open_object(json);
		put_folds(json, &cube->measures.at[i].events);
		json_close_object(json);
		json_field_text(
			json, "kind", measure_kind_name(cube->measures.at[i].view.type.kind));
		json_close_object(json);
	}
	json_close_array(json);
}

/* Resident memory at the end of each bucket; null: not known. */
static void put_memory(struct json *json, const struct page *page)
{
	const struct cube *cube = page->cube;
	const resident_list *list = &page->summary->resident;
	size_t next = 0;

	if (!list->count)
		return;
	json_name(json, "memory");
	json_open_array(json);
	for (uint32_t bucket = 0; bucket < cube->buckets; bucket++) {
		uint64_t end_ns = cube->from_ns + (bucket + 1) * cube->bucket_ns;
		const struct resident *last = NULL;
		for (; next < list->count && list->at[next].at_ns <= end_ns; next++)
			last = &list->at[next];
		if (last)
			json_uint(json, last->rss_bytes);
		else
			json_null(json);
	}
	json_close_array(json);
}

static void put_words(struct json *json, const struct page *page)
{
	const struct words *words = page->summary->words;

	json_name(json, "states");
	json_open_array(json);
	for (unsigned int i = 0; i <= TIME_SAMPLE; i++)
		json_text(json, state_name((enum time_state)i));
	json_close_array(json);
	json_name(json, "reasons");
	json_open_array(json);
	for (unsigned int i = 0; i < REASONS; i++) {
		const char letter[2] = {reason_letter((enum reason)i), 0};
		json_open_array(json);
		json_text(json, reason_name((enum reason)i));
		json_text(json, letter);
		json_close_array(json);
	}
	json_close_array(json);
	json_name(json, "bands");
	json_open_array(json);
	for (unsigned int i = 0; i < page->cube->bands; i++)
		json_text(json, words_text(words, WORD_BAND, i));
	json_close_array(json);
	json_name(json, "hop_kinds");
	json_open_array(json);
	for (unsigned int i = 0; i < words_count(words, WORD_HOP_KIND); i++) {
		json_open_array(json);
		json_text(json, words_text(words, WORD_HOP_KIND, i));
		json_bool(json, hop_kind_is_metal((enum hop_kind)i));
		/* Not in this dwell's words: its wakers are called by it. */
		if (!words_is_own(WORD_HOP_KIND, i))
			json_bool(json, true);
		json_close_array(json);
	}
	json_close_array(json);
	json_name(json, "chain_ends");
	json_open_array(json);
	for (unsigned int i = 0; i < words_count(words, WORD_CHAIN_END); i++) {
		const char *frame = words_frame(words, WORD_CHAIN_END, i);
		json_open_array(json);
		json_text(json, words_text(words, WORD_CHAIN_END, i));
		json_text(json, frame ? frame : "");
		json_bool(json, chain_end_has_rest((enum chain_end)i));
		json_text(json, words_plain_end(words, (enum chain_end)i));
		json_close_array(json);
	}
	json_close_array(json);
	json_name(json, "idles");
	json_open_array(json);
	for (unsigned int i = 0; i < IDLE_KINDS; i++)
		json_text(json, idle_kind_name((enum idle_kind)i));
	json_close_array(json);
}

static void put_threads(struct json *json, const struct page *page)
{
	bool is_redacted = page->options->is_redacted;

	json_name(json, "threads");
	json_open_array(json);
	vec_each (thread, &page->cube->threads) {
		json_open_object(json);
		put_name(json, page, "comm", thread->comm);
		put_name(json, page, "process", thread->process->name);
		if (thread->process->container[0] && !is_redacted)
			put_name(json, page, "container", thread->process->container);
		if (thread->process->exe[0] && !is_redacted)
			put_name(json, page, "exe", thread->process->exe);
		if (thread->tid) {
			json_field_uint(json, "pid", thread->process->pid);
			json_field_uint(json, "tid", thread->tid);
		} else {
			json_field_uint(json, "threads", thread->threads);
		}
		json_field_uint(json, "life_s", thread->life_ns / NS_PER_S);
		json_field_uint(json, "life_ns", thread->life_ns % NS_PER_S);
		if (thread->is_kernel)
			json_field_bool(json, "is_kernel", true);
		json_close_object(json);
	}
	json_close_array(json);
}

static void put_labels(struct json *json, const struct page *page)
{
	const struct intern *labels = &page->cube->tree.labels;

	json_name(json, "labels");
	json_open_array(json);
	for (size_t i = 0; i < labels->texts.count; i++) {
		_cleanup_free_ char *clean =
			page_text(intern_text(labels, (uint32_t)i), page->options->is_redacted);
		json_text(json, clean);
	}
	json_close_array(json);
}

/* The report's lines, which kinds refer to by number, and what each was for in its words. */
static void put_lines(struct json *json, const struct page *page)
{
	const struct summary *summary = page->summary;

	json_name(json, "lines");
	json_open_array(json);
	for (size_t i = 0; i < summary->lines.count; i++) {
		const struct summary_line *line = &summary->lines.at[i];
		_cleanup_free_ char *sentence =
			i < MOST_SENTENCES ? page_sentence(page, i) : xstrdup("");
		_cleanup_free_ char *name = summary_root_name(summary, line->root);
		json_open_object(json);
		put_name(json, page, "name", name);
		json_field_text(
			json, "reason", line->is_runnable ? "no CPU" : reason_name(line->reason));
		put_name(json, page, "operation", line->operation ? line->operation : "");
		if (line->known.name)
			json_field_text(json, "known", line->known.name);
		if (line->spot)
			put_name(json, page, "spot", line->spot);
		if (line->is_rest)
			json_field_bool(json, "is_rest", true);
		put_name(json, page, "text", sentence);
		json_close_object(json);
	}
	json_close_array(json);
}

/* By line, what the page needs to say of a part what the report says of the whole. */
static void put_phrases(struct json *json, const struct page *page)
{
	json_name(json, "phrases");
	json_open_array(json);
	vec_each (line, &page->summary->lines) {
		_cleanup_free_ char *what = line->is_runnable ? NULL : report_what_alone(line);
		json_open_object(json);
		if (what)
			put_name(json, page, "what", what);
		if (line_is_held(line))
			json_field_bool(json, "is_held", true);
		if (line_is_for_an_end(line))
			json_field_bool(json, "is_for_end", true);
		json_close_object(json);
	}
	json_close_array(json);
}

static void put_start(struct json *json, const struct page_options *options)
{
	static const char *const idles[] = {
		[IDLE_SHOW] = "show", [IDLE_HIDE] = "hide", [IDLE_ONLY] = "only"};

	json_name(json, "start");
	json_open_object(json);
	json_field_text(json, "by", options->by);
	json_field_text(json, "idle", idles[options->idle]);
	json_close_object(json);
}

void page_facts(struct json *json, const struct page *page)
{
	const struct cube *cube = page->cube;

	put_recording(json, page);
	json_field_uint(json, "from_ns", cube->from_ns);
	json_field_uint(json, "to_ns", cube->to_ns);
	json_field_uint(json, "buckets", cube->buckets);
	json_field_uint(json, "bucket_ns", cube->bucket_ns);
	put_start(json, page->options);
	put_views(json, page);
	put_memory(json, page);
	put_words(json, page);
	json_name(json, "folded");
	json_open_object(json);
	json_field_uint(json, "threads", cube->folded_threads);
	if (cube->folded_things)
		json_field_uint(json, "things", cube->folded_things);
	put_folds(json, &cube->time);
	json_close_object(json);
	put_lines(json, page);
	put_phrases(json, page);
	json_field_bool(json, "has_chains", cube->has_chains);
	page_things(json, page);
	put_threads(json, page);
	put_labels(json, page);
}
