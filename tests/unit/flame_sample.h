/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Trees out of folded lines, and pictures of them as text. Include after cmocka. */
#ifndef DWELL_TESTS_FLAME_SAMPLE_H
#define DWELL_TESTS_FLAME_SAMPLE_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "render/flame/flame_svg.h"
#include "util/mem.h"

static inline enum frame_kind sample_kind(const char *label, bool is_first)
{
	if (is_first)
		return FRAME_NAME;
	return label[0] == '[' ? FRAME_MARK : FRAME_USER;
}

static inline void sample_add(struct tree *tree, const char *stack, uint64_t weight)
{
	_cleanup_free_ char *copy = xstrdup(stack);
	uint32_t at = TREE_ROOT;
	char *rest = copy;
	char *label;

	while ((label = strsep(&rest, ";")))
		at = tree_child(tree, at, label, sample_kind(label, at == TREE_ROOT));
	tree_add(tree, at, weight, weight);
}

static inline char *sample_svg(const struct tree *tree, const struct flame_options *options)
{
	_cleanup_free_ char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);
	struct why why = {""};

	assert_non_null(out);
	assert_int_equal(flame_svg_write(tree, options, out, &why), 0);
	fclose(out);
	/* A copy, because gcc 12 takes what comes from open_memstream for a dangling pointer. */
	return xstrdup(text);
}

/* The picture of one stack of weight 10. */
static inline char *sample_svg_of(const char *stack, const struct flame_options *options)
{
	struct tree tree;
	char *text;

	tree_init(&tree);
	sample_add(&tree, stack, 10);
	text = sample_svg(&tree, options);
	tree_clear(&tree);
	return text;
}

/* Leaves out what lies between the two words: style and script are tested elsewhere. */
static inline void sample_cut(char *text, const char *from, const char *to)
{
	char *start = strstr(text, from), *end;

	assert_non_null(start);
	start += strlen(from);
	end = strstr(start, to);
	assert_non_null(end);
	memmove(start, end, strlen(end) + 1);
}

static inline size_t sample_count(const char *text, const char *part)
{
	size_t count = 0;

	for (; (text = strstr(text, part)); text += strlen(part))
		count++;
	return count;
}

#endif
