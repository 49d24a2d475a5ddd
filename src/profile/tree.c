// SPDX-License-Identifier: GPL-2.0-or-later
/* The call tree. */
#include "profile/tree.h"

#include <string.h>

void tree_init(struct tree *tree)
{
	*tree = (struct tree){0};
	tree_frame(tree, "", "");
	vec_push(&tree->nodes, (struct tree_node){0});
}

void tree_clear(struct tree *tree)
{
	intern_clear(&tree->labels);
	vec_clear(&tree->frames);
	vec_clear(&tree->plain_frames);
	map64_clear(&tree->frame_of);
	vec_clear(&tree->nodes);
	vec_clear(&tree->samples);
	tree_children_clear(&tree->children);
}

static uint32_t push_frame(struct tree *tree, struct tree_frame made)
{
	vec_push(&tree->frames, made);
	return (uint32_t)tree->frames.count - 1;
}

/* Most trees keep no objects: the label alone tells the frame. */
static uint32_t plain_frame(struct tree *tree, uint32_t label)
{
	while (tree->plain_frames.count <= label)
		vec_push(&tree->plain_frames, 0);
	uint32_t *known = &tree->plain_frames.at[label];
	if (!*known)
		*known = push_frame(tree, (struct tree_frame){.label = label}) + 1;
	return *known - 1;
}

uint32_t tree_frame_bytes(struct tree *tree, const char *label, size_t length, const char *object)
{
	uint32_t number = intern_bytes(&tree->labels, label, length);
	bool is_new;

	if (!object[0])
		return plain_frame(tree, number);
	struct tree_frame made = {number, intern(&tree->labels, object)};
	uint64_t *frame =
		map64_put(&tree->frame_of, (uint64_t)made.label << 32 | made.object, &is_new);
	if (is_new)
		*frame = push_frame(tree, made);
	return (uint32_t)*frame;
}

bool tree_find_frame(const struct tree *tree, const char *label, size_t length, uint32_t *ret)
{
	uint32_t number;

	if (!intern_find(&tree->labels, label, length, &number) ||
		number >= tree->plain_frames.count || !tree->plain_frames.at[number])
		return false;
	*ret = tree->plain_frames.at[number] - 1;
	return true;
}

uint32_t tree_frame(struct tree *tree, const char *label, const char *object)
{
	return tree_frame_bytes(tree, label, strlen(label), object);
}

uint32_t tree_child(struct tree *tree, uint32_t parent, const char *label, enum frame_kind kind)
{
	return tree_child_frame(tree, parent, tree_frame(tree, label, ""), kind);
}

void tree_add(struct tree *tree, uint32_t node, uint64_t weight, uint64_t count)
{
	tree->nodes.at[node].self_weight += weight;
	tree->nodes.at[node].self_count += count;
}

void tree_add_samples(struct tree *tree, uint32_t node, uint64_t samples)
{
	while (tree->samples.count <= node)
		vec_push(&tree->samples, 0);
	tree->samples.at[node] += samples;
}

uint64_t tree_samples(const struct tree *tree, uint32_t node)
{
	return node < tree->samples.count ? tree->samples.at[node] : 0;
}

const char *tree_label(const struct tree *tree, uint32_t node)
{
	return intern_text(&tree->labels, tree->frames.at[tree->nodes.at[node].frame].label);
}

const char *tree_object(const struct tree *tree, uint32_t node)
{
	return intern_text(&tree->labels, tree->frames.at[tree->nodes.at[node].frame].object);
}

uint64_t tree_total_weight(const struct tree *tree)
{
	uint64_t total = 0;

	for (size_t i = 0; i < tree->nodes.count; i++)
		total += tree->nodes.at[i].self_weight;
	return total;
}

uint64_t tree_total_count(const struct tree *tree)
{
	uint64_t total = 0;

	for (size_t i = 0; i < tree->nodes.count; i++)
		total += tree->nodes.at[i].self_count;
	return total;
}

uint64_t tree_total_samples(const struct tree *tree)
{
	uint64_t total = 0;

	vec_each (samples, &tree->samples)
		total += *samples;
	return total;
}
