// SPDX-License-Identifier: GPL-2.0-or-later
/* Flame graphs as SVG: the whole text of small ones, and what hostile names come to. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "flame_sample.h"
#include "golden.h"
#include "render/flame/flame_reasons.h"
#include "render/flame/svg_assets.h"

static struct flame_options plain(void)
{
	struct flame_options options;

	flame_options_init(&options);
	return options;
}

static void add_sample(struct tree *tree)
{
	tree_init(tree);
	sample_add(tree, "postgres;main;PostgresMain;fdatasync;do_syscall_64_[k];schedule_[k]",
		2000000000);
	sample_add(tree, "postgres;main;PostgresMain;poll;do_syscall_64_[k];[runq]", 400000000);
	sample_add(tree, "java;Interpreter;Lcom/foo/Bar.run_[j];Map.get_[i]", 900000000);
	sample_add(
		tree, "redis;epoll_wait;schedule_[k];--;try_to_wake_up_[k];send;nginx", 700000000);
	sample_add(tree, "redis;thin_one;below", 40000);
	sample_add(tree, "redis;thin_two", 30000);
}

static void assert_picture(const struct flame_options *options, const char *golden)
{
	struct tree tree;

	add_sample(&tree);
	_cleanup_free_ char *text = sample_svg(&tree, options);
	sample_cut(text, "<style>", "</style>");
	sample_cut(text, "<script>", "</script>");
	assert_golden(text, golden);
	tree_clear(&tree);
}

static void a_picture_has_titles_boxes_labels_and_a_legend(void **state)
{
	struct flame_options options = plain();
	(void)state;

	options.title = "Off-CPU time";
	options.subtitle = "10.0 s, all threads";
	options.notes = "a < b";
	options.is_time = true;
	options.palette = PALETTE_CHAIN;
	assert_picture(&options, "flame.svg");
}

/* The node in which the stack of these labels ends. */
static uint32_t end_of(struct tree *tree, const char *stack)
{
	_cleanup_free_ char *copy = xstrdup(stack);
	uint32_t at = TREE_ROOT;
	char *rest = copy, *label;

	while ((label = strsep(&rest, ";")))
		at = tree_child(tree, at, label, sample_kind(label, at == TREE_ROOT));
	return at;
}

static void add_part(struct tree *tree, struct reason_parts *parts, const char *stack,
	enum reason reason, uint64_t weight)
{
	sample_add(tree, stack, weight);
	reason_parts_add(parts, end_of(tree, stack), reason, weight, weight);
}

static void assert_fill(const char *text, const char *title, unsigned int why, const char *name)
{
	struct flame_kind kind = flame_kind_of(name, FRAME_USER, false);
	struct flame_color color = flame_color_of_reason(why, &kind);
	const char *at = strstr(text, title);
	char fill[32];

	snprintf(fill, sizeof(fill), "fill=\"#%02x%02x%02x\"", color.red, color.green, color.blue);
	if (!at)
		fail_msg("%s is not in %s", title, text);
	assert_true(strstr(at, fill) && strstr(at, fill) < strstr(at, "</g>"));
}

/* Also of stacks that are turned around, whose nodes are others. */
static void boxes_have_the_colour_of_the_reason_that_took_most(void **state)
{
	struct flame_options options = plain();
	struct reason_parts parts = {0}, of_other = {0};
	struct tree tree, other;
	(void)state;

	tree_init(&tree);
	tree_init(&other);
	add_part(&tree, &parts, "app;main;get", REASON_LOCK, 700);
	add_part(&tree, &parts, "app;main;get", REASON_DISK, 200);
	add_part(&tree, &parts, "app;main;put;--;wake", REASON_DISK, 900);
	/* Of this no reason took half. */
	for (int i = 0; i < 3; i++)
		add_part(&other, &of_other, "app;mix",
			(enum reason[]){REASON_LOCK, REASON_DISK, REASON_PIPE}[i], 100);
	options.palette = PALETTE_REASON;
	options.parts = &of_other;
	_cleanup_free_ char *mixed = sample_svg(&other, &options);
	assert_fill(mixed, "mix\n300 samples, 100.00%", REASON_PARTS, "mix");
	reason_parts_clear(&of_other);
	tree_clear(&other);
	options.parts = &parts;
	_cleanup_free_ char *text = sample_svg(&tree, &options);
	assert_non_null(strstr(text, ">disk 61 %</text>"));
	assert_non_null(strstr(text, ">lock 39 %</text>"));
	assert_true(strstr(text, ">disk 61 %") < strstr(text, ">lock 39 %"));
	assert_fill(text, "get\n900 samples, 50.00%, lock 78%, disk 22%", REASON_LOCK, "get");
	assert_fill(text, "put\n900 samples, 50.00%, disk 100%", REASON_DISK, "put");
	/* Half of it or more is one reason's. */
	assert_fill(text, "main\n1,800 samples, 100.00%, disk 61%, lock 39%", REASON_DISK, "main");
	/* Whoever ended the wait has a colour apart. */
	struct flame_kind waker = flame_kind_of("wake", FRAME_USER, true);
	struct flame_color color = flame_color_of(PALETTE_REASON, &waker, false);
	char fill[32];
	snprintf(fill, sizeof(fill), "fill=\"#%02x%02x%02x\"", color.red, color.green, color.blue);
	assert_non_null(strstr(strstr(text, "<title>wake"), fill));

	options.is_reversed = true;
	_cleanup_free_ char *reversed = sample_svg(&tree, &options);
	assert_fill(reversed, "get\n900 samples, 50.00%, lock 78%, disk 22%", REASON_LOCK, "get");
	reason_parts_clear(&parts);
	tree_clear(&tree);
}

