// SPDX-License-Identifier: GPL-2.0-or-later
/* What threads computed in, by their samples. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "view_sample.h"

#include "profile/summary/summary.h"
#include "render/report/report_text.h"

static const struct summary_shapes shapes = {
	.waits = {.by = {BY_COMM}, .by_count = 1}, .groups = {.by = {BY_NAME}, .by_count = 1}};
static const struct report_style style = {.width = 200, .is_by_process = true, .file = "a.dwell"};

struct sampled {
	const char *user;
	const char *kernel; /* or NULL */
	uint64_t samples;
};

/* The first screen of a process "app" that computed all the time, in `count` stacks. */
static char *screen_of(const struct sampled *stacks, size_t count, const char *comm)
{
	struct view_sample sample;
	struct summary *summary = NULL;
	struct view_filter filter;
	struct why why = {""};
	char *text = NULL;

	view_filter_init(&filter);
	sample_begin(&sample, 1);
	sample_add_thread(
		&sample, 1, "app", comm, false, 0, 1000 * MS, (uint64_t[]){1000 * MS, 0, 0, 0});
	sample_add_row(&sample, 1, 0, TIME_RUNNING, 1, 1000 * MS, 0, 0);
	for (size_t i = 0; i < count; i++)
		sample_add_row(&sample, 1, 0, TIME_SAMPLE, stacks[i].samples, 0,
			stacks[i].user[0] ? sample_user(&sample, stacks[i].user) : 0,
			stacks[i].kernel ? sample_kernel(&sample, stacks[i].kernel) : 0);
	sample_finish(&sample);
	if (summary_new(sample.recording, &filter, &shapes, &summary, &why))
		fail_msg("%s", why.text);
	sample_print(text, out, report_text(summary, &style, out));
	summary_free(summary);
	sample_end(&sample);
	return text;
}

#define expect(stacks, sentence)                                                                   \
	do {                                                                                       \
		char *text_ = screen_of(stacks, ARRAY_SIZE(stacks), "app");                        \
		if (!strstr(text_, "In short: " sentence "\n"))                                    \
			fail_msg("not \"%s\":\n%s", sentence, text_);                              \
		free(text_);                                                                       \
	} while (0)

static void the_functions_with_most_samples_are_said(void **state)
{
	struct sampled two[] = {{"main;serve;parse", NULL, 60}, {"main;serve;lookup", NULL, 30},
		{"main;serve", NULL, 10}};
	struct sampled one[] = {{"main;serve;parse", NULL, 95}, {"main;serve;lookup", NULL, 5}};
	(void)state;

	expect(two, "computing: 1.0 s (60 % in parse, 30 % in lookup).");
	expect(one, "computing: 1.0 s (95 % in parse).");
}

/* What a function has libc and the kernel do is its own. */
static void what_a_function_calls_of_libraries_is_its_own(void **state)
{
	struct sampled stacks[] = {{"main;flush;write", KERNEL_ENTRY "ksys_write;vfs_write", 40},
		{"main;flush;__memcpy_avx_unaligned", NULL, 20}, {"main;reply", NULL, 40}};
	(void)state;

	expect(stacks, "computing: 1.0 s (60 % in flush, 40 % in reply).");
}

/* Where no function stands out, the one that they are called from is said. */
static void of_many_functions_their_caller_is_said(void **state)
{
	struct sampled spread[] = {{"main;run;query;a", NULL, 12}, {"main;run;query;b", NULL, 12},
		{"main;run;query;c", NULL, 12}, {"main;run;query;d", NULL, 12},
		{"main;run;query;e;query;f", NULL, 12}, {"main;run;g", NULL, 14},
		{"main;run;h", NULL, 13}, {"main;run;i", NULL, 13}};
	struct sampled flat[] = {{"main;a", NULL, 9}, {"main;b", NULL, 9}, {"main;c", NULL, 9},
		{"main;d", NULL, 9}, {"main;e", NULL, 9}, {"main;f", NULL, 9}, {"main;g", NULL, 9},
		{"main;h", NULL, 9}, {"main;i", NULL, 9}, {"main;j", NULL, 9}, {"main;k", NULL, 9}};
	(void)state;

	expect(spread, "computing: 1.0 s (60 % under query, in no one function more than 14 %).");
	expect(flat, "computing: 1.0 s.");
}

