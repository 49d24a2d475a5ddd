// SPDX-License-Identifier: GPL-2.0-or-later
/* Where boxes lie: order, thin frames, bases, time order. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "flame_sample.h"
#include "render/flame/flame_layout.h"

/* "depth:name:start+weight " for each box; merged ones are "~count". */
static char *laid_out(const struct tree *tree, const struct flame_options *options)
{
	struct flame_layout layout;
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	assert_non_null(out);
	assert_int_equal(flame_layout_make(tree, options, 100, &layout, NULL), 0);
	vec_each (box, &layout.boxes) {
		const struct tree *shaped = layout.shaped ? layout.shaped : tree;
		fprintf(out, "%u:", box->depth);
		if (box->merged)
			fprintf(out, "~%llu", (unsigned long long)box->merged);
		else
			fputs(tree_label(shaped, box->node), out);
		fprintf(out, "%s:%llu+%llu ", box->is_after_separator ? "!" : "",
			(unsigned long long)box->start, (unsigned long long)box->weight);
	}
	fclose(out);
	flame_layout_clear(&layout);
	return text;
}

static void assert_layout(
	const char *const *stacks, const struct flame_options *options, const char *wanted)
{
	struct tree tree;

	tree_init(&tree);
	for (; *stacks; stacks++) {
		_cleanup_free_ char *copy = xstrdup(*stacks);
		char *space = strrchr(copy, ' ');
		*space = 0;
		sample_add(&tree, copy, strtoull(space + 1, NULL, 10));
	}
	_cleanup_free_ char *text = laid_out(&tree, options);
	assert_string_equal(text, wanted);
	tree_clear(&tree);
}

static void siblings_lie_in_the_order_of_their_names(void **state)
{
	static const char *const stacks[] = {"b;y 20", "a;z 30", "b;x 40", "a 10", NULL};
	struct flame_options options;
	(void)state;

	flame_options_init(&options);
	assert_layout(
		stacks, &options, "0::0+100 1:a:0+40 2:z:0+30 1:b:40+60 2:x:40+40 2:y:80+20 ");
}

static void thin_frames_are_one_box_for_each_parent(void **state)
{
	static const char *const stacks[] = {
		"a;c;d;e 3", "a;b 90", "a;f 3", "a;g 4", "z;x 0", NULL};
	struct flame_options options;
	(void)state;

	flame_options_init(&options);
	options.min_width = 5;
	assert_layout(stacks, &options, "0::0+100 1:a:0+100 2:b:0+90 2:~5:90+10 ");
	options.min_width = 0;
	options.min_share = 0.035;
	assert_layout(stacks, &options, "0::0+100 1:a:0+100 2:b:0+90 2:g:90+4 2:~4:94+6 ");
}

static void in_a_chart_time_goes_from_left_to_right(void **state)
{
	static const char *const stacks[] = {"z 50", "b 2", "c 1", "a 40", "d 3", "e 4", NULL};
	struct flame_options options;
	(void)state;

	flame_options_init(&options);
	options.is_chart = true;
	options.min_width = 5;
	assert_layout(stacks, &options, "0::0+100 1:z:0+50 1:~2:50+3 1:a:53+40 1:~2:93+7 ");
}

static void stacks_start_at_the_first_base_they_hold(void **state)
{
	static const char *const stacks[] = {
		"t;main;run_[j];work;run_[j] 10", "u;main;run_[j];work 20", "u;idle 5", NULL};
	static const char *const bases[] = {"run", "none"};
	struct flame_options options;
	(void)state;

	flame_options_init(&options);
	options.bases = bases;
	options.base_count = 2;
	assert_layout(stacks, &options,
		"0::0+35 1:run_[j]:0+30 2:work:0+30 3:run_[j]:0+10 1:u:30+5 2:idle:30+5 ");
	options.is_reversed = true;
	assert_layout(stacks, &options,
		"0::0+35 1:idle:0+5 2:u:0+5 1:run_[j]:5+10 2:work:5+10 3:run_[j]:5+10 "
		"1:work:15+20 2:run_[j]:15+20 ");
}