static void an_icicle_has_its_root_on_top(void **state)
{
	struct flame_options options = plain();
	(void)state;

	options.is_inverted = true;
	options.width = 600;
	options.count_name = "us";
	options.factor = 0.001;
	options.cuts_start = true;
	options.background = "#102030";
	assert_picture(&options, "flame-inverted.svg");
}

static void reversed_stacks_start_with_their_leaves(void **state)
{
	struct flame_options options = plain();
	(void)state;

	options.is_reversed = true;
	options.palette = PALETTE_JAVA;
	options.background = "green";
	assert_picture(&options, "flame-reversed.svg");
}

static void a_long_name_of_what_is_counted_is_cut_between_characters(void **state)
{
	struct flame_options options = plain();
	struct tree tree;
	(void)state;

	/* 63 bytes and then one character of two: it would end at the 65th. */
	options.count_name = "123456789 123456789 123456789 123456789 123456789 123456789 12"
			     "3\xc3\xa9t\xc3\xa9s";
	tree_init(&tree);
	sample_add(&tree, "app;main", 7);
	_cleanup_free_ char *text = sample_svg(&tree, &options);
	assert_non_null(strstr(text, "<title>app\n7 123456789 123456789 123456789 123456789 "
				     "123456789 123456789 123, 100.00%<"));
	tree_clear(&tree);
}

/* As the view hotcold has them, with a box too narrow for stripes. */
static void add_hotcold(struct tree *tree)
{
	sample_add(tree, "app;main;work;[running]", 3000);
	sample_add(tree, "app;main;work;[runnable]", 1000);
	sample_add(tree, "app;main;read;[blocked disk]", 5990);
	sample_add(tree, "app;main;tiny;[running]", 6);
	sample_add(tree, "app;main;tiny;[blocked lock]", 4);
}

static void boxes_of_hotcold_are_striped_by_their_shares(void **state)
{
	struct flame_options options = plain();
	struct tree tree;
	(void)state;

	tree_init(&tree);
	add_hotcold(&tree);
	_cleanup_free_ char *text = sample_svg(&tree, &options);
	sample_cut(text, "<style>", "</style>");
	sample_cut(text, "<script>", "</script>");
	assert_golden(text, "flame-hotcold.svg");
	assert_non_null(strstr(text, "<title>work\n4,000 samples, 40.00%, 75.0% running, 25.0% "
				     "runnable<"));
	assert_non_null(strstr(text, "<title>app\n10,000 samples, 100.00%, 30.1% running, 10.0% "
				     "runnable, 59.9% blocked<"));
	tree_clear(&tree);
}

static void one_stack_of_another_kind_and_nothing_is_striped(void **state)
{
	struct flame_options options = plain();
	struct tree tree;
	(void)state;

	tree_init(&tree);
	add_hotcold(&tree);
	options.total = 20000;
	_cleanup_free_ char *wider = sample_svg(&tree, &options);
	assert_non_null(strstr(wider, "<title>all\n20,000 samples, 100.00%<"));
	assert_non_null(strstr(wider, "<title>app\n10,000 samples, 50.00%, 30.1% running"));
	sample_add(&tree, "app;main", 1);
	_cleanup_free_ char *text = sample_svg(&tree, &options);
	assert_null(strstr(text, "data-r="));
	assert_null(strstr(text, ">runnable</text>"));
	tree_clear(&tree);
}

static void the_same_input_gives_the_same_bytes(void **state)
{
	struct flame_options options = plain();
	struct tree a, b;
	(void)state;

	tree_init(&a);
	sample_add(&a, "x;y", 3);
	sample_add(&a, "x;a", 4);
	tree_init(&b);
	sample_add(&b, "x;a", 4);
	sample_add(&b, "x;y", 3);
	_cleanup_free_ char *first = sample_svg(&a, &options);
	_cleanup_free_ char *second = sample_svg(&b, &options);
	assert_string_equal(first, second);
	tree_clear(&a);
	tree_clear(&b);
}

