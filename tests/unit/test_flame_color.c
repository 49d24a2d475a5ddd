// SPDX-License-Identifier: GPL-2.0-or-later
/* Colours: stable, readable, by kind; the file that keeps them. */
#include <errno.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "render/flame/flame_color.h"
#include "render/flame/flame_reasons.h"
#include "util/mem.h"

static struct flame_color color(enum flame_palette palette, const char *label)
{
	struct flame_kind kind = flame_kind_of(label, FRAME_USER, false);

	return flame_color_of(palette, &kind, false);
}

static bool is_same(struct flame_color a, struct flame_color b)
{
	return a.red == b.red && a.green == b.green && a.blue == b.blue;
}

/* Of WCAG 2. */
static double channel(double value)
{
	value /= 255;
	return value <= 0.03928 ? value / 12.92 : pow((value + 0.055) / 1.055, 2.4);
}

static double contrast_to_black(struct flame_color c)
{
	return (0.2126 * channel(c.red) + 0.7152 * channel(c.green) + 0.0722 * channel(c.blue) +
		       0.05) /
	       0.05;
}

/* Dark style: nine tenths of the colour over #15171b. */
static struct flame_color darkened(struct flame_color c)
{
	return (struct flame_color){(uint8_t)(0.9 * c.red + 2.1), (uint8_t)(0.9 * c.green + 2.3),
		(uint8_t)(0.9 * c.blue + 2.7)};
}

static void a_name_has_one_colour_in_all_runs(void **state)
{
	struct flame_color first = color(PALETTE_HOT, "main");
	(void)state;

	assert_true(is_same(first, color(PALETTE_HOT, "main")));
	assert_false(is_same(first, color(PALETTE_HOT, "Main")));
	assert_int_equal(first.red, 245);
	assert_int_equal(first.green, 107);
	assert_int_equal(first.blue, 57);
}

static void black_text_can_be_read_on_every_colour(void **state)
{
	(void)state;

	for (unsigned int palette = 0; palette < PALETTES; palette++)
		for (int i = 0; i < 2000; i++) {
			static const char *const forms[] = {
				"f%d", "f%d_[k]", "f%d_[j]", "f%d_[i]", "a::f%d", "x/f%d.js"};
			char name[32];
			snprintf(name, sizeof(name), forms[i % 6], i);
			struct flame_color made = color((enum flame_palette)palette, name);
			assert_true(contrast_to_black(made) >= 4.5);
			assert_true(contrast_to_black(darkened(made)) >= 4.5);
		}
	for (unsigned int why = 0; why <= REASON_PARTS; why++)
		for (int i = 0; i < 200; i++) {
			char name[32];
			snprintf(name, sizeof(name), "f%d", i);
			struct flame_kind kind = flame_kind_of(name, FRAME_USER, false);
			struct flame_color made = flame_color_of_reason(why, &kind);
			assert_true(contrast_to_black(made) >= 4.5);
			assert_true(contrast_to_black(darkened(made)) >= 4.5);
		}
	for (double change = -1; change <= 1; change += 0.01) {
		assert_true(contrast_to_black(flame_color_of_change(change, 1, false)) >= 4.5);
		assert_true(contrast_to_black(flame_color_of_change(change, 1, true)) >= 4.5);
	}
}

static void palettes_are_known_by_name(void **state)
{
	static const char *const names[] = {"hot", "mem", "io", "wakeup", "chain", "reason", "java",
		"js", "perl", "red", "green", "blue", "aqua", "yellow", "purple", "orange"};
	enum flame_palette palette;
	(void)state;

	assert_int_equal(ARRAY_SIZE(names), PALETTES);
	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		assert_true(flame_palette_from_name(names[i], &palette));
		assert_string_equal(flame_palette_name(palette), names[i]);
	}
	assert_false(flame_palette_from_name("hots", &palette));
}

/* The page has the colours in its script: a reason looks the same in both. */
static void reasons_have_the_colours_of_the_page(void **state)
{
	_cleanup_fclose_ FILE *in = fopen("web/page/colors.js", "re");
	char text[8192];
	(void)state;

	assert_non_null(in);
	text[fread(text, 1, sizeof(text) - 1, in)] = 0;
	for (unsigned int why = 0; why < REASON_PARTS; why++) {
		char plain[64], quoted[64];
		const char *word = why == REASON_PART_NO_CPU ? "runnable" : reason_part_name(why);
		snprintf(plain, sizeof(plain), "%s: '#%06x'", word, flame_reason_rgb(why));
		snprintf(quoted, sizeof(quoted), "'%s': '#%06x'", word, flame_reason_rgb(why));
		if (!strstr(text, plain) && !strstr(text, quoted))
			fail_msg("%s is not in web/page/colors.js", plain);
	}
}

static bool is_greenish(struct flame_color c)
{
	return c.green > c.red && c.green > c.blue;
}

static void suffixes_and_names_choose_in_the_palettes_of_runtimes(void **state)
{
	(void)state;

	assert_true(is_greenish(color(PALETTE_JAVA, "Lcom/foo/Bar.run_[j]")));
	assert_true(is_greenish(color(PALETTE_JAVA, "com/foo/Bar.run")));
	assert_true(color(PALETTE_JAVA, "read_[k]").blue < 110); /* orange */
	assert_true(color(PALETTE_JAVA, "a::b").blue < 125);     /* yellow */
	assert_true(color(PALETTE_JAVA, "malloc").green < 170);  /* red */
	assert_true(is_greenish(color(PALETTE_JS, "run /a/b.js:3")));
	assert_true(is_greenish(color(PALETTE_PERL, "Perl_pp_add")));
}

