// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The views. Off-CPU rows go into the tree as they come. Running time has no stacks of its own: the
 * samples of each thread are collected, and its exactly measured running time is divided among them
 * in proportion, with carried rounding, so that nothing is gained or lost.
 */
#include "profile/view.h"

#include <errno.h>
#include <string.h>

#include "profile/chain_view.h"
#include "profile/roots.h"

struct sampled {
	uint32_t thread_index;
	uint32_t node;
	uint64_t count;
};

struct building {
	const struct view_type *view;
	const struct recording *recording;
	struct placer *placer;
	struct chain_view chains;
	const struct roots *roots; /* or NULL: all are shown */
	const struct things *things;
	bool is_of_waits; /* stacks are named by what waits were for, or events on */
	struct tree *tree;
	struct reason_parts *parts; /* or NULL: the view is not of reasons */
	uint64_t *running_ns;       /* by thread index */
	VEC(struct sampled) samples;
};

/* The node of the frame that the view ends stacks of that state with. */
static uint32_t add_mark(
	struct building *building, uint32_t node, enum time_state state, enum reason reason)
{
	const char *mark = building->view->marks[state];
	const char *star = mark ? strchr(mark, '*') : NULL;
	char text[64];

	if (!mark)
		return node;
	if (!star)
		return tree_child(building->tree, node, mark, FRAME_MARK);
	snprintf(text, sizeof(text), "%.*s%s%s", (int)(star - mark), mark, reason_name(reason),
		star + 1);
	return tree_child(building->tree, node, text, FRAME_MARK);
}

/* What the row was for, if stacks are named by it; NULL: they are not, or it is not told. */
static const char *thing_text(const struct building *building, const struct selection_row *row)
{
	bool is_told = building->is_of_waits && row->thing != REC_NONE;

	return is_told ? building->things->at.at[row->thing].text : NULL;
}

static int on_row(const struct selection_row *row, void *context)
{
	struct building *building = context;
	enum time_state state = row->row->sum.state;
	const char *thing;
	uint32_t node;

	if (!(building->view->states & 1u << state) ||
		(building->is_of_waits && state != TIME_BLOCKED))
		return 0;
	thing = thing_text(building, row);
	if (building->view->needs_chains) {
		if (!building->roots || !roots_hides(building->roots, row->row->thread_index))
			chain_view_add(&building->chains, row, thing);
		return 0;
	}
	if (state == TIME_RUNNING) {
		building->running_ns[row->row->thread_index] += row->ns;
		return 0;
	}
	node = placer_place_wait(
		building->placer, row->row->thread_index, &row->row->stacks, thing);
	if (state == TIME_SAMPLE) {
		struct sampled sampled = {row->row->thread_index, node, row->count};
		vec_push(&building->samples, sampled);
		return 0;
	}
	node = add_mark(building, node, state, row->reason);
	tree_add(building->tree, node, row->ns, row->count);
	if (building->parts)
		reason_parts_add(building->parts, node,
			state == TIME_BLOCKED ? row->called : REASON_PART_NO_CPU, row->ns,
			row->count);
	return 0;
}

static int on_count(const struct rec_counted *row, void *context)
{
	struct building *building = context;
	uint32_t node;

	if (row->measure_index != building->view->measure)
		return 0;
	_cleanup_free_ char *thing =
		building->is_of_waits
			? thing_text_of_event(building->recording, row->awaited, false)
			: NULL;
	node = placer_place_wait(building->placer, row->thread_index, &row->stacks, thing);
	tree_add(building->tree, node, row->count.value, row->count.events);
	tree_add_samples(building->tree, node, row->count.count);
	return 0;
}

static int compare_samples(const void *left, const void *right)
{
	const struct sampled *a = left, *b = right;

	if (a->thread_index != b->thread_index)
		return a->thread_index < b->thread_index ? -1 : 1;
	return a->node < b->node ? -1 : a->node > b->node;
}

static void add_running(struct building *building, uint32_t node, uint64_t ns, uint64_t count)
{
	node = add_mark(building, node, TIME_RUNNING, REASON_UNKNOWN);
	tree_add(building->tree, node, ns, count);
}

/* Divides one thread's running time among its samples. */
static void divide(struct building *building, const struct sampled *samples, size_t count)
{
	uint64_t running_ns = building->running_ns[samples->thread_index];
	uint64_t all = 0, so_far = 0, given_ns = 0;

	for (size_t i = 0; i < count; i++)
		all += samples[i].count;
	for (size_t i = 0; i < count && all; i++) {
		uint64_t due_ns;
		so_far += samples[i].count;
		due_ns = (uint64_t)((unsigned __int128)running_ns * so_far / all);
		add_running(building, samples[i].node, due_ns - given_ns, samples[i].count);
		given_ns = due_ns;
	}
	if (all)
		building->running_ns[samples->thread_index] = 0;
}