/* An interpreter is all plumbing: its innermost function tells more than nothing. */
static void in_an_interpreter_the_innermost_function_is_said(void **state)
{
	struct sampled stacks[] = {
		{"main;Py_BytesMain;PyEval_EvalCode;_PyEval_EvalFrameDefault", NULL, 90},
		{"main;Py_BytesMain;PyEval_EvalCode;_PyEval_EvalFrameDefault;long_add", NULL, 10}};
	(void)state;

	expect(stacks, "computing: 1.0 s (90 % in _PyEval_EvalFrameDefault, 10 % in long_add).");
}

/* Code that a runtime has made is not its caller; a library without symbols is its caller's. */
static void code_without_names_is_called_so(void **state)
{
	struct sampled jit[] = {
		{"main;Run;Builtins_JSEntry;!+12;!+34", NULL, 80}, {"main;Run;Collect", NULL, 20}};
	struct sampled library[] = {{"main;compress;+12;+34", NULL, 50}};
	struct sampled stripped[] = {{"+12;__libc_start_main;+34;+56", NULL, 50}};
	(void)state;

	expect(jit, "computing: 1.0 s (80 % in code without names, 20 % in Collect).");
	expect(library, "computing: 1.0 s (100 % in compress).");
	expect(stripped, "computing: 1.0 s (100 % in code without names).");
}

static void few_samples_and_none_say_nothing(void **state)
{
	struct sampled few[] = {{"main;parse", NULL, 19}}, kernel[] = {{"", "kthread;work", 50}};
	(void)state;

	expect(few, "computing: 1.0 s.");
	expect(kernel, "computing: 1.0 s.");
}

static void a_name_from_outside_is_harmless(void **state)
{
	struct sampled stacks[] = {{"main;\033[31mred\n", NULL, 50}};
	char *text = screen_of(stacks, 1, "app");
	(void)state;

	assert_null(strchr(text, '\033'));
	assert_non_null(strstr(text, "100 % in "));
	free(text);
}

/* What threads of one name compute in is said only if they are of processes of one name. */
static void a_name_that_several_programs_have_says_nothing(void **state)
{
	(void)state;
	for (int is_mixed = 0; is_mixed < 2; is_mixed++) {
		struct view_sample sample;
		struct summary *summary = NULL;
		struct view_filter filter;
		struct why why = {""};
		view_filter_init(&filter);
		sample_begin(&sample, 1);
		for (uint32_t id = 1; id <= 2; id++) {
			sample_add_thread(&sample, id, is_mixed && id == 2 ? "other" : "app",
				"worker", false, 0, 1000 * MS, (uint64_t[]){1000 * MS, 0, 0, 0});
			sample_add_row(&sample, id, 0, TIME_RUNNING, 1, 1000 * MS, 0, 0);
			sample_add_row(&sample, id, 0, TIME_SAMPLE, 30, 0,
				sample_user(&sample, "main;parse"), 0);
		}
		sample_finish(&sample);
		if (summary_new(sample.recording, &filter, &shapes, &summary, &why))
			fail_msg("%s", why.text);
		const struct computed *computed = computed_by_name(&summary->computing, "worker");
		if (is_mixed)
			assert_null(computed);
		else
			assert_string_equal(computed_mostly_in(computed), "parse");
		assert_non_null(computed_by_group(&summary->computing, summary->groups.at[0].root));
		summary_free(summary);
		sample_end(&sample);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_functions_with_most_samples_are_said),
		cmocka_unit_test(what_a_function_calls_of_libraries_is_its_own),
		cmocka_unit_test(of_many_functions_their_caller_is_said),
		cmocka_unit_test(in_an_interpreter_the_innermost_function_is_said),
		cmocka_unit_test(code_without_names_is_called_so),
		cmocka_unit_test(few_samples_and_none_say_nothing),
		cmocka_unit_test(a_name_from_outside_is_harmless),
		cmocka_unit_test(a_name_that_several_programs_have_says_nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
