// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Laying out in three walks: weights from the leaves to the root (children stand behind their
 * parents, so from the last node to the first), lists of children, then the boxes from the root,
 * with a stack of our own because stacks of 10,000 frames exist. Only children that are drawn are
 * sorted, so the cost of a huge tree is the first two walks.
 */
#include "render/flame/flame_layout.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "render/flame/flame_kind.h"
#include "render/flame/flame_shape.h"
#include "render/flame/flame_shares.h"
#include "util/mem.h"

/* A tree with its weights, first of the stacks that end in a node, then of all through it. */
struct weights {
	const struct tree *tree;
	uint64_t *weight;
	uint64_t *before; /* NULL if nothing is compared */
	uint64_t *after;
	uint64_t *running; /* NULL without shares */
	uint64_t *runnable;
	struct reason_part *parts; /* NULL if boxes do not say why */
	size_t part_count;
	/* Nodes in the subtree that weigh something; before they are summed up NULL, or those that
	 * the node stands for. */
	uint32_t *frames;
	uint32_t *first; /* child; 0: none */
	uint32_t *next;  /* sibling */
};

struct layout_walk {
	const struct weights *weights;
	const struct flame_options *options;
	double threshold; /* thinner ones are merged */
	VEC(struct flame_box) waiting;
	VEC(uint32_t) children;
	struct flame_layout *layout;
};

static uint64_t *copy_weights(const uint64_t *from, size_t count)
{
	uint64_t *made = xcalloc(count, sizeof(*made));

	memcpy(made, from, count * sizeof(*made));
	return made;
}

static void take_shares(struct weights *weights)
{
	const struct tree *tree = weights->tree;

	weights->running = xcalloc(tree->nodes.count, sizeof(*weights->running));
	weights->runnable = xcalloc(tree->nodes.count, sizeof(*weights->runnable));
	for (uint32_t i = 0; i < tree->nodes.count; i++) {
		enum flame_share share = flame_share_of(tree_label(tree, i));
		if (share == SHARE_RUNNING)
			weights->running[i] = weights->weight[i];
		else if (share == SHARE_RUNNABLE)
			weights->runnable[i] = weights->weight[i];
	}
}

static void take_parts(struct weights *weights, const struct reason_parts *parts)
{
	weights->part_count = parts->at.count;
	weights->parts = xcalloc(parts->at.count + 1, sizeof(*weights->parts));
	memcpy(weights->parts, parts->at.at, parts->at.count * sizeof(*weights->parts));
}

static void take_weights(
	const struct tree *tree, const struct flame_options *options, struct weights *ret)
{
	size_t count = tree->nodes.count;

	ret->tree = tree;
	ret->weight = xcalloc(count, sizeof(*ret->weight));
	for (size_t i = 0; i < count; i++)
		ret->weight[i] = options->weighs_counts ? tree->nodes.at[i].self_count
							: tree->nodes.at[i].self_weight;
	if (options->before && options->after) {
		ret->before = copy_weights(options->before, count);
		ret->after = copy_weights(options->after, count);
	} else if (flame_shares_apply(tree, ret->weight)) {
		take_shares(ret);
	} else if (options->palette == PALETTE_REASON && options->parts) {
		take_parts(ret, options->parts);
	}
}

static void clear_weights(struct weights *weights)
{
	free(weights->weight);
	free(weights->before);
	free(weights->after);
	free(weights->running);
	free(weights->runnable);
	free(weights->parts);
	free(weights->frames);
	free(weights->first);
	free(weights->next);
}

static void move_weights(uint64_t **weights, const uint32_t *places, size_t from, size_t to)
{
	uint64_t *made;

	if (!*weights)
		return;
	made = xcalloc(to, sizeof(*made));
	for (size_t i = 0; i < from; i++)
		made[places[i]] += (*weights)[i];
	free(*weights);
	*weights = made;
}

/* Puts the shaped tree in the place of the given one. */
static void reshape(struct weights *weights, struct flame_layout *layout, struct flame_shape *shape)
{
	size_t from = weights->tree->nodes.count, to = shape->tree->nodes.count;

	move_weights(&weights->weight, shape->places, from, to);
	move_weights(&weights->before, shape->places, from, to);
	move_weights(&weights->after, shape->places, from, to);
	move_weights(&weights->running, shape->places, from, to);
	move_weights(&weights->runnable, shape->places, from, to);
	for (size_t i = 0; i < weights->part_count; i++)
		weights->parts[i].node = shape->places[weights->parts[i].node];
	flame_shape_free_tree(layout->shaped);
	weights->tree = layout->shaped = shape->tree;
	weights->frames = shape->frames.at;
	shape->tree = NULL;
	shape->frames.at = NULL;
	flame_shape_clear(shape);
}

static void shape(struct weights *weights, const struct flame_options *options, double threshold,
	struct flame_layout *layout)
{
	struct flame_shape made;

