// SPDX-License-Identifier: GPL-2.0-or-later
/* Cutting trees at a base. Parents stand before their children in a tree's nodes, so one walk will
 * do. */
#include "render/flame/flame_shape.h"

#include <string.h>

#include "render/flame/flame_kind.h"
#include "util/mem.h"

/* Labels and frames stay those of the old tree: flame_shape_free_tree must not clear them. */
void flame_shape_init(struct flame_shape *shape, const struct tree *tree)
{
	struct tree *made = xmalloc(sizeof(*made));

	*made = (struct tree){.labels = tree->labels, .frames.at = tree->frames.at};
	made->frames.count = tree->frames.count;
	vec_push(&made->nodes, (struct tree_node){0});
	*shape = (struct flame_shape){
		.tree = made, .places = xcalloc(tree->nodes.count, sizeof(*shape->places))};
}

void flame_shape_free_tree(struct tree *tree)
{
	if (!tree)
		return;
	vec_clear(&tree->nodes);
	tree_children_clear(&tree->children);
	free(tree);
}

void flame_shape_clear(struct flame_shape *shape)
{
	flame_shape_free_tree(shape->tree);
	free(shape->places);
	vec_clear(&shape->frames);
	*shape = (struct flame_shape){0};
}

static bool is_base(const char *label, const char *const *bases, size_t base_count)
{
	struct flame_kind kind = flame_kind_of(label, FRAME_USER, false);

	for (size_t i = 0; i < base_count; i++)
		if (!strcmp(label, bases[i]) || (strlen(bases[i]) == kind.length &&
							!memcmp(kind.name, bases[i], kind.length)))
			return true;
	return false;
}

void flame_shape_rebase(const struct tree *tree, const char *const *bases, size_t base_count,
	struct flame_shape *ret)
{
	_cleanup_free_ bool *is_below = xcalloc(tree->nodes.count, sizeof(*is_below));
	_cleanup_free_ char *known = xcalloc(tree->frames.count + 1, 1);

	flame_shape_init(ret, tree);
	for (size_t i = 1; i < tree->nodes.count; i++) {
		const struct tree_node *node = &tree->nodes.at[i];
		uint32_t parent = ret->places[node->parent];
		if (!known[node->frame])
			known[node->frame] =
				is_base(tree_label(tree, (uint32_t)i), bases, base_count) ? 'y'
											  : 'n';
		is_below[i] = is_below[node->parent];
		if (!is_below[i] && known[node->frame] == 'y') {
			is_below[i] = true;
			parent = TREE_ROOT;
		}
		ret->places[i] = tree_child_frame(ret->tree, parent, node->frame, node->kind);
	}
}
