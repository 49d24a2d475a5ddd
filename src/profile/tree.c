// SPDX-License-Identifier: GPL-2.0-or-later
/* The call tree. */
#include "profile/tree.h"

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
	map64_clear(&tree->frame_of);
	vec_clear(&tree->nodes);
	map64_clear(&tree->children);
}

uint32_t tree_frame(struct tree *tree, const char *label, const char *object)
{
	struct tree_frame made = {intern(&tree->labels, label), intern(&tree->labels, object)};
	bool is_new;
	uint64_t *frame =
		map64_put(&tree->frame_of, (uint64_t)made.label << 32 | made.object, &is_new);

	if (is_new) {
		*frame = tree->frames.count;
		vec_push(&tree->frames, made);
	}
	return (uint32_t)*frame;
}

uint32_t tree_child_frame(struct tree *tree, uint32_t parent, uint32_t frame, enum frame_kind kind)
{
	bool is_new;
	uint64_t *node = map64_put(&tree->children, (uint64_t)parent << 32 | frame, &is_new);

	if (is_new) {
		struct tree_node made = {.parent = parent, .frame = frame, .kind = kind};
		*node = tree->nodes.count;
		vec_push(&tree->nodes, made);
	}
	return (uint32_t)*node;
}

uint32_t tree_child(struct tree *tree, uint32_t parent, const char *label, enum frame_kind kind)
{
	return tree_child_frame(tree, parent, tree_frame(tree, label, ""), kind);
}

void tree_add(struct tree *tree, uint32_t node, uint64_t ns, uint64_t count)
{
	tree->nodes.at[node].self_ns += ns;
	tree->nodes.at[node].self_count += count;
}

const char *tree_label(const struct tree *tree, uint32_t node)
{
	return intern_text(&tree->labels, tree->frames.at[tree->nodes.at[node].frame].label);
}

const char *tree_object(const struct tree *tree, uint32_t node)
{
	return intern_text(&tree->labels, tree->frames.at[tree->nodes.at[node].frame].object);
}

uint64_t tree_total_ns(const struct tree *tree)
{
	uint64_t total = 0;

	for (size_t i = 0; i < tree->nodes.count; i++)
		total += tree->nodes.at[i].self_ns;
	return total;
}

uint64_t tree_total_count(const struct tree *tree)
{
	uint64_t total = 0;

	for (size_t i = 0; i < tree->nodes.count; i++)
		total += tree->nodes.at[i].self_count;
	return total;
}
