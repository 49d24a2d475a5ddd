// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The merged tree of two sides. A child always has a larger number than its parent, so one backward
 * pass adds up totals.
 */
#include "profile/diff.h"

#include <errno.h>
#include <string.h>

#include "util/text.h"
#include "util/units.h"

static double weight_of(const struct tree_node *node, const struct diff_options *options)
{
	if (options->weighs_counts)
		return (double)node->self_count;
	return (double)node->self_weight / (options->is_no_time ? 1 : (double)NS_PER_S);
}

double diff_divisor(const struct diff_side *side, const struct diff_options *options)
{
	double total = 0;

	switch (options->scale) {
	case DIFF_PER_SECOND:
		return (double)side->window_ns / (double)NS_PER_S;
	case DIFF_SHARE:
		for (size_t i = 0; i < side->tree->nodes.count; i++)
			total += weight_of(&side->tree->nodes.at[i], options);
		return total;
	default:
		return 1;
	}
}

static uint32_t merged_child(struct diff *diff, uint32_t parent, const struct tree *from,
	uint32_t node, bool has_exact_names)
{
	enum frame_kind kind = from->nodes.at[node].kind;
	const char *label = tree_label(from, node);
	_cleanup_free_ char *folded = NULL;

	if (kind == FRAME_NAME && !has_exact_names)
		label = folded = text_fold_digits(label);
	/* The name of a file, not its path: builds to be compared lie in different folders. */
	const char *object = tree_object(from, node), *slash = strrchr(object, '/');
	uint32_t frame = tree_frame(&diff->tree, label, slash ? slash + 1 : object);
	return tree_child_frame(&diff->tree, parent, frame, kind);
}

static void add_side(struct diff *diff, const struct diff_side *side,
	const struct diff_options *options, bool is_after)
{
	const struct tree *from = side->tree;
	double divisor = diff_divisor(side, options);
	_cleanup_free_ uint32_t *merged = xcalloc(from->nodes.count, sizeof(*merged));

	for (uint32_t i = 0; i < from->nodes.count; i++) {
		merged[i] = i == TREE_ROOT ? TREE_ROOT
					   : merged_child(diff, merged[from->nodes.at[i].parent],
						     from, i, options->has_exact_names);
		while (diff->weights.count < diff->tree.nodes.count)
			vec_push(&diff->weights, (struct diff_weight){0});
		double weight = weight_of(&from->nodes.at[i], options);
		struct diff_weight *sum = &diff->weights.at[merged[i]];
		if (divisor > 0)
			*(is_after ? &sum->self_after : &sum->self_before) += weight / divisor;
	}
}

static void add_up(struct diff *diff)
{
	for (size_t i = diff->weights.count; i--;) {
		struct diff_weight *weight = &diff->weights.at[i];

		weight->total_before += weight->self_before;
		weight->total_after += weight->self_after;
		if (i == TREE_ROOT)
			break;
		struct diff_weight *parent = &diff->weights.at[diff->tree.nodes.at[i].parent];
		parent->total_before += weight->total_before;
		parent->total_after += weight->total_after;
	}
}

int diff_make(const struct diff_side *before, const struct diff_side *after,
	const struct diff_options *options, struct diff *ret)
{
	if (options->scale == DIFF_PER_SECOND && (!before->window_ns || !after->window_ns))
		return -EINVAL;
	struct diff diff = {0};
	tree_init(&diff.tree);
	add_side(&diff, before, options, false);
	add_side(&diff, after, options, true);
	add_up(&diff);
	*ret = diff;
	return 0;
}

void diff_clear(struct diff *diff)
{
	tree_clear(&diff->tree);
	vec_clear(&diff->weights);
}
