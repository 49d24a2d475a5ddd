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
#include "profile/selection.h"

static const char *const view_names[VIEWS] = {
	[VIEW_ONCPU] = "oncpu",
	[VIEW_OFFCPU] = "offcpu",
	[VIEW_RUNQ] = "runq",
	[VIEW_HOTCOLD] = "hotcold",
	[VIEW_WAKEUP] = "wakeup",
	[VIEW_OFFWAKE] = "offwake",
	[VIEW_CHAIN] = "chain",
};

const char *view_name(enum view view)
{
	return (unsigned int)view < VIEWS ? view_names[view] : "unknown";
}

bool view_from_name(const char *name, enum view *ret)
{
	for (unsigned int i = 0; i < VIEWS; i++)
		if (!strcmp(name, view_names[i])) {
			*ret = (enum view)i;
			return true;
		}
	return false;
}

bool view_needs_chains(enum view view)
{
	return view == VIEW_WAKEUP || view == VIEW_OFFWAKE || view == VIEW_CHAIN;
}

struct sampled {
	uint32_t thread_index;
	uint32_t node;
	uint64_t count;
};

struct building {
	enum view view;
	struct placer *placer;
	struct chain_view chains;
	const struct roots *roots; /* or NULL: all are shown */
	struct tree *tree;
	uint64_t *running_ns; /* by thread index */
	VEC(struct sampled) samples;
};

static bool view_wants(enum view view, enum time_state state)
{
	bool is_running = state == TIME_RUNNING || state == TIME_SAMPLE;

	switch (view) {
	case VIEW_ONCPU:
		return is_running;
	case VIEW_OFFCPU:
		return !is_running;
	case VIEW_RUNQ:
		return state_is_runnable(state);
	case VIEW_WAKEUP:
	case VIEW_OFFWAKE:
	case VIEW_CHAIN:
		return state == TIME_BLOCKED;
	default:
		return true;
	}
}

/* The frame that ends a stack, or NULL. */
static const char *last_frame(
	enum view view, const struct selection_row *row, char *room, size_t size)
{
	enum time_state state = row->row->sum.state;

	if (view == VIEW_HOTCOLD) {
		if (state_is_runnable(state))
			return "[runnable]";
		snprintf(room, size, "[blocked %s]", reason_name(row->reason));
		return room;
	}
	if (state == TIME_PREEMPTED)
		return "[preempted]";
	if (state == TIME_WOKEN)
		return view == VIEW_RUNQ ? "[woken]" : "[runq]";
	return NULL;
}

static int on_row(const struct selection_row *row, void *context)
{
	struct building *building = context;
	enum time_state state = row->row->sum.state;
	const char *last;
	char room[64];
	uint32_t node;

	if (!view_wants(building->view, state))
		return 0;
	if (view_needs_chains(building->view)) {
		if (!building->roots || !roots_hides(building->roots, row->row->thread_index))
			chain_view_add(&building->chains, row);
		return 0;
	}
	if (state == TIME_RUNNING) {
		building->running_ns[row->row->thread_index] += row->ns;
		return 0;
	}
	node = placer_place(building->placer, row->row);
	if (state == TIME_SAMPLE) {
		struct sampled sampled = {row->row->thread_index, node, row->count};
		vec_push(&building->samples, sampled);
		return 0;
	}
	last = last_frame(building->view, row, room, sizeof(room));
	if (last)
		node = tree_child(building->tree, node, last, FRAME_MARK);
	tree_add(building->tree, node, row->ns, row->count);
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
	if (building->view == VIEW_HOTCOLD)
		node = tree_child(building->tree, node, "[running]", FRAME_MARK);
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

static int check_chains(const struct recording *recording, enum view view, struct why *why)
{
	if (!view_needs_chains(view) || recording_has_chains(recording))
		return 0;
	return why_set(why, -ENODATA,
		"the recording has no wake chains, which view %s needs: it was made with --depth 0 "
		"or by an older dwell",
		view_name(view));
}

/* Who is hidden is known only when all rows were seen, so they are walked twice. */
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

int profile_of_view(struct recording *recording, enum view view, const struct view_filter *filter,
	const struct stack_shape *shape, struct profile *ret, struct why *why)
{
	size_t thread_count;
	const struct rec_thread *threads = recording_threads(recording, &thread_count);
	_cleanup_free_ uint64_t *running_ns = xcalloc(thread_count + 1, sizeof(*running_ns));
	struct building building = {.view = view, .running_ns = running_ns};
	struct selection *selection = NULL;
	struct roots *roots = NULL;
	struct profile made = {0};
	int error = check_chains(recording, view, why);

	if (!error)
		error = selection_new(recording, filter, &selection, why);
	if (error)
		return error;
	tree_init(&made.tree);
	made.from_ns = selection_from_ns(selection);
	made.to_ns = selection_to_ns(selection);
	made.has_range = selection_has_range(selection);
	building.tree = &made.tree;
	building.placer = placer_new(recording, shape, &made.tree);
	building.chains = (struct chain_view){recording, building.placer, &made.tree, view,
		shape->weighs_causes && view == VIEW_CHAIN};
	if (shape->is_roots_only && view_needs_chains(view))
		error = find_roots(recording, selection, &building, &made, &roots, why);
	if (!error)
		error = selection_each_row(selection, on_row, &building, why);
	if (!error)
		spread_running(&building, threads, thread_count);
	vec_clear(&building.samples);
	placer_free(building.placer);
	roots_free(roots);
	selection_free(selection);
	if (error) {
		tree_clear(&made.tree);
		return error;
	}
	*ret = made;
	return 0;
}

void profile_clear(struct profile *profile)
{
	tree_clear(&profile->tree);
}