static void names_stay_text_whatever_they_hold(void **state)
{
	static const struct {
		const char *name, *written;
	} cases[] = {
		{"<script>alert(1)</script>", "&lt;script&gt;alert(1)&lt;/script&gt;"},
		{"]]>", "]]&gt;"},
		{"\"a\" & 'b'", "&quot;a&quot; &amp; &#39;b&#39;"},
		{"tab\there\x1b[31m", "tab?here?[31m"},
		{"bad\xff.\xc3(utf", "bad?.?(utf"},
		{"no\xef\xbf\xbf char", "no? char"},
		{"turn\xe2\x80\xaeround", "turn?round"},
		{"gr\xc3\xbc\xc3\x9f", "gr\xc3\xbc\xc3\x9f"},
		{"", "[no name]"},
	};
	(void)state;

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct flame_options options = plain();
		_cleanup_free_ char *stack = xasprintf("root;%s", cases[i].name);
		_cleanup_free_ char *title = xasprintf("<title>%s\n", cases[i].written);
		_cleanup_free_ char *label = xasprintf(">%s</text>", cases[i].written);
		options.title = options.subtitle = options.notes = cases[i].name;
		options.count_name = options.name_type = options.font_type = cases[i].name;
		_cleanup_free_ char *text = sample_svg_of(stack, &options);
		assert_non_null(strstr(text, title));
		assert_non_null(strstr(text, label));
		assert_int_equal(sample_count(text, "<script>"), 1);
		assert_int_equal(sample_count(text, "]]>"), 2);
	}
}

static void a_name_of_a_megabyte_is_cut_and_says_so(void **state)
{
	struct flame_options options = plain();
	_cleanup_free_ char *name = xmalloc((1 << 20) + 1);
	(void)state;

	memset(name, 'a', 1 << 20);
	name[1 << 20] = 0;
	/* A character across the limit is not broken. */
	memcpy(name + 4095, "\xc3\xbc", 2);
	_cleanup_free_ char *text = sample_svg_of(name, &options);
	assert_non_null(strstr(text, "aaa\xe2\x80\xa6 (1,048,576 bytes)\n10 samples"));
	assert_true(strlen(text) < 64 << 10);
}

static void thousands_of_frames_above_each_other_are_drawn(void **state)
{
	struct flame_options options = plain();
	struct tree tree;
	uint32_t at = TREE_ROOT;
	(void)state;

	tree_init(&tree);
	for (int i = 0; i < 10000; i++)
		at = tree_child(&tree, at, i % 2 ? "a" : "b", FRAME_USER);
	tree_add(&tree, at, 1, 1);
	options.is_reversed = true;
	_cleanup_free_ char *text = sample_svg(&tree, &options);
	assert_non_null(strstr(text, "data-d=\"10000\""));
	assert_int_equal(sample_count(text, "data-d="), 10001);
	tree_clear(&tree);
}

static void a_tree_without_weight_is_no_picture(void **state)
{
	struct flame_options options = plain();
	struct why why = {""};
	struct tree tree;
	(void)state;

	tree_init(&tree);
	tree_child(&tree, TREE_ROOT, "a", FRAME_NAME);
	assert_int_equal(flame_svg_write(&tree, &options, stdout, &why), -ENODATA);
	assert_string_not_equal(why.text, "");
	sample_add(&tree, "a", UINT64_MAX);
	sample_add(&tree, "b", 1);
	assert_int_equal(flame_svg_write(&tree, &options, stdout, &why), -EOVERFLOW);
	tree_clear(&tree);
}

static void links_are_followed_and_scripts_are_not_taken(void **state)
{
	struct flame_options options = plain();
	struct flame_attributes *attributes = flame_attributes_new();
	char good[] = "main\thref=https://example.org/?a=1&b=2\tclass=own\ttitle=see <here>\n"
		      "poll\thref=poll.html#x:y\ttarget=_blank\n";
	static const char *const bad[] = {"main\thref=javascript:alert(1)\n",
		"main\thref=JavaScript:alert(1)\n", "main\thref=data:text/html,x\n",
		"main\thref=java\x01script:x\n", "main\tonclick=alert(1)\n", "main\n"};
	_cleanup_fclose_ FILE *in = fmemopen(good, strlen(good), "r");
	(void)state;

	assert_int_equal(flame_attributes_read(attributes, in, NULL), 0);
	options.attributes = attributes;
	_cleanup_free_ char *text = sample_svg_of("a;main;poll", &options);
	assert_non_null(strstr(text, "<a href=\"https://example.org/?a=1&amp;b=2\" target=\"_top\" "
				     "class=\"f own\""));
	assert_non_null(strstr(text, "100.00%, see &lt;here&gt;</title>"));
	assert_non_null(strstr(text, "<a href=\"poll.html#x:y\" target=\"_blank\""));
	for (size_t i = 0; i < ARRAY_SIZE(bad); i++) {
		_cleanup_free_ char *copy = xstrdup(bad[i]);
		_cleanup_fclose_ FILE *stream = fmemopen(copy, strlen(copy), "r");
		struct why why = {""};
		assert_int_equal(flame_attributes_read(attributes, stream, &why), -EINVAL);
		assert_string_not_equal(why.text, "");
	}
	flame_attributes_free(attributes);
}

