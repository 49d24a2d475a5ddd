// SPDX-License-Identifier: GPL-2.0-or-later
/* Folded lines: order, grammar, and weights that keep their sum. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "format/folded.h"

static char *folded(const struct tree *tree, bool weighs_counts, uint64_t unit_ns)
{
	struct folded_options options = {.weighs_counts = weighs_counts, .unit_ns = unit_ns};
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	assert_non_null(out);
	folded_write(tree, &options, out);
	fclose(out);
	return text;
}

static void lines_are_sorted_by_bytes_and_root_first(void **state)
{
	struct tree tree;
	uint32_t b, a;
	(void)state;

	tree_init(&tree);
	b = tree_child(&tree, TREE_ROOT, "b", FRAME_NAME);
	a = tree_child(&tree, TREE_ROOT, "a", FRAME_NAME);
	tree_add(&tree, tree_child(&tree, b, "x", FRAME_USER), 5, 1);
	tree_add(&tree, tree_child(&tree, a, "Z", FRAME_USER), 6, 2);
	tree_add(&tree, tree_child(&tree, a, "b", FRAME_USER), 7, 0);
	tree_add(&tree, a, 8, 3);
	_cleanup_free_ char *times = folded(&tree, false, 1);
	assert_string_equal(times, "a 8\na;Z 6\na;b 7\nb;x 5\n");
	_cleanup_free_ char *counts = folded(&tree, true, 1);
	assert_string_equal(counts, "a 3\na;Z 2\nb;x 1\n");
	tree_clear(&tree);
}

static void the_same_stack_is_one_line(void **state)
{
	struct tree tree;
	(void)state;

	tree_init(&tree);
	for (int i = 0; i < 3; i++)
		tree_add(&tree, tree_child(&tree, TREE_ROOT, "a", FRAME_NAME), 1, 1);
	_cleanup_free_ char *text = folded(&tree, false, 1);
	assert_string_equal(text, "a 3\n");
	assert_int_equal(tree_total_weight(&tree), 3);
	tree_clear(&tree);
}

static void rounding_is_carried_from_line_to_line(void **state)
{
	struct tree tree;
	unsigned long long sum = 0;
	(void)state;

	tree_init(&tree);
	for (int i = 0; i < 100; i++) {
		char name[16];
		snprintf(name, sizeof(name), "f%d", i);
		tree_add(&tree, tree_child(&tree, TREE_ROOT, name, FRAME_NAME), 499, 1);
	}
	_cleanup_free_ char *text = folded(&tree, false, 1000);
	for (const char *line = text; *line; line = strchr(line, '\n') + 1)
		sum += strtoull(strchr(line, ' '), NULL, 10);
	assert_int_equal(sum, 49900 / 1000);
	assert_null(strstr(text, " 0\n"));
	tree_clear(&tree);
}

static void an_empty_tree_has_no_lines(void **state)
{
	struct tree tree;
	(void)state;

	tree_init(&tree);
	_cleanup_free_ char *text = folded(&tree, false, 1);
	assert_string_equal(text, "");
	tree_clear(&tree);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(lines_are_sorted_by_bytes_and_root_first),
		cmocka_unit_test(the_same_stack_is_one_line),
		cmocka_unit_test(rounding_is_carried_from_line_to_line),
		cmocka_unit_test(an_empty_tree_has_no_lines),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
