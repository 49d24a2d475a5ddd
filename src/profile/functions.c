// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * From a call tree to a table of functions. Every stack that has weight is walked from its leaf to
 * its names; a stamp for each row remembers the last stack that counted it.
 */
#include "profile/functions.h"

#include <string.h>

#include "model/reason.h"

static const char *const order_names[] = {
	[FUNCTIONS_BY_SELF] = "self",
	[FUNCTIONS_BY_TOTAL] = "total",
	[FUNCTIONS_BY_OBJECT] = "object",
};

const char *function_order_name(enum function_order order)
{
	return (unsigned int)order < ARRAY_SIZE(order_names) ? order_names[order] : "unknown";
}

bool function_order_from_name(const char *name, enum function_order *ret)
{
	for (size_t i = 0; i < ARRAY_SIZE(order_names); i++)
		if (!strcmp(name, order_names[i])) {
			*ret = (enum function_order)i;
			return true;
		}
	return false;
}

#define NO_STACK UINT32_MAX

struct making {
	const struct tree *tree;
	struct function_table *table;
	const struct view_type *view;
	uint32_t *function_of;  /* by frame: row + 1 */
	struct map64 object_of; /* label of the object: row + 1 */
	VEC(uint32_t) function_stamps;
	VEC(uint32_t) object_stamps;
};

static size_t object_row(struct making *making, uint32_t node)
{
	const struct tree_node *at = &making->tree->nodes.at[node];
	uint32_t label = making->tree->frames.at[at->frame].object;
	uint64_t *place = map64_put(&making->object_of, label, NULL);

	if (!*place) {
		struct function_row row = {
			.name = "", .object = tree_object(making->tree, node), .kind = at->kind};
		vec_push(&making->table->objects, row);
		vec_push(&making->object_stamps, NO_STACK);
		*place = making->table->objects.count;
	}
	return *place - 1;
}

static size_t function_row(struct making *making, uint32_t node)
{
	const struct tree_node *at = &making->tree->nodes.at[node];
	uint32_t *place = &making->function_of[at->frame];

	if (!*place) {
		struct function_row row = {
			.name = node ? tree_label(making->tree, node) : "[no stack]",
			.object = tree_object(making->tree, node),
			.kind = at->kind,
			.object_index = object_row(making, node)};
		making->table->objects.at[row.object_index].functions++;
		vec_push(&making->table->functions, row);
		vec_push(&making->function_stamps, NO_STACK);
		*place = (uint32_t)making->table->functions.count;
	}
	return *place - 1;
}

static void add_total(
	struct function_row *row, uint32_t *stamp, uint32_t leaf, const struct tree *tree)
{
	const struct tree_node *weight = &tree->nodes.at[leaf];

	if (*stamp == leaf)
		return;
	*stamp = leaf;
	row->total_weight += weight->self_weight;
	row->total_count += weight->self_count;
	row->total_samples += tree_samples(tree, leaf);
}

/* Node `leaf`, where a stack ends, adds its weight to the function of `node`. */
static void count_in(struct making *making, uint32_t leaf, uint32_t node, bool is_self)
{
	const struct tree_node *weight = &making->tree->nodes.at[leaf];
	uint64_t samples = tree_samples(making->tree, leaf);
	size_t index = function_row(making, node);
	struct function_row *function = &making->table->functions.at[index];
	struct function_row *object = &making->table->objects.at[function->object_index];

	add_total(function, &making->function_stamps.at[index], leaf, making->tree);
	add_total(object, &making->object_stamps.at[function->object_index], leaf, making->tree);
	if (!is_self)
		return;
	function->self_weight += weight->self_weight;
	function->self_count += weight->self_count;
	function->self_samples += samples;
	object->self_samples += samples;
	object->self_weight += weight->self_weight;
	object->self_count += weight->self_count;
}

static bool is_function(const struct tree *tree, uint32_t node)
{
	enum frame_kind kind = tree->nodes.at[node].kind;

	return kind == FRAME_USER || kind == FRAME_KERNEL;
}

/*
 * Where the functions of a stack begin: at its leaf, or for a thread that left its CPU at the
 * caller of the scheduler. The root if there is none.
 */