static void wakers_and_separators_stand_out_in_chains(void **state)
{
	struct flame_kind own = flame_kind_of("f", FRAME_USER, false);
	struct flame_kind waker = flame_kind_of("f", FRAME_USER, true);
	struct flame_color separator = color(PALETTE_CHAIN, "--");
	struct flame_color a = flame_color_of(PALETTE_CHAIN, &own, false);
	struct flame_color b = flame_color_of(PALETTE_CHAIN, &waker, false);
	(void)state;

	assert_true(a.blue > a.green + 20);
	assert_true(b.blue < b.green + 20);
	assert_true(abs(separator.red - separator.blue) < 24);
}

static void kinds_come_from_suffixes_and_from_the_tree(void **state)
{
	struct flame_kind kind = flame_kind_of("read_[k]", FRAME_USER, false);
	(void)state;

	assert_int_equal(kind.sort, FLAME_KERNEL);
	assert_int_equal(kind.length, 4);
	kind = flame_kind_of("read_[k]_[w]", FRAME_USER, false);
	assert_true(kind.sort == FLAME_KERNEL && kind.is_waker && kind.length == 4);
	assert_int_equal(flame_kind_of("read", FRAME_KERNEL, false).sort, FLAME_KERNEL);
	assert_int_equal(flame_kind_of("a_[i]", FRAME_USER, false).sort, FLAME_INLINED);
	assert_int_equal(flame_kind_of("a_[j]", FRAME_USER, false).sort, FLAME_JIT);
	assert_int_equal(flame_kind_of("_[k]", FRAME_USER, false).length, 4);
	assert_int_equal(flame_kind_of("a_[x]", FRAME_USER, false).sort, FLAME_USER);
	assert_int_equal(flame_kind_of("--", FRAME_USER, true).sort, FLAME_SEPARATOR);
}

static void names_that_begin_alike_look_alike_on_request(void **state)
{
	struct flame_kind a = flame_kind_of("ext4_file_read_iter", FRAME_USER, false);
	struct flame_kind b = flame_kind_of("ext4_file_read_end", FRAME_USER, false);
	struct flame_color x = flame_color_of(PALETTE_HOT, &a, true);
	struct flame_color y = flame_color_of(PALETTE_HOT, &b, true);
	(void)state;

	assert_true(abs(x.red - y.red) <= 1 && abs(x.green - y.green) <= 1);
}

static int read_colors(struct flame_colors *colors, const char *text, struct why *why)
{
	_cleanup_free_ char *copy = xstrdup(text);
	_cleanup_fclose_ FILE *in = fmemopen(copy, strlen(copy), "r");

	return flame_colors_read(colors, in, why);
}

static void kept_colours_are_used_again_and_written_in_order(void **state)
{
	struct flame_colors *colors = flame_colors_new();
	struct flame_color fresh = {9, 8, 7}, got;
	char *text = NULL;
	size_t size;
	(void)state;

	assert_int_equal(read_colors(colors, "main->rgb(1,2,3)\na->b->rgb(4,5,6)\n\n", NULL), 0);
	got = flame_colors_keep(colors, "main", 4, fresh);
	assert_int_equal(got.red, 1);
	got = flame_colors_keep(colors, "a->b", 4, fresh);
	assert_int_equal(got.red, 4);
	got = flame_colors_keep(colors, "aa_", 2, fresh);
	assert_int_equal(got.red, 9);
	FILE *out = open_memstream(&text, &size);
	flame_colors_write(colors, out);
	fclose(out);
	assert_string_equal(text, "a->b->rgb(4,5,6)\naa->rgb(9,8,7)\nmain->rgb(1,2,3)\n");
	free(text);
	flame_colors_free(colors);
}

static void a_damaged_file_of_colours_is_refused(void **state)
{
	static const char *const bad[] = {"main\n", "main->rgb(1,2)\n", "main->rgb(1,2,300)\n",
		"main->rgb(1,2,3)x\n", "main->blue\n"};
	(void)state;

	for (size_t i = 0; i < ARRAY_SIZE(bad); i++) {
		struct flame_colors *colors = flame_colors_new();
		struct why why = {""};
		assert_int_equal(read_colors(colors, bad[i], &why), -EINVAL);
		assert_non_null(strstr(why.text, "line 1"));
		flame_colors_free(colors);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_name_has_one_colour_in_all_runs),
		cmocka_unit_test(black_text_can_be_read_on_every_colour),
		cmocka_unit_test(palettes_are_known_by_name),
		cmocka_unit_test(reasons_have_the_colours_of_the_page),
		cmocka_unit_test(suffixes_and_names_choose_in_the_palettes_of_runtimes),
		cmocka_unit_test(wakers_and_separators_stand_out_in_chains),
		cmocka_unit_test(kinds_come_from_suffixes_and_from_the_tree),
		cmocka_unit_test(names_that_begin_alike_look_alike_on_request),
		cmocka_unit_test(kept_colours_are_used_again_and_written_in_order),
		cmocka_unit_test(a_damaged_file_of_colours_is_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
