// SPDX-License-Identifier: GPL-2.0-or-later
/* The flame graph of the page for readers without scripts: an image inside the file. */
#include <errno.h>

#include "render/flame/flame_svg.h"
#include "render/page/page_pack.h"
#include "render/page/page_parts.h"

/* Boxes narrower than this are left out: nobody can zoom here. */
#define NARROWEST_PX 2

/* The same tree with labels fit for a page. */
static void copy_tree(const struct tree *tree, bool is_redacted, struct tree *ret)
{
	_cleanup_free_ uint32_t *place = xcalloc(tree->nodes.count + 1, sizeof(*place));

	tree_init(ret);
	for (size_t i = 1; i < tree->nodes.count; i++) {
		const struct tree_node *node = &tree->nodes.at[i];
		_cleanup_free_ char *label = page_text(tree_label(tree, (uint32_t)i), is_redacted);
		place[i] = tree_child(ret, place[node->parent], label, node->kind);
		tree_add(ret, place[i], node->self_weight, node->self_count);
	}
}

int page_picture(const struct page *page, struct why *why)
{
	_cleanup_free_ char *svg = NULL;
	struct flame_options options;
	struct tree tree;
	size_t size = 0;
	FILE *stream = open_memstream(&svg, &size);
	int error;

	if (!stream)
		return 0;
	copy_tree(page->options->tree, page->options->is_redacted, &tree);
	flame_options_init(&options);
	options.title = "Off-CPU time";
	options.count_name = "ns";
	options.is_time = true;
	options.min_width = NARROWEST_PX;
	error = flame_svg_write(&tree, &options, stream, why);
	tree_clear(&tree);
	fclose(stream);
	if (error)
		return error == -ENODATA ? 0 : error;
	fputs("<img class=\"still\" alt=\"Flame graph of off-CPU time\" "
	      "src=\"data:image/svg+xml;base64,",
		page->out);
	page_base64(page->out, (const unsigned char *)svg, size);
	fputs("\">\n", page->out);
	return 0;
}
