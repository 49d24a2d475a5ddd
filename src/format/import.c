// SPDX-License-Identifier: GPL-2.0-or-later
/* The reading half: files into events, or into sums of stacks without events. */
#include "format/import.h"

#include <errno.h>
#include <string.h>

#include "format/import_private.h"
#include "format/stack_readers.h"
#include "util/units.h"

/* Far from where sums of sums would pass 63 bits. */
#define MAX_TOTAL_NS (INT64_MAX / 4)

struct import *import_new(const struct import_options *options)
{
	struct import *import = xcalloc(1, sizeof(*import));

	import->options = *options;
	import->sums.slice_ns = INT64_MAX;
	return import;
}

void import_free(struct import *import)
{
	if (!import)
		return;
	perf_log_clear(&import->log);
	replay_clear(&import->result);
	sums_clear(&import->sums);
	vec_clear(&import->pieces);
	map64_clear(&import->thread_by_comm);
	vec_clear(&import->frames);
	free(import);
}

const struct skipped *import_skipped(const struct import *import)
{
	return &import->skipped;
}

static uint32_t thread_named(struct import *import, const struct stack_frame *name)
{
	uint32_t comm = intern_bytes(&import->log.table.texts, name->name, name->length);
	bool is_new;
	uint64_t *index = map64_put(&import->thread_by_comm, comm, &is_new);

	if (is_new) {
		struct replay_thread thread = {.comm = comm};
		*index = import->result.threads.count;
		vec_push(&import->result.threads, thread);
	}
	return (uint32_t)*index;
}

/* Suffixes of folded text say what a frame is, not what it is called. */
static size_t without_suffix(const struct stack_frame *frame)
{
	const char *end = frame->name + frame->length;

	if (frame->length > 4 && end[-1] == ']' && !memcmp(end - 4, "_[", 2) &&
		strchr("kijw", end[-2]))
		return frame->length - 4;
	return frame->length;
}

static uint32_t frame_number(struct import *import, const struct stack_frame *read)
{
	struct stack_table *table = &import->log.table;
	bool is_new;
	uint32_t number = stack_table_frame(table, read->name, read->length, &is_new);
	struct table_frame *frame = &table->frames.at[number];

	if (is_new) {
		frame->is_valid = true;
		frame->name = intern_bytes(&table->texts, read->name, without_suffix(read));
		frame->is_kernel = read->is_kernel;
	}
	return number;
}

/* Frames up to a waker's, which a recording has no place for. */
static uint32_t stack_number(struct import *import, const struct stack *stack)
{
	import->frames.count = 0;
	for (size_t i = 1; i < stack->depth; i++) {
		const struct stack_frame *frame = &stack->frames[i];
		if (frame->length == 2 && !memcmp(frame->name, "--", 2))
			break;
		vec_push(&import->frames, frame_number(import, frame));
	}
	return stack_table_stack(&import->log.table, import->frames.at, import->frames.count);
}

static uint64_t unit_of(const struct import *import, const char *unit)
{
	static const struct {
		const char *name;
		uint64_t ns;
	} units[] = {{"ns", 1}, {"us", NS_PER_US}, {"ms", NS_PER_MS}};

	if (import->options.unit_ns)
		return import->options.unit_ns;
	for (size_t i = 0; i < ARRAY_SIZE(units); i++)
		if (!strcmp(unit, units[i].name))
			return units[i].ns;
	if (import->options.state == TIME_BLOCKED)
		return NS_PER_US;
	return import->options.sample_hz ? NS_PER_S / import->options.sample_hz : NS_PER_MS;
}

/* One weighted stack without events. */
static int add_stack(const struct stack *stack, void *context)
{
	struct import *import = context;
	enum time_state state = import->options.state;
	uint64_t ns;

	if (__builtin_mul_overflow(stack->weight, unit_of(import, stack->unit), &ns) ||
		ns > MAX_TOTAL_NS - import->total_ns) {
		import->skipped.counts[SKIP_TOO_LARGE]++;
		return 0;
	}
	if (!ns)
		return 0;
	import->total_ns += ns;
	uint32_t index = thread_named(import, &stack->frames[0]);
	struct replay_thread *thread = &import->result.threads.at[index];
	struct piece piece = {index, stack_number(import, stack), stack->weight, ns};
	thread->end_ns += ns;
	thread->total_ns[state] += ns;
	vec_push(&import->pieces, piece);
	return 0;
}

int import_read(struct import *import, FILE *in, struct why *why)
{
	struct lines *lines = lines_new(in, &import->skipped);
	struct stack_sink sink = {add_stack, import};
	enum stack_format format;
	int error = stacks_begin(lines, &format, why);

	if (!error && import->has_files && import->is_perf != (format == STACKS_PERF))
		error = why_set(why, -EINVAL,
			"it is %s, and the files before were not: import them apart",
			stack_format_name(format));
	if (!error) {
		import->has_files = true;
		import->is_perf = format == STACKS_PERF;
		if (import->is_perf)
			perf_log_read(&import->log, lines, &import->skipped);
		else
			error = stacks_read_lines(format, lines, &sink, &import->skipped);
	}
	if (!error)
		error = lines_error(lines, why);
	lines_free(lines);
	return error;
}
