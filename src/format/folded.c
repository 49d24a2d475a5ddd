// SPDX-License-Identifier: GPL-2.0-or-later
/* Folded text out of a call tree. */
#include "format/folded.h"

#include <string.h>

#include "profile/rounding.h"

struct line {
	char *stack;
	uint64_t weight;
};

static int compare_lines(const void *left, const void *right)
{
	const struct line *a = left, *b = right;

	return strcmp(a->stack, b->stack);
}

/* The labels from the root to the node, joined by ';'. */
static char *stack_text(const struct tree *tree, uint32_t node)
{
	size_t length = 0;
	char *text, *at;

	for (uint32_t i = node; i != TREE_ROOT; i = tree->nodes.at[i].parent)
		length += strlen(tree_label(tree, i)) + 1;
	text = xmalloc(length + 1);
	at = text + length;
	*at = 0;
	for (uint32_t i = node; i != TREE_ROOT; i = tree->nodes.at[i].parent) {
		const char *label = tree_label(tree, i);
		size_t bytes = strlen(label);
		*--at = i == node ? 0 : ';';
		at -= bytes;
		memcpy(at, label, bytes);
	}
	return text;
}

size_t folded_write(const struct tree *tree, const struct folded_options *options, FILE *out)
{
	VEC(struct line) lines = {0};
	struct carry carry = {0};
	uint64_t unit = options->weighs_counts ? 1 : options->unit_ns;
	size_t written = 0;

	for (size_t i = 1; i < tree->nodes.count; i++) {
		const struct tree_node *node = &tree->nodes.at[i];
		uint64_t weight = options->weighs_counts ? node->self_count : node->self_ns;
		if (weight) {
			struct line line = {stack_text(tree, (uint32_t)i), weight};
			vec_push(&lines, line);
		}
	}
	vec_sort(&lines, compare_lines);
	vec_each (line, &lines) {
		uint64_t units = carry_divide(&carry, line->weight, unit);
		if (units) {
			fprintf(out, "%s %llu\n", line->stack, (unsigned long long)units);
			written++;
		}
		free(line->stack);
	}
	vec_clear(&lines);
	return written;
}