static void a_comparison_is_told_in_colour_and_in_figures(void **state)
{
	struct flame_options options = plain();
	uint64_t before[4] = {0, 0, 50, 50}, after[4] = {0, 0, 80, 0};
	struct tree tree;
	(void)state;

	tree_init(&tree);
	sample_add(&tree, "a;more", 80);
	sample_add(&tree, "a;gone", 50);
	options.before = before;
	options.after = after;
	_cleanup_free_ char *text = sample_svg(&tree, &options);
	assert_non_null(strstr(text, "<title>a\n130 samples, 100.00%, -20.00%<"));
	assert_non_null(strstr(text, "<title>more\n80 samples, 61.54%, +30.00%<"));
	assert_non_null(strstr(text, "<title>gone\n50 samples, 38.46%, -50.00%, gone<"));
	assert_non_null(strstr(text, "fill=\"#6eaafa\"")); /* the largest change, less */
	assert_non_null(strstr(text, ">gone -50.00%, gone</text>"));
	assert_non_null(strstr(text, ">more</text>") && strstr(text, ">less</text>"));
	options.is_negated = true;
	_cleanup_free_ char *negated = sample_svg(&tree, &options);
	assert_null(strstr(negated, "\"#6eaafa\""));
	assert_non_null(strstr(negated, "\"#ec6048\""));
	tree_clear(&tree);
}

static void script_and_style_do_not_end_their_elements(void **state)
{
	(void)state;

	assert_null(strstr(svg_asset_flame_js, "]]>"));
	assert_null(strstr(svg_asset_flame_css, "]]>"));
	assert_null(strstr(svg_asset_flame_js, "</"));
	/* Nothing is fetched: the only addresses are names of XML. */
	assert_int_equal(sample_count(svg_asset_flame_js, "://"),
		sample_count(svg_asset_flame_js, "http://www.w3.org/"));
	assert_null(strstr(svg_asset_flame_css, "://"));
	assert_null(strstr(svg_asset_flame_css, "@import"));
}

static void widths_and_backgrounds_are_checked(void **state)
{
	static const char *const bad[] = {"", "x", "-1", "1px", "101%", "nan", "1e9"};
	struct flame_options options = plain();
	(void)state;

	for (size_t i = 0; i < ARRAY_SIZE(bad); i++)
		assert_int_equal(flame_options_set_min_width(&options, bad[i]), -EINVAL);
	assert_int_equal(flame_options_set_min_width(&options, "0.5%"), 0);
	assert_true(options.min_share > 0.00499 && options.min_share < 0.00501);
	assert_int_equal(flame_options_set_min_width(&options, "2"), 0);
	assert_true(options.min_width == 2 && options.min_share == 0);
	assert_true(flame_background_is_known("#01aBff") && flame_background_is_known("blue"));
	assert_false(flame_background_is_known("#01aBf") || flame_background_is_known("red;}"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_picture_has_titles_boxes_labels_and_a_legend),
		cmocka_unit_test(boxes_have_the_colour_of_the_reason_that_took_most),
		cmocka_unit_test(an_icicle_has_its_root_on_top),
		cmocka_unit_test(reversed_stacks_start_with_their_leaves),
		cmocka_unit_test(a_long_name_of_what_is_counted_is_cut_between_characters),
		cmocka_unit_test(boxes_of_hotcold_are_striped_by_their_shares),
		cmocka_unit_test(one_stack_of_another_kind_and_nothing_is_striped),
		cmocka_unit_test(the_same_input_gives_the_same_bytes),
		cmocka_unit_test(names_stay_text_whatever_they_hold),
		cmocka_unit_test(a_name_of_a_megabyte_is_cut_and_says_so),
		cmocka_unit_test(thousands_of_frames_above_each_other_are_drawn),
		cmocka_unit_test(a_tree_without_weight_is_no_picture),
		cmocka_unit_test(links_are_followed_and_scripts_are_not_taken),
		cmocka_unit_test(a_comparison_is_told_in_colour_and_in_figures),
		cmocka_unit_test(script_and_style_do_not_end_their_elements),
		cmocka_unit_test(widths_and_backgrounds_are_checked),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
