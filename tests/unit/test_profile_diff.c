// SPDX-License-Identifier: GPL-2.0-or-later
/* Two trees as one: what matches, what changed, and which function is to blame. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include <errno.h>

#include "profile/diff.h"
#include "util/text.h"
#include "util/units.h"

/* A stack of a program: thread, main, a function, the C library, the kernel. */
static void add(struct tree *tree, const char *thread, const char *function, uint64_t ns)
{
	uint32_t node = tree_child(tree, TREE_ROOT, thread, FRAME_NAME);

	node = tree_child_frame(tree, node, tree_frame(tree, "main", "/bin/prog"), FRAME_USER);
	node = tree_child_frame(tree, node, tree_frame(tree, function, "/bin/prog"), FRAME_USER);
	node = tree_child_frame(
		tree, node, tree_frame(tree, "nanosleep", "/lib/libc.so.6"), FRAME_USER);
	node = tree_child_frame(tree, node, tree_frame(tree, "schedule", "[kernel]"), FRAME_KERNEL);
	tree_add(tree, node, ns, 1);
}

static int begin(void **state)
{
	struct tree *trees = xcalloc(2, sizeof(*trees));

	tree_init(&trees[0]);
	tree_init(&trees[1]);
	*state = trees;
	return 0;
}

static int end(void **state)
{
	struct tree *trees = *state;

	tree_clear(&trees[0]);
	tree_clear(&trees[1]);
	free(trees);
	return 0;
}

static struct diff made(const struct tree *trees, enum diff_scale scale, uint64_t window_ns)
{
	struct diff_side before = {.tree = &trees[0], .window_ns = NS_PER_S};
	struct diff_side after = {.tree = &trees[1], .window_ns = window_ns};
	struct diff_options options = {.scale = scale};
	struct diff diff;

	assert_int_equal(diff_make(&before, &after, &options, &diff), 0);
	return diff;
}

static const char *name_of(const struct diff *diff, const struct diff_function *function)
{
	return intern_text(&diff->tree.labels, diff->tree.frames.at[function->frame].label);
}

static void a_recording_against_itself_has_no_change(void **state)
{
	struct tree *trees = *state;
	diff_functions functions;

	for (int i = 0; i < 2; i++) {
		add(&trees[i], "worker-1", "fast", 300 * NS_PER_MS);
		add(&trees[i], "worker-1", "slow", 700 * NS_PER_MS);
	}
	struct diff diff = made(trees, DIFF_PER_SECOND, NS_PER_S);
	diff_rank(&diff, &functions);
	assert_int_equal(functions.count, 0);
	assert_true(diff_worst_growth(&diff, &functions) == 0);
	vec_clear(&functions);
	diff_clear(&diff);
}

static void the_function_made_slower_comes_first(void **state)
{
	struct tree *trees = *state;
	diff_functions functions;

	add(&trees[0], "worker-1", "same", 500 * NS_PER_MS);
	add(&trees[0], "worker-1", "slowed", 100 * NS_PER_MS);
	add(&trees[0], "worker-1", "removed", 50 * NS_PER_MS);
	add(&trees[1], "worker-9", "same", 500 * NS_PER_MS);
	add(&trees[1], "worker-9", "slowed", 400 * NS_PER_MS);
	add(&trees[1], "worker-9", "added", 20 * NS_PER_MS);
	struct diff diff = made(trees, DIFF_PER_SECOND, NS_PER_S);
	diff_rank(&diff, &functions);
	assert_string_equal(name_of(&diff, &functions.at[0]), "slowed");
	assert_int_equal(functions.at[0].change, DIFF_SLOWER);
	assert_true(functions.at[0].own_after - functions.at[0].own_before > 0.299);
	assert_string_equal(name_of(&diff, &functions.at[1]), "removed");
	assert_int_equal(functions.at[1].change, DIFF_GONE);
	assert_string_equal(name_of(&diff, &functions.at[2]), "added");
	assert_int_equal(functions.at[2].change, DIFF_NEW);
	/* main's total grew by 270 of 650 ms. */
	assert_true(diff_worst_growth(&diff, &functions) > 0.41);
	vec_clear(&functions);
	diff_clear(&diff);
}

