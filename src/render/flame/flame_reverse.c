// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Stacks leaf first, without ever making the tree of all of them, which can be many times the one
 * they come from: nothing is shared any more. Stacks climb towards their roots in groups, a group
 * being those with the same frames so far. Each step makes the group's node and divides it by the
 * next frame. Where a group weighs too little to be drawn, its frames are only counted.
 */
#include "render/flame/flame_shape.h"
#include "util/mem.h"

/* A stack on its way: where it ends in the given tree, and the frame that it has got to. */
struct climber {
	uint32_t end;
	uint32_t at;
	uint32_t frame; /* of `at` */
};

/* Climbers at the same frame, after the same way. */
struct group {
	uint32_t start;
	uint32_t stop;
	uint32_t parent; /* in the made tree */
	bool is_thin;    /* so is the parent, which counts for all below it */
};

struct reversal {
	const struct tree *tree;
	const uint64_t *weights;
	double thin_below;
	struct flame_shape *made;
	struct climber *climbers;
	struct climber *spare;   /* room to divide a group in */
	uint32_t *number;        /* by frame: of its group in a division, +1; 0 outside of one */
	VEC(struct group) parts; /* of a division */
	VEC(struct group) waiting;
};

static bool is_thin(const struct reversal *reversal, const struct group *group)
{
	uint64_t weight = 0;

	for (uint32_t i = group->start; i < group->stop; i++)
		weight += reversal->weights[reversal->climbers[i].end];
	return (double)weight < reversal->thin_below;
}

/* The node of the group's frame, with all stacks in it that end there or further on. */
static uint32_t make_node(struct reversal *reversal, const struct group *group)
{
	const struct climber *first = &reversal->climbers[group->start];
	struct tree_step step = {first->frame, reversal->tree->nodes.at[first->at].kind};
	uint32_t node = tree_add_child(reversal->made->tree, group->parent, &step);

	for (uint32_t i = group->start; i < group->stop; i++)
		reversal->made->places[reversal->climbers[i].end] = node;
	return node;
}

/* One frame further; those that are at their root leave the group. */
static void climb(struct reversal *reversal, struct group *group)
{
	const struct tree_node *nodes = reversal->tree->nodes.at;
	uint32_t kept = group->start;

	for (uint32_t i = group->start; i < group->stop; i++) {
		struct climber climber = reversal->climbers[i];
		climber.at = nodes[climber.at].parent;
		if (climber.at == TREE_ROOT)
			continue;
		climber.frame = nodes[climber.at].frame;
		reversal->climbers[kept++] = climber;
	}
	group->stop = kept;
}

/* Parts by frame, in the order in which their first climbers stand, with their sizes as `stop`. */
static void count_parts(struct reversal *reversal, const struct group *group)
{
	reversal->parts.count = 0;
	for (uint32_t i = group->start; i < group->stop; i++) {
		uint32_t *number = &reversal->number[reversal->climbers[i].frame];
		if (!*number) {
			struct group part = {.parent = group->parent, .is_thin = group->is_thin};
			vec_push(&reversal->parts, part);
			*number = (uint32_t)reversal->parts.count;
		}
		reversal->parts.at[*number - 1].stop++;
	}
}

static void divide(struct reversal *reversal, const struct group *group)
{
	uint32_t next = group->start;

	count_parts(reversal, group);
	vec_each (part, &reversal->parts) {
		part->start = next;
		next += part->stop;
		part->stop = part->start;
	}
	for (uint32_t i = group->start; i < group->stop; i++) {
		const struct climber *climber = &reversal->climbers[i];
		struct group *part = &reversal->parts.at[reversal->number[climber->frame] - 1];
		reversal->spare[part->stop++] = *climber;
	}
	for (uint32_t i = group->start; i < group->stop; i++)
		reversal->climbers[i] = reversal->spare[i];
	/* The first is to be taken first, so it is put on top last. */
	for (size_t i = reversal->parts.count; i--;) {
		const struct group *part = &reversal->parts.at[i];
		reversal->number[reversal->climbers[part->start].frame] = 0;
		vec_push(&reversal->waiting, *part);
	}
}

/* The frames of a single stack from where it is. */
static uint32_t height(const struct tree *tree, uint32_t node)
{
	uint32_t frames = 0;

	for (; node != TREE_ROOT; node = tree->nodes.at[node].parent)
		frames++;
	return frames;
}

static void take(struct reversal *reversal, struct group group)
{
	struct flame_shape *made = reversal->made;

	if (group.is_thin && group.stop - group.start == 1) {
		made->frames.at[group.parent] +=
			height(reversal->tree, reversal->climbers[group.start].at);
		return;
	}
	if (!group.is_thin) {
		group.parent = make_node(reversal, &group);
		group.is_thin = is_thin(reversal, &group);
		vec_push(&made->frames, 0);
	}
	made->frames.at[group.parent]++;
	climb(reversal, &group);
	divide(reversal, &group);
}

static struct group gather(struct reversal *reversal)
{
	const struct tree *tree = reversal->tree;
	struct group all = {.parent = TREE_ROOT};

	for (uint32_t i = 1; i < tree->nodes.count; i++)
		if (reversal->weights[i])
			reversal->climbers[all.stop++] =
				(struct climber){i, i, tree->nodes.at[i].frame};
	return all;
}

void flame_shape_reverse(const struct tree *tree, const uint64_t *weights, double thin_below,
	struct flame_shape *ret)
{
	size_t count = 0;

	for (size_t i = 1; i < tree->nodes.count; i++)
		count += weights[i] != 0;
	_cleanup_free_ struct climber *climbers = xcalloc(count, sizeof(*climbers));
	_cleanup_free_ struct climber *spare = xcalloc(count, sizeof(*spare));
	_cleanup_free_ uint32_t *number = xcalloc(tree->frames.count, sizeof(*number));
	struct reversal reversal = {.tree = tree,
		.weights = weights,
		.thin_below = thin_below,
		.made = ret,
		.climbers = climbers,
		.spare = spare,
		.number = number};
	flame_shape_init(ret, tree);
	vec_push(&ret->frames, 0);
	struct group all = gather(&reversal);
	divide(&reversal, &all);
	while (reversal.waiting.count)
		take(&reversal, reversal.waiting.at[--reversal.waiting.count]);
	vec_clear(&reversal.parts);
	vec_clear(&reversal.waiting);
}
