// SPDX-License-Identifier: GPL-2.0-or-later
/* The call tree: what is in it is found again, however it got there. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "profile/tree_feed.h"

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

/* Stacks that landed, in order: node and what it carried. */
struct landed {
	uint32_t nodes[3000];
	size_t count;
};

static void note(uint32_t node, const struct tree_load *load, void *context)
{
	struct landed *landed = context;

	assert_int_equal(load->first, landed->count);
	landed->nodes[landed->count++] = node;
}

static void stacks_that_are_fed_are_the_same_as_frame_by_frame(void **unused)
{
	static struct tree_step stacks[3000][DEPTH];
	static size_t depths[3000];
	struct landed landed = {.count = 0};
	struct tree tree;
	struct tree_feed feed;
	uint32_t state = 1;
	(void)unused;

	tree_init(&tree);
	fill(&tree, 1, 100, 9);
	tree_feed_init(&feed, &tree, note, &landed);
	for (size_t round = 0; round < 3000; round++) {
		struct tree_load load = {.first = round};
		size_t depth = 1 + chance(&state) % DEPTH, shared = 0;
		for (size_t i = 0; i < depth; i++)
			stacks[round][i] = (struct tree_step){1 + chance(&state) % 2, FRAME_KERNEL};
		/* Fewer than they share is true too. */
		while (round && shared < depth && shared < depths[round - 1] &&
			stacks[round][shared].frame == stacks[round - 1][shared].frame &&
			chance(&state) % 9)
			shared++;
		depths[round] = depth;
		tree_feed_add(&feed, shared, stacks[round] + shared, depth - shared, &load);
	}
	tree_feed_finish(&feed);
	tree_feed_clear(&feed);
	assert_int_equal(landed.count, 3000);
	size_t count = tree.nodes.count;
	for (size_t round = 0; round < 3000; round++) {
		uint32_t at = TREE_ROOT;
		for (size_t i = 0; i < depths[round]; i++)
			at = tree_child_frame(&tree, at, stacks[round][i].frame, FRAME_KERNEL);
		assert_int_equal(at, landed.nodes[round]);
	}
	assert_int_equal(tree.nodes.count, count);
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
		cmocka_unit_test(stacks_that_are_fed_are_the_same_as_frame_by_frame),
		cmocka_unit_test(a_frame_is_its_label_and_its_object),
		cmocka_unit_test(a_child_that_was_added_is_a_new_one),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