	if (options->base_count) {
		flame_shape_rebase(weights->tree, options->bases, options->base_count, &made);
		reshape(weights, layout, &made);
	}
	if (options->is_reversed) {
		flame_shape_reverse(weights->tree, weights->weight, threshold, &made);
		reshape(weights, layout, &made);
	}
}

/* A change is signed, so one bit is left out. */
static bool fits(const uint64_t *weights, size_t count, uint64_t *ret_total)
{
	uint64_t total = 0;

	for (size_t i = 0; weights && i < count; i++)
		if (__builtin_add_overflow(total, weights[i], &total) || total > INT64_MAX)
			return false;
	*ret_total = total;
	return true;
}

static int check_total(const struct weights *weights, uint64_t *ret_total, struct why *why)
{
	size_t count = weights->tree->nodes.count;
	uint64_t total, unused;

	if (!fits(weights->before, count, &unused) || !fits(weights->after, count, &unused) ||
		!fits(weights->weight, count, &total))
		return why_set(why, -EOVERFLOW, "the weights add up to more than 2^63");
	if (!total)
		return why_set(why, -ENODATA, "there is nothing to draw");
	*ret_total = total;
	return 0;
}

static void sum_up(struct weights *weights)
{
	const struct tree *tree = weights->tree;
	size_t count = tree->nodes.count;
	bool is_each_one = !weights->frames;

	if (is_each_one)
		weights->frames = xcalloc(count, sizeof(*weights->frames));
	weights->first = xcalloc(count, sizeof(*weights->first));
	weights->next = xcalloc(count, sizeof(*weights->next));
	for (size_t i = count; i-- > 1;) {
		uint32_t parent = tree->nodes.at[i].parent;
		weights->weight[parent] += weights->weight[i];
		if (weights->before) {
			weights->before[parent] += weights->before[i];
			weights->after[parent] += weights->after[i];
		}
		if (weights->running) {
			weights->running[parent] += weights->running[i];
			weights->runnable[parent] += weights->runnable[i];
		}
		weights->frames[i] += is_each_one && weights->weight[i];
		weights->frames[parent] += weights->frames[i];
		weights->next[i] = weights->first[parent];
		weights->first[parent] = (uint32_t)i;
	}
}

static int compare_labels(const void *left, const void *right, void *context)
{
	const uint32_t *a = left, *b = right;
	int order = strcmp(tree_label(context, *a), tree_label(context, *b));

	/* One name may be in two objects. */
	return order ? order : strcmp(tree_object(context, *a), tree_object(context, *b));
}

static void note_change(const struct weights *weights, struct flame_box *box)
{
	if (!weights->before || box->merged)
		return;
	box->change = (int64_t)(weights->after[box->node] - weights->before[box->node]);
	box->is_new = !weights->before[box->node];
	box->is_gone = !weights->after[box->node];
}

static void note_shares(const struct weights *weights, struct flame_box *box)
{
	/* With --total the root is wider than what is known of it. */
	if (!weights->running || box->merged || box->weight != weights->weight[box->node])
		return;
	box->is_striped = true;
	box->running = weights->running[box->node];
	box->runnable = weights->runnable[box->node];
}

static void wait_for(struct layout_walk *walk, struct flame_box box)
{
	note_change(walk->weights, &box);
	note_shares(walk->weights, &box);
	vec_push(&walk->waiting, box);
}

/* The merged box is waiting last; it grows, or a new one is made. */
static void merge(struct layout_walk *walk, const struct flame_box *box, bool goes_on)
{
	struct flame_box *last = &walk->waiting.at[walk->waiting.count - 1];

	if (!goes_on) {
		wait_for(walk, *box);
		return;
	}
	last->weight += box->weight;
	last->merged += box->merged;
}

/* In the order of nodes, each run of thin ones merged where it is. */
static void place_in_order(struct layout_walk *walk, struct flame_box child, uint32_t parent)
{
	const struct weights *weights = walk->weights;
	bool goes_on = false;

	for (uint32_t n = weights->first[parent]; n; n = weights->next[n]) {
		bool is_thin = (double)weights->weight[n] < walk->threshold;
		if (!weights->weight[n])
			continue;
		child.weight = weights->weight[n];
		child.merged = is_thin ? weights->frames[n] : 0;
		child.node = is_thin ? parent : n;
		if (is_thin)
			merge(walk, &child, goes_on);
		else
			wait_for(walk, child);
		goes_on = is_thin;
		child.start += weights->weight[n];
	}
}

