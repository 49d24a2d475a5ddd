// SPDX-License-Identifier: GPL-2.0-or-later
/* The rows of all measures, handed out in one walk: stacks are summed first, then their names. */
#include "profile/summary/measured.h"

static int compare_parts(const void *left, const void *right)
{
	const struct measured_part *a = left, *b = right;

	if (a->weight != b->weight)
		return a->weight > b->weight ? -1 : 1;
	if (a->count != b->count)
		return a->count > b->count ? -1 : 1;
	return a->node < b->node ? -1 : a->node > b->node;
}

/* The last of the names above a stack. */
static uint32_t name_above(const struct tree *tree, uint32_t node)
{
	while (node != TREE_ROOT && tree->nodes.at[node].kind != FRAME_NAME)
		node = tree->nodes.at[node].parent;
	return node;
}

/* Adds to the part of that node; a new one is made if there is none yet. */
static void add_part(measured_parts *parts, struct map64 *known, const struct measured_part *part)
{
	bool is_new;
	uint64_t *index = map64_put(known, part->node, &is_new);

	if (is_new) {
		*index = parts->count;
		vec_push(parts, *part);
		return;
	}
	parts->at[*index].weight += part->weight;
	parts->at[*index].count += part->count;
}

/* The measures of a recording while its rows are handed out to them. */
struct measuring {
	measured_list *list;
	struct placer *placer;
	struct map64 *known; /* by measure: node -> index into its stacks */
};

static int on_count(const struct rec_counted *row, void *context)
{
	struct measuring *measuring = context;
	struct measured *measured = &measuring->list->at[row->measure_index];
	struct measured_part part = {
		placer_place(measuring->placer, row->thread_index, &row->stacks), row->count.value,
		row->count.count};

	measured->weight += part.weight;
	measured->count += part.count;
	add_part(&measured->stacks, &measuring->known[row->measure_index], &part);
	return 0;
}

static void sum_names(struct measured *measured, const struct tree *tree)
{
	struct map64 known = {0};

	vec_each (stack, &measured->stacks) {
		struct measured_part part = *stack;
		part.node = name_above(tree, part.node);
		add_part(&measured->names, &known, &part);
	}
	map64_clear(&known);
	vec_sort(&measured->stacks, compare_parts);
	vec_sort(&measured->names, compare_parts);
}

/* Each measure of the recording, with nothing counted yet. */
static void list_measures(const struct recording *recording, size_t count, measured_list *list)
{
	for (size_t i = 0; i < count; i++) {
		struct measured measured = {0};
		view_of_measure(recording, (uint32_t)i, &measured.view);
		vec_push(list, measured);
	}
}

int measured_all(struct recording *recording, struct selection *selection,
	const struct stack_shape *shape, struct tree *tree, measured_list *ret, struct why *why)
{
	size_t count;
	int error;

	*ret = (measured_list){0};
	recording_measures(recording, &count);
	if (!count)
		return 0;
	list_measures(recording, count, ret);
	_cleanup_free_ struct map64 *known = xcalloc(count, sizeof(*known));
	struct measuring measuring = {ret, placer_new(recording, shape, tree), known};
	error = selection_each_count(selection, on_count, &measuring, why);
	placer_free(measuring.placer);
	for (size_t i = 0; i < count; i++) {
		map64_clear(&known[i]);
		if (!error)
			sum_names(&ret->at[i], tree);
	}
	if (error)
		measured_clear(ret);
	return error;
}

void measured_clear(measured_list *list)
{
	vec_each (measured, list) {
		view_choice_clear(&measured->view);
		vec_clear(&measured->names);
		vec_clear(&measured->stacks);
	}
	vec_clear(list);
}
