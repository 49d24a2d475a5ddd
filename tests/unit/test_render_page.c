// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Names in a page: bounded, harmless, and without paths where that is asked for. What the page says
 * of measures, in its data and without scripts.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <string.h>

#include "render/page/page_pack.h"
#include "render/page/page_text.h"
#include "util/mem.h"
#include "page_sample.h"

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

/* A measure with that name and word for one event: two threads have 30 and 10, in three slices. */
static void add_measure(struct view_sample *sample, const struct rec_measure *measure)
{
	struct rec_count row = {.measure = measure->id,
		.thread = 1,
		.kernel_stack = STACK_NONE,
		.user_stack = sample_user(sample, "main;grow;/opt/lib/touch"),
		.count = 10,
		.value = 10,
		.max_value = 1,
		.events = 10};

	recording_writer_put_measure(sample->writer, measure);
	for (uint32_t slice = 0; slice < 3; slice++) {
		row.slice = slice;
		recording_writer_add_count(sample->writer, &row);
	}
	row.thread = 4;
	row.slice = 9;
	recording_writer_add_count(sample->writer, &row);
}

/* The page of a recording of 10 s with these measures. */
static char *page_with(const struct rec_measure *measures, size_t count, bool is_redacted)
{
	struct view_sample sample;

	sample_begin(&sample, 10);
	sample_fill(&sample);
	for (size_t i = 0; i < count; i++)
		add_measure(&sample, &measures[i]);
	sample_finish(&sample);
	char *text = page_of(&sample, is_redacted);
	sample_end(&sample);
	return text;
}

static void measures_are_views_behind_the_others_with_tables_of_their_own(void **state)
{
	static const struct rec_measure measures[] = {
		{7, "page-faults", "count", "page fault", "first touches", "event"},
		{9, "alloc", "bytes", "allocation", "memory asked for", "event"},
		{10, "quanta", "furlongs", "quantum", "", "event"}};
	_cleanup_free_ char *page = page_with(measures, ARRAY_SIZE(measures), false);
	_cleanup_free_ char *head = head_of(page);
	const char *last = strstr(head, "\"name\":\"chain\"");
	const char *first = strstr(head, "\"name\":\"page-faults\"");
	(void)state;

	assert_non_null(strstr(head, "\"version\":3,"));
	assert_non_null(last);
	assert_true(first > last);
	assert_non_null(strstr(first,
		"\"title\":\"Page faults\",\"about\":\"first touches\",\"weight\":\"page faults\","
		"\"counted\":\"page fault\",\"counts\":\"page "
		"faults\",\"unit\":\"count\",\"unit_word\":\"count\","));
	assert_non_null(strstr(first, "\"unit\":\"bytes\""));
	assert_non_null(strstr(first, "\"unit\":\"\",\"unit_word\":\"furlongs\""));
	assert_non_null(strstr(first, "\"measure\":3,\"folded\":{\"keys\":0,"));
	/* Two keys, one for each thread, and a cell for each slice. */
	assert_non_null(strstr(first, "{\"name\":\"keys\",\"rows\":2,\"measure\":1,"));
	assert_non_null(strstr(first, "{\"name\":\"cells\",\"rows\":4,\"measure\":3,"));
}

static void without_measures_the_page_says_nothing_of_them(void **state)
{
	_cleanup_free_ char *page = page_with(NULL, 0, false);
	_cleanup_free_ char *head = head_of(page);
	(void)state;

	assert_null(strstr(head, "measure"));
	assert_null(strstr(page, "<ul id=\"measures\""));
}

static void a_measure_is_told_without_scripts_as_in_the_report(void **state)
{
	static const struct rec_measure measure = {
		7, "page-faults", "count", "page fault", "", "event"};
	_cleanup_free_ char *page = page_with(&measure, 1, false);
	_cleanup_free_ char *redacted = page_with(&measure, 1, true);
	_cleanup_free_ char *head = head_of(redacted);
	(void)state;

	assert_non_null(strstr(page, "<li>40 page faults (4.0/s): postgres 75 %, pgbench 25 %<div "
				     "class=\"stack\">100 %: "
				     "main &gt; grow &gt; /opt/lib/touch</div></li>"));
	assert_non_null(strstr(redacted, "main &gt; grow &gt; touch</div></li>"));
	assert_null(strstr(redacted, "/opt/lib"));
	assert_null(strstr(head, "/opt/lib"));
	assert_non_null(strstr(head, "\"name\":\"page-faults\""));
}

static void hostile_measures_are_text(void **state)
{
	static const struct rec_measure measure = {7, "a\"';\n</script><script>x()</script>",
		"<b>;\"\n", "</ul><script>y()</script>\n\"';", "<img src=x>\n\"&';", "<b>"};
	_cleanup_free_ char *page = page_with(&measure, 1, false);
	_cleanup_free_ char *head = head_of(page);
	const char *body = strstr(page, "<body>");
	(void)state;

	assert_null(strstr(body, "<script>x()"));
	assert_null(strstr(body, "<script>y()"));
	assert_null(strstr(body, "<b>;"));
	assert_null(strstr(body, "</ul><script"));
	assert_non_null(strstr(body, "&lt;/ul&gt;&lt;script&gt;y()&lt;/script&gt;?&quot;&#39;;"));
	assert_non_null(strstr(head, "\"name\":\"a\\\"';?</script><script>x()</script>\""));
	assert_non_null(strstr(head, "\"unit\":\"\",\"unit_word\":\"<b>;\\\"?\""));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(text_becomes_text_in_elements_and_attributes),
		cmocka_unit_test(a_name_of_a_megabyte_is_cut_between_characters),
		cmocka_unit_test(control_and_direction_characters_go),
		cmocka_unit_test(redaction_leaves_the_last_part_of_a_path),
		cmocka_unit_test(base64_reads_as_others_write_it),
		cmocka_unit_test(measures_are_views_behind_the_others_with_tables_of_their_own),
		cmocka_unit_test(without_measures_the_page_says_nothing_of_them),
		cmocka_unit_test(a_measure_is_told_without_scripts_as_in_the_report),
		cmocka_unit_test(hostile_measures_are_text),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
