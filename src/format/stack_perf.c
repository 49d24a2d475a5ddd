// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The text of `perf script` as stacks with weights: off-CPU time where there are switches, waits
 * where there are sched_stat events, else the samples of one event. Equal stacks of one comm are
 * sent once.
 */
#include <errno.h>
#include <string.h>

#include "format/perf_line.h"
#include "format/perf_script.h"
#include "format/stack_readers.h"
#include "util/hash.h"

struct weighted {
	uint32_t comm;
	uint32_t stack;
	enum time_state state;
	uint64_t weight;
	uint64_t count;
};

struct perf_stacks {
	struct perf_log log;
	const struct stacks_asked *asked;
	struct skipped *skipped;
	struct replay_result result;
	struct map64 by_key; /* thread or comm, stack and state -> index + 1 */
	VEC(struct weighted) all;
	VEC(uint32_t) labels; /* by frame: text with its suffix; 0: not made yet */
	bool names_threads;   /* `comm` is still the index of a thread */
	const char *unit;
};

static void add(struct perf_stacks *stacks, const struct weighted *added)
{
	for (uint64_t hash = hash_add(added->state, (uint64_t)added->comm << 32 | added->stack);;
		hash++) {
		uint64_t *number = map64_put(&stacks->by_key, hash, NULL);
		if (!*number) {
			vec_push(&stacks->all, *added);
			*number = stacks->all.count;
			return;
		}
		struct weighted *known = &stacks->all.at[*number - 1];
		if (known->comm == added->comm && known->stack == added->stack &&
			known->state == added->state) {
			if (known->weight > INT64_MAX - added->weight) {
				stacks->skipped->counts[SKIP_TOO_LARGE]++;
				return;
			}
			known->weight += added->weight;
			known->count += added->count;
			return;
		}
	}
}

static void on_interval(const struct replay_interval *interval, void *context)
{
	struct weighted added = {interval->thread, interval->stack, interval->state,
		interval->to_ns - interval->from_ns, 1};

	if (interval->state == TIME_BLOCKED || state_is_runnable(interval->state))
		add(context, &added);
}

static void collect_samples(struct perf_stacks *stacks, uint32_t measure)
{
	struct perf_log *log = &stacks->log;
	const struct perf_sampled *sampled = &log->sampled.at[measure - 1];
	bool has_periods = perf_sampled_has_periods(sampled);

	stacks->unit = !has_periods        ? "samples"
		       : sampled->is_clock ? "ns"
					   : intern_text(&log->table.texts, sampled->name);
	vec_each (event, &log->events) {
		struct weighted added = {
			event->comm, event->stack, TIME_SAMPLE, has_periods ? event->value : 1, 1};
		if (event->kind == REPLAY_SAMPLE && event->measure == measure)
			add(stacks, &added);
	}
}

static void collect_waits(struct perf_stacks *stacks)
{
	struct perf_log *log = &stacks->log;

	stacks->unit = "ns";
	stacks->names_threads = true;
	replay_run(log->events.at, log->events.count, 0, on_interval, stacks, &stacks->result);
}

/* Says which events there are; returns the one that is asked for, 0 if none is. */
static uint32_t tell_events(const struct perf_stacks *stacks, struct stacks_told *told)
{
	const struct perf_log *log = &stacks->log;
	const char *asked = stacks->asked->event;
	bool has_waits = log->switches || log->waits;
	uint32_t chosen = 0;

	for (uint32_t i = 1; i <= log->sampled.count; i++) {
		const char *name = intern_text(&log->table.texts, log->sampled.at[i - 1].name);
		struct stacks_event event = {xstrdup(name), log->sampled.at[i - 1].samples};
		if (!perf_log_shows(log, i)) {
			free(event.name);
			continue;
		}
		if (!chosen && (asked ? !strcmp(asked, name) : !has_waits)) {
			chosen = i;
			told->shown = told->events.count;
		}
		vec_push(&told->events, event);
	}
	if (!chosen)
		told->shown = told->events.count;
	return chosen;
}