static uint32_t innermost(const struct making *making, uint32_t leaf)
{
	const struct tree *tree = making->tree;
	bool has_run = making->view->id == VIEW_ONCPU || making->view->id == VIEW_MEASURE ||
		       !strcmp(tree_label(tree, leaf), "[running]");
	uint32_t first = TREE_ROOT;

	for (uint32_t node = leaf; node != TREE_ROOT; node = tree->nodes.at[node].parent) {
		if (!is_function(tree, node))
			continue;
		if (!first)
			first = node;
		if (has_run || tree->nodes.at[node].kind != FRAME_KERNEL ||
			!reason_is_scheduler(tree_label(tree, node)))
			return node;
	}
	return first;
}

/* The word that says why there is no function. */
static uint32_t outermost(const struct tree *tree, uint32_t node)
{
	while (tree->nodes.at[node].parent != TREE_ROOT)
		node = tree->nodes.at[node].parent;
	return node;
}

static void add_stack(struct making *making, uint32_t leaf)
{
	const struct tree *tree = making->tree;
	uint32_t first = innermost(making, leaf);

	if (first == TREE_ROOT) {
		count_in(making, leaf, outermost(tree, leaf), true);
		return;
	}
	for (uint32_t node = first; node != TREE_ROOT; node = tree->nodes.at[node].parent)
		if (is_function(tree, node))
			count_in(making, leaf, node, node == first);
}

static int by_weight(const struct function_row *a, const struct function_row *b, bool is_by_total)
{
	uint64_t left[2] = {a->self_weight, a->total_weight},
		 right[2] = {b->self_weight, b->total_weight};
	int order;

	for (size_t i = 0; i < 2; i++) {
		size_t key = is_by_total ? 1 - i : i;
		if (left[key] != right[key])
			return left[key] > right[key] ? -1 : 1;
	}
	order = strcmp(a->object, b->object);
	return order ? order : strcmp(a->name, b->name);
}

static int compare_self(const void *left, const void *right)
{
	return by_weight(left, right, false);
}

static int compare_total(const void *left, const void *right)
{
	return by_weight(left, right, true);
}

static int compare_object(const void *left, const void *right)
{
	const struct function_row *a = left, *b = right;

	if (a->object_index != b->object_index)
		return a->object_index < b->object_index ? -1 : 1;
	return by_weight(a, b, false);
}

static void sort(struct function_table *table, enum function_order order)
{
	struct map64 rank = {0}; /* an object's text, of which there is one, -> index */

	vec_sort(&table->objects, compare_self);
	for (size_t i = 0; i < table->objects.count; i++)
		*map64_put(&rank, (uintptr_t)table->objects.at[i].object, NULL) = i;
	vec_each (function, &table->functions)
		function->object_index = *map64_find(&rank, (uintptr_t)function->object);
	map64_clear(&rank);
	vec_sort(&table->functions, order == FUNCTIONS_BY_SELF    ? compare_self
				    : order == FUNCTIONS_BY_TOTAL ? compare_total
								  : compare_object);
}

void function_table_make(const struct tree *tree, const struct view_type *view,
	enum function_order order, struct function_table *ret)
{
	_cleanup_free_ uint32_t *function_of =
		xcalloc(tree->frames.count + 1, sizeof(*function_of));
	struct making making = {
		.tree = tree, .table = ret, .view = view, .function_of = function_of};

	*ret = (struct function_table){0};
	for (size_t i = 0; i < tree->nodes.count; i++) {
		const struct tree_node *node = &tree->nodes.at[i];
		if (!node->self_weight && !node->self_count)
			continue;
		ret->total_weight += node->self_weight;
		ret->total_count += node->self_count;
		ret->total_samples += tree_samples(tree, (uint32_t)i);
		add_stack(&making, (uint32_t)i);
	}
	sort(ret, order);
	map64_clear(&making.object_of);
	vec_clear(&making.function_stamps);
	vec_clear(&making.object_stamps);
}

void function_table_clear(struct function_table *table)
{
	vec_clear(&table->functions);
	vec_clear(&table->objects);
}
