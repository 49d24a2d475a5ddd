// SPDX-License-Identifier: GPL-2.0-or-later
/* The call tree: what is in it is found again, however it got there. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "profile/tree.h"

#define DEPTH 40

static uint32_t chance(uint32_t *state)
{
	*state = *state * 1664525u + 1013904223u;
	return *state >> 8;
}

/* A few hundred to some ten thousand nodes, with few and with many siblings. */
static void fill(struct tree *tree, uint32_t seed, uint32_t wanted, uint32_t frames)
{
	uint32_t state = seed;

	for (uint32_t i = 0; i < frames; i++) {
		char name[16];
		snprintf(name, sizeof(name), "f%u", i);
		tree_frame(tree, name, "");
	}
	while (tree->nodes.count < wanted)
		tree_child_frame(tree, chance(&state) % (uint32_t)tree->nodes.count,
			1 + chance(&state) % frames, FRAME_USER);
}

static void every_child_is_found_again_after_the_table_grew(void **unused)
{
	(void)unused;

	for (uint32_t seed = 1; seed < 60; seed++) {
		struct tree tree;
		tree_init(&tree);
		fill(&tree, seed, 300 + seed * seed * 20, seed % 2 ? 3000 : 7);
		size_t count = tree.nodes.count;
		for (uint32_t i = 1; i < count; i++) {
			const struct tree_node *node = &tree.nodes.at[i];
			assert_int_equal(
				tree_child_frame(&tree, node->parent, node->frame, node->kind), i);
		}
		assert_int_equal(tree.nodes.count, count);
		tree_clear(&tree);
	}
}

static void a_stack_at_once_is_the_same_as_frame_by_frame(void **unused)
{
	struct tree tree;
	struct tree_step steps[DEPTH];
	uint32_t nodes[DEPTH], state = 1;
	(void)unused;

	tree_init(&tree);
	fill(&tree, 1, 100, 9);
	for (int round = 0; round < 2000; round++) {
		size_t depth = chance(&state) % (DEPTH + 1);
		uint32_t at = chance(&state) % 100, parent = at;
		for (size_t i = 0; i < depth; i++)
			steps[i] = (struct tree_step){1 + chance(&state) % 2, FRAME_KERNEL};
		tree_descend(&tree, at, steps, depth, nodes);
		for (size_t i = 0; i < depth; i++) {
			assert_int_equal(tree.nodes.at[nodes[i]].parent, parent);
			assert_int_equal(
				tree_child_frame(&tree, parent, steps[i].frame, FRAME_KERNEL),
				nodes[i]);
			parent = nodes[i];
		}
	}
	tree_clear(&tree);
}

static void a_frame_is_its_label_and_its_object(void **unused)
{
	struct tree tree;
	(void)unused;

	tree_init(&tree);
	uint32_t plain = tree_frame(&tree, "read", "");
	uint32_t libc = tree_frame(&tree, "read", "libc.so.6");
	assert_int_not_equal(plain, libc);
	assert_int_not_equal(libc, tree_frame(&tree, "read", "other.so"));
	assert_int_equal(tree_frame(&tree, "read", "libc.so.6"), libc);
	assert_int_equal(tree_frame_bytes(&tree, "reading", 4, ""), plain);
	uint32_t node = tree_child_frame(&tree, TREE_ROOT, libc, FRAME_USER);
	assert_string_equal(tree_label(&tree, node), "read");
	assert_string_equal(tree_object(&tree, node), "libc.so.6");
	tree_clear(&tree);
}

static void a_child_that_was_added_is_a_new_one(void **unused)
{
	struct tree tree;
	(void)unused;

	tree_init(&tree);
	struct tree_step step = {tree_frame(&tree, "a", ""), FRAME_USER};
	uint32_t first = tree_add_child(&tree, TREE_ROOT, &step);
	assert_int_not_equal(tree_add_child(&tree, TREE_ROOT, &step), first);
	tree_clear(&tree);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_child_is_found_again_after_the_table_grew),
		cmocka_unit_test(a_stack_at_once_is_the_same_as_frame_by_frame),
		cmocka_unit_test(a_frame_is_its_label_and_its_object),
		cmocka_unit_test(a_child_that_was_added_is_a_new_one),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
