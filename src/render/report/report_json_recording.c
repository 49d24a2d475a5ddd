// SPDX-License-Identifier: GPL-2.0-or-later
/* How it was recorded, what was lost, and what that cost, as JSON. */
#include "render/report/report_json_recording.h"

#include "render/report/report_budget.h"

static void put_recording(struct json *json, const struct rec_meta *meta, const char *file)
{
	json_name(json, "recording");
	json_open_object(json);
	json_field_text(json, "file", file);
	json_field_text(json, "dwell_version", meta->dwell_version);
	json_field_text(json, "host", meta->host);
	json_field_text(json, "kernel", meta->kernel_release);
	json_field_text(json, "target", meta->target);
	json_field_text(json, "command_line", meta->command_line);
	json_field_uint(json, "cpus", meta->cpus);
	json_field_uint(json, "start_unix_ns", meta->start_unix_ns);
	json_field_uint(json, "window_ns", meta->window_ns);
	json_field_uint(json, "slice_ns", meta->slice_ns);
	json_field_uint(json, "sample_hz", meta->sample_hz);
	json_field_text(json, "sample_event", meta->sample_event);
	json_field_text(json, "user_stacks", meta->user_stacks);
	json_field_uint(json, "chain_depth", meta->chain_depth);
	json_field_bool(json, "is_finished", meta->is_finished);
	json_close_object(json);
}

static void put_accounting(struct json *json, const struct summary *summary)
{
	const struct conservation *accounting = &summary->conservation;
	const struct completeness *whole = &summary->completeness;

	json_name(json, "accounting");
	json_open_object(json);
	/* Only whole threads can be accounted for. */
	if (!summary->slow) {
		json_field_uint(json, "expected_ns", accounting->expected_ns);
		json_field_uint(json, "accounted_ns", accounting->accounted_ns);
		json_field_uint(json, "unsliced_ns", accounting->unsliced_ns);
		json_field_uint(json, "worst_thread_ns", accounting->worst_thread_ns);
		json_field_uint(json, "worst_slice_ns", accounting->worst_slice_ns);
	}
	json_field_uint(json, "lost_events", summary->lost_events);
	json_name(json, "complete_user_stacks");
	json_open_object(json);
	json_field_double(json, "by_time", whole->by_time);
	json_field_double(json, "by_count", whole->by_count);
	json_close_object(json);
	json_name(json, "user_stacks_by_end");
	json_open_array(json);
	for (unsigned int end = 0; end < UNWIND_ROOM; end++) {
		if (!(whole->ends_by_time[end] > 0))
			continue;
		json_open_object(json);
		json_field_text(json, "end", words_text(summary->words, WORD_UNWIND_END, end));
		json_field_double(json, "by_time", whole->ends_by_time[end]);
		json_close_object(json);
	}
	json_close_array(json);
	json_name(json, "incomplete_user_stacks");
	json_open_array(json);
	vec_each (part, &whole->incomplete) {
		json_open_object(json);
		json_field_text(json, "process", part->process);
		json_field_text(
			json, "end", words_text(summary->words, WORD_UNWIND_END, part->end));
		json_field_double(json, "by_time", part->by_time);
		json_field_double(json, "by_count", part->by_count);
		json_close_object(json);
	}
	json_close_array(json);
	json_name(json, "runtimes");
	json_open_array(json);
	vec_each (runtime, &summary->runtimes) {
		_cleanup_free_ char *text = runtime_text(runtime);
		_cleanup_free_ char *memory = runtime_memory_text(runtime);
		json_open_object(json);
		json_field_text(json, "process", runtime->process);
		json_field_uint(json, "pid", runtime->pid);
		json_field_text(json, "note", text);
		json_field_text(json, "own_memory", memory);
		json_close_object(json);
	}
	json_close_array(json);
	json_name(json, "losses");
	json_open_array(json);
	for (size_t i = 0; i < summary->loss_count; i++) {
		const struct rec_loss *loss = &summary->losses[i];
		json_open_object(json);
		json_field_text(json, "loss", loss->name);
		json_field_text(json, "text", loss_words(loss->loss, loss->name, 2));
		json_field_bool(json, "is_serious", loss_is_serious(loss->loss));
		json_field_uint(json, "count", loss->count);
		json_field_uint(json, "ns", loss->ns);
		json_close_object(json);
	}
	json_close_array(json);
	json_close_object(json);
}

/* How the stacks of switches and wakes were had. */
static void put_stacks(struct json *json, const struct rec_meta *meta)
{
	json_name(json, "stacks");
	json_open_object(json);
	json_field_uint(json, "kernel_known", meta->kernel_stacks_known);
	json_field_uint(json, "kernel_walked", meta->kernel_stacks_walked);
	json_field_uint(json, "kernel_audited", meta->kernel_stacks_audited);
	json_field_uint(json, "user_known", meta->user_stacks_known);
	json_field_uint(json, "user_walked", meta->user_stacks_walked);
	json_field_uint(json, "user_audited", meta->user_stacks_audited);
	json_close_object(json);
}

static void put_budget(struct json *json, const struct rec_meta *meta)
{
	json_name(json, "budget");
	json_open_object(json);
	json_field_double(json, "share", meta->budget_ppm / 1e6);
	json_field_double(json, "cost_share", rec_meta_cost_share(meta));
	json_field_uint(json, "thinned", meta->thinned);
	json_field_uint(json, "chosen", meta->chosen);
	json_field_uint(json, "bursts", meta->bursts);
	json_field_double(json, "error_of_a_tenth", report_budget_error(meta));
	json_close_object(json);
}

static void put_cost(struct json *json, const struct rec_meta *meta)
{
	double cost_ns = rec_meta_cost_ns(meta);

	json_name(json, "cost");
	json_open_object(json);
	json_field_uint(json, "own_cpu_ns", meta->own_cpu_ns);
	json_field_uint(json, "program_ns", meta->program_ns);
	if (meta->events) {
		json_field_uint(json, "events", meta->events);
		json_field_uint(json, "event_ns", meta->event_ns);
	}
	json_field_uint(json, "switches", meta->switches);
	json_field_uint(json, "wakes", meta->wakes);
	json_field_uint(json, "samples", meta->samples);
	json_field_uint(json, "table_bytes", meta->table_bytes);
	json_field_uint(json, "own_memory_bytes", meta->own_memory_bytes);
	if (meta->kernel_stacks_known + meta->kernel_stacks_walked)
		put_stacks(json, meta);
	if (meta->budget_ppm)
		put_budget(json, meta);
	json_field_double(json, "ns_per_switch",
		meta->switches ? (double)meta->program_ns / (double)meta->switches : 0);
	json_field_double(
		json, "share_of_one_cpu", meta->window_ns ? cost_ns / (double)meta->window_ns : 0);
	json_close_object(json);
}

void report_json_recording(struct json *json, const struct summary *summary, const char *file)
{
	put_recording(json, summary->meta, file);
	put_accounting(json, summary);
	put_cost(json, summary->meta);
}
