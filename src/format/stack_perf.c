// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The text of `perf script` as stacks with weights: off-CPU time where there are switches, waits
 * where there are sched_stat events, else samples. Equal stacks of one comm are sent once.
 */
#include <string.h>

#include "format/perf_script.h"
#include "format/stack_readers.h"
#include "util/hash.h"

struct weighted {
	uint32_t comm;
	uint32_t stack;
	enum time_state state;
	uint64_t weight;
};

struct perf_stacks {
	struct perf_log log;
	struct replay_result result;
	struct map64 by_key; /* thread or comm, stack and state -> index + 1 */
	VEC(struct weighted) all;
	bool names_threads; /* `comm` is still the index of a thread */
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
			if (known->weight <= INT64_MAX - added->weight)
				known->weight += added->weight;
			return;
		}
	}
}

static void on_interval(const struct replay_interval *interval, void *context)
{
	struct weighted added = {interval->thread, interval->stack, interval->state,
		interval->to_ns - interval->from_ns};

	if (interval->state == TIME_BLOCKED || state_is_runnable(interval->state))
		add(context, &added);
}

static void collect(struct perf_stacks *stacks)
{
	struct perf_log *log = &stacks->log;

	if (log->switches || log->waits) {
		stacks->names_threads = true;
		replay_run(
			log->events.at, log->events.count, 0, on_interval, stacks, &stacks->result);
		return;
	}
	vec_each (event, &log->events) {
		struct weighted added = {event->comm, event->stack, TIME_SAMPLE, 1};
		if (event->kind == REPLAY_SAMPLE)
			add(stacks, &added);
	}
}

static struct stack_frame frame_of(const struct stack_table *table, uint32_t number)
{
	const struct table_frame *frame = &table->frames.at[number];
	const char *name = intern_text(&table->texts, frame->name);
	const char *object = intern_text(&table->texts, frame->object);

	return (struct stack_frame){
		*name ? name : "[unknown]", *name ? strlen(name) : 9, object, frame->is_kernel};
}

static const char *mark_of(enum time_state state)
{
	return state == TIME_WOKEN ? "[runq]" : state == TIME_PREEMPTED ? "[preempted]" : NULL;
}

static int send(const struct perf_stacks *stacks, const struct weighted *weighted,
	struct stack_builder *builder)
{
	const struct stack_table *table = &stacks->log.table;
	const char *mark = mark_of(weighted->state);
	uint32_t comm = stacks->names_threads ? stacks->result.threads.at[weighted->comm].comm
					      : weighted->comm;
	const char *name = intern_text(&table->texts, comm);
	struct stack stack = {.weight = weighted->weight,
		.unit = weighted->state == TIME_SAMPLE ? "samples" : "ns",
		.has_name = true};
	size_t depth;
	const uint32_t *frames = stack_table_frames(table, weighted->stack, &depth);

	if (!*name)
		name = "[unknown]";
	vec_push(&builder->frames, ((struct stack_frame){name, strlen(name), "", false}));
	for (size_t i = 0; i < depth; i++)
		vec_push(&builder->frames, frame_of(table, frames[i]));
	if (mark)
		vec_push(&builder->frames, ((struct stack_frame){mark, strlen(mark), "", false}));
	return stack_builder_send(builder, &stack);
}

int stacks_read_perf(struct lines *lines, struct stack_builder *builder)
{
	struct perf_stacks stacks = {0};
	int result = 0;

	perf_log_read(&stacks.log, lines, builder->skipped);
	collect(&stacks);
	for (size_t i = 0; !result && i < stacks.all.count; i++)
		result = send(&stacks, &stacks.all.at[i], builder);
	vec_clear(&stacks.all);
	map64_clear(&stacks.by_key);
	replay_clear(&stacks.result);
	perf_log_clear(&stacks.log);
	return result;
}
