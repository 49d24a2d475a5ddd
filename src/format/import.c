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

/* The piece was added when the stack was read; now it is known where it ends. */
static void land(uint32_t node, const struct tree_load *load, void *context)
{
	struct import *import = context;

	import->pieces.at[load->first].node = node;
}

struct import *import_new(const struct import_options *options)
{
	struct import *import = xcalloc(1, sizeof(*import));

	import->options = *options;
	import->log.has_full_names = options->has_full_names;
	import->sums.slice_ns = INT64_MAX;
	tree_init(&import->tree);
	tree_feed_init(&import->feed, &import->tree, land, import);
	return import;
}

void import_free(struct import *import)
{
	if (!import)
		return;
	perf_log_clear(&import->log);
	replay_clear(&import->result);
	sums_clear(&import->sums);
	import_counts_clear(&import->counts);
	vec_clear(&import->pieces);
	tree_feed_clear(&import->feed);
	tree_clear(&import->tree);
	vec_clear(&import->steps);
	map64_clear(&import->thread_by_comm);
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

/* Frames behind the thread's name up to a waker's, which a recording has no place for. Those that
 * the stack before has are there already. */
static void make_steps(struct import *import, const struct stack *stack)
{
	size_t kept = stack->shared ? stack->shared - 1 : 0;

	if (kept < import->steps.count)
		import->steps.count = kept;
	for (size_t i = import->steps.count + 1; i < stack->depth; i++) {
		const struct stack_frame *frame = &stack->frames[i];
		if (frame->length == 2 && !memcmp(frame->name, "--", 2))
			break;
		struct tree_step step = {frame_number(import, frame), FRAME_USER};
		vec_push(&import->steps, step);
	}
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

static void add_piece(struct import *import, const struct stack *stack, uint64_t ns)
{
	struct last_piece *last = &import->last;
	size_t shared = last->shared ? last->shared - 1 : 0;

	if (!last->shared)
		last->thread = thread_named(import, &stack->frames[0]);
	if (shared > last->depth)
		shared = last->depth;
	struct replay_thread *thread = &import->result.threads.at[last->thread];
	struct piece piece = {.thread = last->thread, .weight = stack->weight, .ns = ns};
	struct tree_load load = {.first = import->pieces.count};
	thread->end_ns += ns;
	thread->total_ns[import->options.state] += ns;
	vec_push(&import->pieces, piece);
	tree_feed_add(&import->feed, shared, import->steps.at + shared,
		import->steps.count - shared, &load);
	last->depth = import->steps.count;
	last->shared = SIZE_MAX;
}

/* One weighted stack without events. */
static int add_stack(const struct stack *stack, void *context)
{
	struct import *import = context;
	uint64_t ns;

	make_steps(import, stack);
	if (stack->shared < import->last.shared)
		import->last.shared = stack->shared;
	if (__builtin_mul_overflow(stack->weight, unit_of(import, stack->unit), &ns) ||
		ns > MAX_TOTAL_NS - import->total_ns) {
		import->skipped.counts[SKIP_TOO_LARGE]++;
		return 0;
	}
	if (!ns)
		return 0;
	import->total_ns += ns;
	add_piece(import, stack, ns);
	return 0;
}

int import_read(struct import *import, FILE *in, struct why *why)
{
	struct lines *lines = lines_new(in, &import->skipped);
	struct stack_sink sink = {add_stack, import};
	struct stacks_asked asked = {.has_full_names = import->options.has_full_names};
	struct stack_builder builder = {
		.sink = &sink, .asked = &asked, .skipped = &import->skipped, .why = why};
	struct skipped before = import->skipped;
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
			error = stacks_read_lines(format, lines, &builder);
		tree_feed_finish(&import->feed);
	}
	if (!error)
		error = lines_error(lines, why);
	if (!error)
		error = stacks_check(format, &before, &import->skipped, why);
	lines_free(lines);
	return error;
}
