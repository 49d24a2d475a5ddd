// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Rows that threads and slices alone choose among: of measures, of who had the CPUs, of calls.
 */
#include "profile/selection_private.h"

static bool has_slice(const struct selection *selection, uint32_t slice)
{
	return slice >= selection->slice_from &&
	       (selection->slice_to == UINT32_MAX || slice < selection->slice_to);
}

static bool has_place(const struct selection *selection, uint32_t thread_index, uint32_t slice)
{
	return selection_has_thread(selection, thread_index) && has_slice(selection, slice);
}

struct count_walk {
	const struct selection *selection;
	recording_count_fn each;
	void *context;
};

static int on_count(const struct rec_counted *row, void *context)
{
	const struct count_walk *walk = context;

	if (!has_place(walk->selection, row->thread_index, row->count.slice))
		return 0;
	return walk->each(row, walk->context);
}

int selection_each_count(
	struct selection *selection, recording_count_fn each, void *context, struct why *why)
{
	struct count_walk walk = {selection, each, context};

	return recording_each_count(selection->recording, on_count, &walk, why);
}

struct queue_walk {
	const struct selection *selection;
	recording_queue_fn each;
	void *context;
};

static int on_queue(const struct rec_queued *row, void *context)
{
	const struct queue_walk *walk = context;

	if (!has_place(walk->selection, row->thread_index, row->queue.slice))
		return 0;
	return walk->each(row, walk->context);
}

int selection_each_queue(
	struct selection *selection, recording_queue_fn each, void *context, struct why *why)
{
	struct queue_walk walk = {selection, each, context};

	return recording_each_queue(selection->recording, on_queue, &walk, why);
}

struct call_walk {
	const struct selection *selection;
	recording_call_fn each;
	recording_open_call_fn each_open;
	void *context;
};

/* Calls of threads that are not told apart pass as long as no thread is asked for. */
static int on_call(const struct rec_called *row, void *context)
{
	const struct call_walk *walk = context;
	const struct selection *selection = walk->selection;
	bool is_there = row->thread_index == REC_NONE
				? !view_filter_asks_for_threads(selection->filter) &&
					  has_slice(selection, row->call.slice)
				: has_place(selection, row->thread_index, row->call.slice);

	return is_there ? walk->each(row, walk->context) : 0;
}

int selection_each_call(
	struct selection *selection, recording_call_fn each, void *context, struct why *why)
{
	struct call_walk walk = {.selection = selection, .each = each, .context = context};

	return recording_each_call(selection->recording, on_call, &walk, why);
}

/* What is open at the end is in a range that reaches as far. */
static int on_open_call(const struct rec_opened *row, void *context)
{
	const struct call_walk *walk = context;

	if (walk->selection->slice_to != UINT32_MAX ||
		!selection_has_thread(walk->selection, row->thread_index))
		return 0;
	return walk->each_open(row, walk->context);
}

int selection_each_open_call(
	struct selection *selection, recording_open_call_fn each, void *context, struct why *why)
{
	struct call_walk walk = {.selection = selection, .each_open = each, .context = context};

	return recording_each_open_call(selection->recording, on_open_call, &walk, why);
}