static void spread_running(
	struct building *building, const struct rec_thread *threads, size_t count)
{
	const struct sampled *at = building->samples.at;

	vec_sort(&building->samples, compare_samples);
	for (size_t i = 0, end; i < building->samples.count; i = end) {
		for (end = i; end < building->samples.count; end++)
			if (at[end].thread_index != at[i].thread_index)
				break;
		divide(building, at + i, end - i);
	}
	for (size_t i = 0; i < count; i++) {
		uint32_t node;
		if (!building->running_ns[i])
			continue;
		node = placer_root(building->placer, &threads[i]);
		node = tree_child(building->tree, node, "[unsampled]", FRAME_MARK);
		add_running(building, node, building->running_ns[i], 0);
	}
}

static int check_chains(
	const struct recording *recording, const struct view_type *view, struct why *why)
{
	if (!view->needs_chains || recording_has_chains(recording))
		return 0;
	return why_set(why, -ENODATA,
		"the recording has no wake chains, which view %s needs: it was made with --depth 0 "
		"or by an older dwell",
		view->name);
}

static int check_waits(
	const struct view_type *view, const struct stack_shape *shape, struct why *why)
{
	if (!stack_shape_is_of_waits(shape) || view->states & 1u << TIME_BLOCKED ||
		view->id == VIEW_MEASURE)
		return 0;
	return why_set(why, -EINVAL,
		"--by awaited is for waits, of which view %s has none; try --view offcpu",
		view->name);
}

/* Which threads --roots hides is known when all rows were seen, so rows are walked twice. */
static int find_roots(struct recording *recording, struct selection *selection,
	struct building *building, struct profile *made, struct roots **ret, struct why *why)
{
	int error = roots_new(recording, selection, ret, why);

	if (error)
		return error;
	building->roots = *ret;
	made->hidden_threads = roots_hidden_threads(*ret);
	made->hidden_ns = roots_hidden_ns(*ret);
	return 0;
}

/* Rows of the view into the tree. */
static int build(struct recording *recording, struct building *building,
	struct selection *selection, struct why *why)
{
	size_t thread_count;
	const struct rec_thread *threads = recording_threads(recording, &thread_count);
	_cleanup_free_ uint64_t *running_ns = xcalloc(thread_count + 1, sizeof(*running_ns));
	int error;

	if (building->view->id == VIEW_MEASURE)
		return selection_each_count(selection, on_count, building, why);
	building->running_ns = running_ns;
	error = selection_each_row(selection, on_row, building, why);
	if (!error)
		spread_running(building, threads, thread_count);
	vec_clear(&building->samples);
	return error;
}

int profile_of_view(struct recording *recording, const struct view_type *view,
	const struct view_filter *filter, const struct stack_shape *shape, struct profile *ret,
	struct why *why)
{
	struct building building = {.view = view,
		.recording = recording,
		.is_of_waits = stack_shape_is_of_waits(shape)};
	struct selection *selection = NULL;
	struct roots *roots = NULL;
	struct profile made = {0};
	int error = check_chains(recording, view, why);

	if (!error)
		error = check_waits(view, shape, why);
	if (!error && view->id == VIEW_MEASURE)
		error = view_filter_check_events(filter, view->weight, why);
	if (!error)
		error = selection_new(recording, filter, &selection, why);
	if (error)
		return error;
	tree_init(&made.tree);
	made.from_ns = selection_from_ns(selection);
	made.to_ns = selection_to_ns(selection);
	made.has_range = selection_has_range(selection);
	building.tree = &made.tree;
	building.parts = view->has_reasons ? &made.parts : NULL;
	building.things = selection_things(selection);
	building.placer = placer_new(recording, shape, &made.tree);
	building.chains = (struct chain_view){recording, building.placer, &made.tree,
		building.parts, view->id, shape->weighs_causes && view->id == VIEW_CHAIN};
	if (shape->is_roots_only && view->needs_chains)
		error = find_roots(recording, selection, &building, &made, &roots, why);
	if (!error)
		error = build(recording, &building, selection, why);
	made.idle_ns = view->states & 1u << TIME_BLOCKED ? selection_idle_hidden_ns(selection) : 0;
	placer_free(building.placer);
	roots_free(roots);
	selection_free(selection);
	if (error) {
		profile_clear(&made);
		return error;
	}
	*ret = made;
	return 0;
}

void profile_clear(struct profile *profile)
{
	tree_clear(&profile->tree);
	reason_parts_clear(&profile->parts);
}
