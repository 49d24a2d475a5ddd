// SPDX-License-Identifier: GPL-2.0-or-later
/* Names in a page: bounded, harmless, and without paths where that is asked for. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <string.h>

#include "render/page_pack.h"
#include "render/page_text.h"
#include "util/mem.h"

static void text_becomes_text_in_elements_and_attributes(void **state)
{
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);
	(void)state;

	page_put_text(out, "</script><b a=\"1\" c='2'>&");
	fclose(out);
	assert_string_equal(text, "&lt;/script&gt;&lt;b a=&quot;1&quot; c=&#39;2&#39;&gt;&amp;");
	free(text);
}

static void a_name_of_a_megabyte_is_cut_between_characters(void **state)
{
	_cleanup_free_ char *huge = xmalloc(1 << 20);
	(void)state;

	/* An odd start, so that the cut would fall into a character of two bytes. */
	huge[0] = 'x';
	for (size_t i = 1; i + 2 < 1 << 20; i += 2)
		memcpy(huge + i, "\xc3\xa4", 2);
	memset(huge + (1 << 20) - 2, 0, 2);
	_cleanup_free_ char *cut = page_text(huge, false);
	assert_true(strlen(cut) <= PAGE_TEXT_BYTES);
	assert_null(strchr(cut, '?'));
	assert_string_equal(cut + strlen(cut) - 5, "\xc3\xa4...");
}

static void control_and_direction_characters_go(void **state)
{
	_cleanup_free_ char *clean = page_text("a\033[31m\xe2\x80\xae"
					       "b\x7f",
		false);
	(void)state;

	assert_string_equal(clean, "a?[31m?b?");
}

static void redaction_leaves_the_last_part_of_a_path(void **state)
{
	static const struct {
		const char *text;
		const char *wanted;
	} cases[] = {
		{"/home/someone/bin/app", "app"},
		{"LazyCompile:~f file:///home/u/x.js:1", "LazyCompile:~f x.js:1"},
		{"open(/etc/passwd)", "open(passwd)"},
		{"~/notes.txt", "notes.txt"},
		{"kworker/0:1", "kworker/0:1"},
		{"operator/(Ratio const&, int)", "operator/(Ratio const&, int)"},
		{"a > b / c", "a > b / c"},
		{"src/lib/x.c", "x.c"},
		{"", ""},
	};
	(void)state;

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		_cleanup_free_ char *text = page_text(cases[i].text, true);
		assert_string_equal(text, cases[i].wanted);
	}
}

static void base64_reads_as_others_write_it(void **state)
{
	static const char *const wanted[] = {
		"", "Zg==", "Zm8=", "Zm9v", "Zm9vYg==", "Zm9vYmE=", "Zm9vYmFy"};
	(void)state;

	for (size_t length = 0; length < ARRAY_SIZE(wanted); length++) {
		char *text = NULL;
		size_t size;
		FILE *out = open_memstream(&text, &size);
		page_base64(out, (const unsigned char *)"foobar", length);
		fclose(out);
		assert_string_equal(text, wanted[length]);
		free(text);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(text_becomes_text_in_elements_and_attributes),
		cmocka_unit_test(a_name_of_a_megabyte_is_cut_between_characters),
		cmocka_unit_test(control_and_direction_characters_go),
		cmocka_unit_test(redaction_leaves_the_last_part_of_a_path),
		cmocka_unit_test(base64_reads_as_others_write_it),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
