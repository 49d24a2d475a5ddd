// SPDX-License-Identifier: GPL-2.0-or-later
/* Rebuilding trees. Parents stand before their children in a tree's nodes, so one walk will do. */
#include "render/flame_shape.h"

#include <string.h>

#include "profile/tree_feed.h"
#include "render/flame_kind.h"
#include "util/mem.h"

/* Labels and frames stay those of the old tree: flame_shape_free must not clear them. */
static struct tree *borrow_frames(const struct tree *tree)
{
	struct tree *made = xmalloc(sizeof(*made));

	*made = (struct tree){.labels = tree->labels, .frames.at = tree->frames.at};
	made->frames.count = tree->frames.count;
	vec_push(&made->nodes, (struct tree_node){0});
	return made;
}

void flame_shape_free(struct tree *tree)
{
	if (!tree)
		return;
	vec_clear(&tree->nodes);
	tree_children_clear(&tree->children);
	free(tree);
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

struct tree *flame_shape_rebase(
	const struct tree *tree, const char *const *bases, size_t base_count, uint32_t **ret_places)
{
	struct tree *made = borrow_frames(tree);
	uint32_t *places = xcalloc(tree->nodes.count, sizeof(*places));
	_cleanup_free_ bool *is_below = xcalloc(tree->nodes.count, sizeof(*is_below));
	_cleanup_free_ char *known = xcalloc(tree->frames.count + 1, 1);

	for (size_t i = 1; i < tree->nodes.count; i++) {
		const struct tree_node *node = &tree->nodes.at[i];
		uint32_t parent = places[node->parent];
		if (!known[node->frame])
			known[node->frame] =
				is_base(tree_label(tree, (uint32_t)i), bases, base_count) ? 'y'
											  : 'n';
		is_below[i] = is_below[node->parent];
		if (!is_below[i] && known[node->frame] == 'y') {
			is_below[i] = true;
			parent = TREE_ROOT;
		}
		places[i] = tree_child_frame(made, parent, node->frame, node->kind);
	}
	*ret_places = places;
	return made;
}

static void note_place(uint32_t node, const struct tree_load *load, void *context)
{
	uint32_t *places = context;

	places[load->first] = node;
}

struct tree *flame_shape_reverse(
	const struct tree *tree, const uint64_t *weights, uint32_t **ret_places)
{
	struct tree *made = borrow_frames(tree);
	uint32_t *places = xcalloc(tree->nodes.count, sizeof(*places));
	VEC(struct tree_step) steps = {0};
	struct tree_feed feed;

	tree_feed_init(&feed, made, note_place, places);
	for (size_t i = 1; i < tree->nodes.count; i++) {
		struct tree_load load = {.first = i};
		if (!weights[i])
			continue;
		steps.count = 0;
		for (uint32_t n = (uint32_t)i; n != TREE_ROOT; n = tree->nodes.at[n].parent) {
			const struct tree_node *node = &tree->nodes.at[n];
			vec_push(&steps, ((struct tree_step){node->frame, node->kind}));
		}
		tree_feed_add(&feed, 0, steps.at, steps.count, &load);
	}
	tree_feed_finish(&feed);
	tree_feed_clear(&feed);
	vec_clear(&steps);
	*ret_places = places;
	return made;
}
