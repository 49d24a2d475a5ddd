// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Folded text out of a call tree, lines in the order of their bytes without ever making them to
 * sort them. A node is up to two items among its siblings: its own line, which ends with the
 * label, and the lines below it, which go on with ';'. Items are ordered by rank: that of their
 * label with that ending among all of the tree's labels.
 */
#include "format/folded.h"

#include <string.h>

#include "profile/rounding.h"

/* Items of a node, or of a frame. */
#define LINE 0
#define BELOW 1

struct folding {
	const struct tree *tree;
	const struct folded_options *options;
	uint32_t *ranks; /* two for each frame */
	uint32_t *first; /* by node: first item below it, +1; 0: none */
	uint32_t *next;  /* by item: the one behind it, +1 */
	VEC(char) path;  /* of the line to be written */
};

static uint64_t weight_of(const struct folding *folding, size_t node)
{
	const struct tree_node *at = &folding->tree->nodes.at[node];

	return folding->options->weighs_counts ? at->self_count : at->self_weight;
}

static const char *label_of_frame(const struct tree *tree, uint32_t frame)
{
	return intern_text(&tree->labels, tree->frames.at[frame].label);
}

static int compare_endings(const void *left, const void *right, void *context)
{
	const uint32_t *a = left, *b = right;
	const unsigned char *x = (const void *)label_of_frame(context, *a / 2);
	const unsigned char *y = (const void *)label_of_frame(context, *b / 2);

	while (*x && *x == *y) {
		x++;
		y++;
	}
	int last_x = *x ? *x : *a % 2 == BELOW ? ';' : 0;
	int last_y = *y ? *y : *b % 2 == BELOW ? ';' : 0;
	/* One name may be in two objects. */
	return last_x != last_y ? last_x - last_y : (*a > *b) - (*a < *b);
}

static void rank_frames(struct folding *folding)
{
	size_t count = folding->tree->frames.count * 2;
	_cleanup_free_ uint32_t *order = xcalloc(count, sizeof(*order));

	for (uint32_t i = 0; i < count; i++)
		order[i] = i;
	qsort_r(order, count, sizeof(*order), compare_endings, (void *)folding->tree);
	folding->ranks = xcalloc(count, sizeof(*folding->ranks));
	for (uint32_t i = 0; i < count; i++)
		folding->ranks[order[i]] = i;
}

static uint32_t rank_of(const struct folding *folding, size_t item)
{
	return folding->ranks[folding->tree->nodes.at[item / 2].frame * 2 + item % 2];
}

/* Of the nodes that have lines, items in the order of their ranks: counted, then put in place. */
static uint32_t *order_items(const struct folding *folding, const char *has, size_t *ret_count)
{
	size_t items = folding->tree->nodes.count * 2, ranks = folding->tree->frames.count * 2;
	_cleanup_free_ uint32_t *starts = xcalloc(ranks + 1, sizeof(*starts));
	size_t count = 0;

	for (size_t i = 2; i < items; i++)
		if (has[i / 2] & 1 << i % 2) {
			starts[rank_of(folding, i) + 1]++;
			count++;
		}
	for (size_t i = 0; i < ranks; i++)
		starts[i + 1] += starts[i];
	uint32_t *order = xcalloc(count, sizeof(*order));
	for (size_t i = 2; i < items; i++)
		if (has[i / 2] & 1 << i % 2)
			order[starts[rank_of(folding, i)]++] = (uint32_t)i;
	*ret_count = count;
	return order;
}

/* Lists of items below each node, in order: the last one is put in front of the list first. */
static void link_items(struct folding *folding)
{
	const struct tree *tree = folding->tree;
	_cleanup_free_ char *has = xcalloc(tree->nodes.count, 1);
	size_t count;

	for (size_t i = tree->nodes.count; i-- > 1;) {
		if (weight_of(folding, i))
			has[i] |= 1 << LINE;
		if (has[i])
			has[tree->nodes.at[i].parent] |= 1 << BELOW;
	}
	_cleanup_free_ uint32_t *order = order_items(folding, has, &count);
	folding->first = xcalloc(tree->nodes.count, sizeof(*folding->first));
	folding->next = xcalloc(tree->nodes.count * 2, sizeof(*folding->next));
	while (count--) {
		uint32_t *first = &folding->first[tree->nodes.at[order[count] / 2].parent];
		folding->next[order[count]] = *first;
		*first = order[count] + 1;
	}
}

static void put_number(FILE *out, uint64_t number)
{
	char digits[24], *at = digits + sizeof(digits);

	*--at = '\n';
	do
		*--at = (char)('0' + number % 10);
	while (number /= 10);
	*--at = ' ';
	fwrite(at, 1, (size_t)(digits + sizeof(digits) - at), out);
}

static void append(struct folding *folding, const char *text, size_t length)
{
	vec_append(&folding->path, text, length);
}

/* The items below the root, with a stack of our own: stacks of 10,000 frames exist. */
static size_t write_lines(struct folding *folding, FILE *out)
{
	struct place {
		uint32_t item; /* the next one, +1 */
		size_t length; /* of the path above */
	};
	VEC(struct place) above = {0};
	struct carry carry = {0};
	uint64_t unit = folding->options->weighs_counts ? 1 : folding->options->unit_ns;
	size_t written = 0;

	vec_push(&above, ((struct place){folding->first[TREE_ROOT], 0}));
	while (above.count) {
		struct place *place = &above.at[above.count - 1];
		if (!place->item) {
			above.count--;
			continue;
		}
		uint32_t item = place->item - 1, node = item / 2;
		const char *label = tree_label(folding->tree, node);
		place->item = folding->next[item];
		if (place->item)
			__builtin_prefetch(&folding->tree->nodes.at[(place->item - 1) / 2]);
		folding->path.count = place->length;
		append(folding, label, strlen(label));
		if (item % 2 == BELOW) {
			append(folding, ";", 1);
			vec_push(&above,
				((struct place){folding->first[node], folding->path.count}));
			continue;
		}
		uint64_t units = carry_divide(&carry, weight_of(folding, node), unit);
		if (units) {
			fwrite(folding->path.at, 1, folding->path.count, out);
			put_number(out, units);
			written++;
		}
	}
	vec_clear(&above);
	return written;
}

size_t folded_write(const struct tree *tree, const struct folded_options *options, FILE *out)
{
	struct folding folding = {.tree = tree, .options = options};
	size_t written;

	rank_frames(&folding);
	link_items(&folding);
	written = write_lines(&folding, out);
	free(folding.ranks);
	free(folding.first);
	free(folding.next);
	vec_clear(&folding.path);
	return written;
}