static void a_longer_window_is_not_slower(void **state)
{
	struct tree *trees = *state;
	diff_functions functions;

	add(&trees[0], "t", "f", 500 * NS_PER_MS);
	add(&trees[1], "t", "f", 1000 * NS_PER_MS);
	struct diff diff = made(trees, DIFF_PER_SECOND, 2 * NS_PER_S);
	diff_rank(&diff, &functions);
	assert_int_equal(functions.count, 0);
	vec_clear(&functions);
	diff_clear(&diff);

	diff = made(trees, DIFF_RAW, 2 * NS_PER_S);
	diff_rank(&diff, &functions);
	assert_true(functions.count > 0);
	vec_clear(&functions);
	diff_clear(&diff);
}

static void per_second_needs_a_window(void **state)
{
	struct tree *trees = *state;
	struct diff_side side = {.tree = &trees[0]};
	struct diff_options options = {.scale = DIFF_PER_SECOND};
	struct diff diff;

	assert_int_equal(diff_make(&side, &side, &options, &diff), -EINVAL);
}

static void recursion_counts_once(void **state)
{
	struct tree *trees = *state;
	diff_functions functions;

	for (int i = 0; i < 2; i++) {
		uint32_t node = tree_child(&trees[i], TREE_ROOT, "t", FRAME_NAME);
		for (int depth = 0; depth < 5; depth++)
			node = tree_child(&trees[i], node, "again", FRAME_USER);
		tree_add(&trees[i], node, (uint64_t)(i + 1) * NS_PER_S, 1);
	}
	struct diff diff = made(trees, DIFF_RAW, NS_PER_S);
	diff_rank(&diff, &functions);
	assert_int_equal(functions.count, 1);
	assert_true(functions.at[0].total_before == 1 && functions.at[0].total_after == 2);
	assert_true(functions.at[0].own_before == 1 && functions.at[0].own_after == 2);
	vec_clear(&functions);
	diff_clear(&diff);
}

static void a_wait_is_of_the_function_that_waited_not_of_its_waker(void **state)
{
	static const char *const waker[] = {"unlock", "release", "main"};
	struct tree *trees = *state;
	diff_functions functions;

	for (int i = 0; i < 2; i++) {
		uint32_t node = tree_child(&trees[i], TREE_ROOT, "t", FRAME_NAME);
		node = tree_child(&trees[i], node, "waits", FRAME_USER);
		node = tree_child(&trees[i], node, "schedule", FRAME_KERNEL);
		node = tree_child(&trees[i], node, "--", FRAME_MARK);
		for (size_t j = 0; j < ARRAY_SIZE(waker); j++)
			node = tree_child(&trees[i], node, waker[j], FRAME_USER);
		node = tree_child(&trees[i], node, "w", FRAME_NAME);
		tree_add(&trees[i], node, (uint64_t)(1 + i) * 100 * NS_PER_MS, 1);
	}
	struct diff diff = made(trees, DIFF_RAW, NS_PER_S);
	diff_rank(&diff, &functions);
	assert_string_equal(name_of(&diff, &functions.at[0]), "waits");
	assert_true(functions.at[0].own_after > functions.at[0].own_before);
	vec_clear(&functions);
	diff_clear(&diff);
}

static void digits_fold_in_names_of_threads_only(void **state)
{
	_cleanup_free_ char *folded = text_fold_digits("pool-12-thread-3");
	(void)state;

	assert_string_equal(folded, "pool-*-thread-*");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(
			a_recording_against_itself_has_no_change, begin, end),
		cmocka_unit_test_setup_teardown(the_function_made_slower_comes_first, begin, end),
		cmocka_unit_test_setup_teardown(a_longer_window_is_not_slower, begin, end),
		cmocka_unit_test_setup_teardown(per_second_needs_a_window, begin, end),
		cmocka_unit_test_setup_teardown(recursion_counts_once, begin, end),
		cmocka_unit_test_setup_teardown(
			a_wait_is_of_the_function_that_waited_not_of_its_waker, begin, end),
		cmocka_unit_test(digits_fold_in_names_of_threads_only),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