/* By name, all thin ones merged behind them. */
static void place_by_name(struct layout_walk *walk, struct flame_box child, uint32_t parent)
{
	const struct weights *weights = walk->weights;
	struct flame_box thin = child;

	walk->children.count = 0;
	for (uint32_t n = weights->first[parent]; n; n = weights->next[n]) {
		if ((double)weights->weight[n] >= walk->threshold && weights->weight[n]) {
			vec_push(&walk->children, n);
		} else {
			thin.weight += weights->weight[n];
			thin.merged += weights->frames[n];
		}
	}
	if (walk->children.count > 1)
		qsort_r(walk->children.at, walk->children.count, sizeof(*walk->children.at),
			compare_labels, (void *)weights->tree);
	vec_each (n, &walk->children) {
		child.node = *n;
		child.weight = weights->weight[*n];
		wait_for(walk, child);
		child.start += child.weight;
	}
	thin.start = child.start;
	if (thin.merged)
		wait_for(walk, thin);
}

static void reverse_boxes(struct flame_box *boxes, size_t count)
{
	for (size_t i = 0; i < count / 2; i++) {
		struct flame_box kept = boxes[i];
		boxes[i] = boxes[count - 1 - i];
		boxes[count - 1 - i] = kept;
	}
}

static void place_children(struct layout_walk *walk, const struct flame_box *parent)
{
	size_t before = walk->waiting.count;
	struct flame_box child = {.node = parent->node,
		.depth = parent->depth + 1,
		.start = parent->start,
		.is_after_separator = parent->is_after_separator};

	if (parent->node != TREE_ROOT &&
		flame_kind_is_hop(tree_label(walk->weights->tree, parent->node)))
		child.is_after_separator = true;
	if (walk->options->is_chart)
		place_in_order(walk, child, parent->node);
	else
		place_by_name(walk, child, parent->node);
	/* The first child is taken off the stack first. */
	reverse_boxes(walk->waiting.at + before, walk->waiting.count - before);
}

static void add_box(struct flame_layout *layout, const struct flame_box *box)
{
	int64_t size = box->change < 0 ? -box->change : box->change;

	vec_push(&layout->boxes, *box);
	layout->merged += box->merged;
	if (box->depth > layout->depth)
		layout->depth = box->depth;
	/* The root's change would dwarf the others'. */
	if (box->depth && size > layout->largest_change)
		layout->largest_change = size;
}

static void walk_down(const struct weights *weights, const struct flame_options *options,
	double threshold, struct flame_layout *layout)
{
	struct layout_walk walk = {
		.weights = weights, .options = options, .threshold = threshold, .layout = layout};
	struct flame_box root = {.node = TREE_ROOT, .weight = layout->total};

	wait_for(&walk, root);
	while (walk.waiting.count) {
		struct flame_box box = walk.waiting.at[--walk.waiting.count];
		add_box(layout, &box);
		if (!box.merged)
			place_children(&walk, &box);
	}
	vec_clear(&walk.waiting);
	vec_clear(&walk.children);
}

/* A walk over the tree for each reason, so that memory follows the boxes and not the nodes. */
static void note_reasons(const struct weights *weights, const struct flame_options *options,
	struct flame_layout *layout)
{
	bool is_there[REASON_PARTS] = {false};
	_cleanup_free_ uint64_t *sums = NULL;

	if (!weights->parts)
		return;
	sums = xcalloc(weights->tree->nodes.count, sizeof(*sums));
	layout->reasons = xcalloc(layout->boxes.count, sizeof(*layout->reasons));
	for (size_t i = 0; i < weights->part_count; i++)
		is_there[weights->parts[i].why] = true;
	for (unsigned int why = 0; why < REASON_PARTS; why++) {
		if (!is_there[why])
			continue;
		flame_reason_sums(weights->tree, weights->parts, weights->part_count, why,
			options->weighs_counts, sums);
		for (size_t i = 0; i < layout->boxes.count; i++)
			if (!layout->boxes.at[i].merged)
				layout->reasons[i][why] = sums[layout->boxes.at[i].node];
	}
}

/* What a box must weigh to be drawn. */
static double threshold_of(const struct flame_options *options, double width, uint64_t total)
{
	double share = options->min_share > 0 ? options->min_share : options->min_width / width;

	return share * (double)total;
}

int flame_layout_make(const struct tree *tree, const struct flame_options *options, double width,
	struct flame_layout *ret, struct why *why)
{
	struct flame_layout layout = {0};
	struct weights weights = {0};
	int error;

	take_weights(tree, options, &weights);
	error = check_total(&weights, &layout.total, why);
	if (!error) {
		if (options->total > layout.total)
			layout.total = options->total;
		double threshold = threshold_of(options, width, layout.total);
		shape(&weights, options, threshold, &layout);
		sum_up(&weights);
		layout.has_shares = weights.running;
		if (weights.before) {
			layout.before_total = weights.before[TREE_ROOT];
			layout.after_total = weights.after[TREE_ROOT];
		}
		walk_down(&weights, options, threshold, &layout);
		note_reasons(&weights, options, &layout);
		*ret = layout;
	}
	clear_weights(&weights);
	return error;
}

void flame_layout_clear(struct flame_layout *layout)
{
	vec_clear(&layout->boxes);
	free(layout->reasons);
	flame_shape_free_tree(layout->shaped);
	layout->shaped = NULL;
}