static void thin_frames_of_reversed_stacks_are_counted_one_by_one(void **state)
{
	static const char *const stacks[] = {"a;x;leaf 2", "a;y;leaf 1", "b;y;leaf 1", "c;big 90",
		"d;p;big 2", "d;q;big 3", "p;q;big 1", NULL};
	struct flame_options options;
	(void)state;

	flame_options_init(&options);
	options.is_reversed = true;
	options.min_width = 5;
	assert_layout(stacks, &options, "0::0+100 1:big:0+96 2:c:0+90 2:~5:90+6 1:~6:96+4 ");
	options.is_chart = true;
	assert_layout(stacks, &options, "0::0+100 1:~6:0+4 1:big:4+96 2:c:4+90 2:~5:94+6 ");
}

/* Turned round, nothing is shared: all of it would be many times the tree. */
static void a_reversed_tree_holds_no_more_than_is_drawn(void **state)
{
	struct flame_options options;
	struct flame_layout layout;
	struct tree tree;
	(void)state;

	tree_init(&tree);
	for (unsigned int i = 0; i < 10000; i++) {
		char stack[64];
		sprintf(stack, "a;b%u;c;d%u;e;same", i % 10, i);
		sample_add(&tree, stack, 1);
	}
	flame_options_init(&options);
	options.is_reversed = true;
	options.min_width = 0.1;
	assert_int_equal(flame_layout_make(&tree, &options, 100, &layout, NULL), 0);
	assert_int_equal(layout.boxes.count, 4);
	assert_int_equal(layout.merged, 40000);
	assert_true(layout.shaped->nodes.count < tree.nodes.count / 2);
	flame_layout_clear(&layout);
	tree_clear(&tree);
}

static void a_larger_total_leaves_room(void **state)
{
	static const char *const stacks[] = {"a 10", NULL};
	struct flame_options options;
	(void)state;

	flame_options_init(&options);
	options.total = 40;
	assert_layout(stacks, &options, "0::0+40 1:a:0+10 ");
	options.total = 4;
	assert_layout(stacks, &options, "0::0+10 1:a:0+10 ");
}

static void frames_behind_a_separator_are_the_wakers(void **state)
{
	static const char *const stacks[] = {"a;--;w;--;v 10", NULL};
	struct flame_options options;
	(void)state;

	flame_options_init(&options);
	assert_layout(
		stacks, &options, "0::0+10 1:a:0+10 2:--:0+10 3:w!:0+10 4:--!:0+10 5:v!:0+10 ");
}

static void a_huge_tree_costs_no_more_boxes_than_fit(void **state)
{
	struct flame_options options;
	struct flame_layout layout;
	struct tree tree;
	uint64_t merged = 0;
	(void)state;

	tree_init(&tree);
	for (int i = 0; i < 100000; i++) {
		char name[32];
		snprintf(name, sizeof(name), "f%d", i);
		tree_add(&tree, tree_child(&tree, TREE_ROOT, name, FRAME_USER), i < 10 ? 100000 : 1,
			1);
	}
	flame_options_init(&options);
	assert_int_equal(flame_layout_make(&tree, &options, 1180, &layout, NULL), 0);
	assert_int_equal(layout.boxes.count, 12);
	vec_each (box, &layout.boxes)
		merged += box->merged;
	assert_int_equal(merged, 99990);
	assert_int_equal(layout.merged, merged);
	flame_layout_clear(&layout);
	tree_clear(&tree);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(siblings_lie_in_the_order_of_their_names),
		cmocka_unit_test(thin_frames_are_one_box_for_each_parent),
		cmocka_unit_test(in_a_chart_time_goes_from_left_to_right),
		cmocka_unit_test(stacks_start_at_the_first_base_they_hold),
		cmocka_unit_test(thin_frames_of_reversed_stacks_are_counted_one_by_one),
		cmocka_unit_test(a_reversed_tree_holds_no_more_than_is_drawn),
		cmocka_unit_test(a_larger_total_leaves_room),
		cmocka_unit_test(frames_behind_a_separator_are_the_wakers),
		cmocka_unit_test(a_huge_tree_costs_no_more_boxes_than_fit),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