static int fail_no_event(const struct stacks_told *told, const char *asked, struct why *why)
{
	_cleanup_free_ char *names = xstrdup("");

	vec_each (event, &told->events) {
		char *longer = xasprintf("%s%s%s", names, *names ? ", " : "", event->name);
		free(names);
		names = longer;
	}
	return why_set(why, -ENOENT, "no samples of %s; %s%s", asked,
		*names ? "there are samples of " : "there are none of any event", names);
}

static const char *suffix_of(const struct perf_stacks *stacks, const struct table_frame *frame)
{
	const char *object = intern_text(&stacks->log.table.texts, frame->object);
	struct perf_frame parsed = {.object = {object, strlen(object)}};

	if (!stacks->asked->has_suffixes)
		return "";
	return frame->is_inlined            ? "_[i]"
	       : frame->is_kernel           ? "_[k]"
	       : perf_frame_is_jit(&parsed) ? "_[j]"
					    : "";
}

/* The frame's name with its suffix. */
static const char *label_of(struct perf_stacks *stacks, uint32_t number)
{
	struct stack_table *table = &stacks->log.table;
	const struct table_frame *frame = &table->frames.at[number];
	const char *suffix = suffix_of(stacks, frame);

	while (stacks->labels.count <= number)
		vec_push(&stacks->labels, 0);
	uint32_t *label = &stacks->labels.at[number];
	if (!*label && frame->name && !*suffix)
		*label = frame->name;
	if (!*label) {
		_cleanup_free_ char *text = xasprintf("%s%s",
			frame->name ? intern_text(&table->texts, frame->name) : "[unknown]",
			frame->name ? suffix : "");
		*label = intern_bytes(&table->texts, text, strlen(text));
	}
	return intern_text(&table->texts, *label);
}

static struct stack_frame frame_of(struct perf_stacks *stacks, uint32_t number)
{
	const struct stack_table *table = &stacks->log.table;
	const struct table_frame *frame = &table->frames.at[number];
	const char *name = label_of(stacks, number);
	const char *object = intern_text(&table->texts, frame->object);

	return (struct stack_frame){name, strlen(name), object, frame->is_kernel};
}

static const char *mark_of(enum time_state state)
{
	return state == TIME_WOKEN ? "[runq]" : state == TIME_PREEMPTED ? "[preempted]" : NULL;
}

static int send(
	struct perf_stacks *stacks, const struct weighted *weighted, struct stack_builder *builder)
{
	const struct stack_table *table = &stacks->log.table;
	const char *mark = mark_of(weighted->state);
	uint32_t comm = stacks->names_threads ? stacks->result.threads.at[weighted->comm].comm
					      : weighted->comm;
	const char *name = intern_text(&table->texts, comm);
	struct stack stack = {.weight = weighted->weight,
		.count = weighted->count,
		.unit = stacks->unit,
		.has_name = true};
	size_t depth;
	const uint32_t *frames = stack_table_frames(table, weighted->stack, &depth);

	if (!*name)
		name = "[unknown]";
	vec_push(&builder->frames, ((struct stack_frame){name, strlen(name), "", false}));
	for (size_t i = 0; i < depth; i++)
		vec_push(&builder->frames, frame_of(stacks, frames[i]));
	if (mark)
		vec_push(&builder->frames, ((struct stack_frame){mark, strlen(mark), "", false}));
	return stack_builder_send(builder, &stack);
}

static int collect(struct perf_stacks *stacks, struct stack_builder *builder)
{
	uint32_t measure = tell_events(stacks, builder->told);

	if (measure)
		collect_samples(stacks, measure);
	else if (stacks->asked->event)
		return fail_no_event(builder->told, stacks->asked->event, builder->why);
	else
		collect_waits(stacks);
	return 0;
}

int stacks_read_perf(struct lines *lines, struct stack_builder *builder)
{
	struct perf_stacks stacks = {.log.has_full_names = builder->asked->has_full_names,
		.asked = builder->asked,
		.skipped = builder->skipped};
	int result;

	perf_log_read(&stacks.log, lines, builder->skipped);
	result = collect(&stacks, builder);
	for (size_t i = 0; !result && i < stacks.all.count; i++)
		result = send(&stacks, &stacks.all.at[i], builder);
	vec_clear(&stacks.all);
	vec_clear(&stacks.labels);
	map64_clear(&stacks.by_key);
	replay_clear(&stacks.result);
	perf_log_clear(&stacks.log);
	return result;
}
