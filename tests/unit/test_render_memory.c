// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The blocks of the report that tell of memory and page faults, by a recording with measures of all
 * kinds whose figures are known.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "golden.h"
#include "memory_sample.h"
#include "profile/estimate.h"
#include "profile/cube/cube.h"
#include "profile/view.h"
#include "render/page/page.h"
#include "render/report/functions.h"
#include "render/report/report_json.h"
#include "render/report/report_text.h"

static struct view_sample sample;

static int begin(void **state)
{
	(void)state;
	memory_make(&sample);
	return 0;
}

static int end(void **state)
{
	(void)state;
	sample_end(&sample);
	return 0;
}

static struct summary *summarize(const struct view_filter *filter)
{
	struct summary_shapes shapes = {.waits = {.by = {BY_COMM}, .by_count = 1},
		.groups = {.by = {BY_NAME}, .by_count = 1}};
	struct summary *summary = NULL;
	struct why why = {""};

	if (summary_new(sample.recording, filter, &shapes, &summary, &why))
		fail_msg("%s", why.text);
	return summary;
}

static char *report(size_t width, size_t top, bool is_full)
{
	struct report_style style = {
		.file = "a.dwell", .width = width, .top = top, .is_full = is_full};
	struct view_filter filter;
	char *text;

	view_filter_init(&filter);
	filter.idle = IDLE_HIDE;
	struct summary *summary = summarize(&filter);
	sample_print(text, out, report_text(summary, &style, out));
	summary_free(summary);
	return text;
}

static void all_kinds_of_measures_have_their_block(void **state)
{
	_cleanup_free_ char *usual = report(80, 0, false);
	_cleanup_free_ char *narrow = report(50, 0, false);
	_cleanup_free_ char *full = report(80, 5, true);
	(void)state;

	assert_golden(usual, "report-memory.txt");
	assert_golden(narrow, "report-memory-narrow.txt");
	assert_golden(full, "report-memory-full.txt");
}

static void the_same_is_there_as_data(void **state)
{
	struct report_json_options options = {.file = "a.dwell", .top = 2};
	struct view_filter filter;
	char *text;
	(void)state;

	view_filter_init(&filter);
	struct summary *summary = summarize(&filter);
	sample_print(text, out, report_json(summary, &options, out));
	summary_free(summary);
	assert_non_null(
		strstr(text, "\"name\":\"alloc\",\"kind\":\"alloc\",\"unit\":\"bytes\","
			     "\"event\":\"allocation\",\"count\":1935000,"
			     "\"value\":2170552320,\"samples\":4140,\"relative_error\":0.0155"));
	assert_non_null(strstr(text, "\"modes\":{\"user\":48600,\"kernel\":5400,\"untold\":0}"));
	assert_non_null(strstr(text, "\"ages\":[{\"from_ns\":0,\"value\":3145728},"));
	assert_non_null(strstr(text, "\"faulted\":[{\"file\":\"/srv/shop/index.db\",\"minor\":0,"
				     "\"major\":80,\"faults\":0,\"waits\":80,"
				     "\"wait_ns\":3600000000},"));
	assert_non_null(strstr(text, "\"memory\":[{\"at_ns\":1000000000,\"rss\":125829120,"
				     "\"anonymous\":83886080},"));
	free(text);
}

static void make_profile(
	const char *name, enum view_by more, struct view_choice *view, struct profile *profile)
{
	struct stack_shape shape = {.by = {BY_COMM, more}, .by_count = more == BY_COMM ? 1 : 2};
	struct view_filter filter;
	struct why why = {""};

	view_filter_init(&filter);
	if (view_choose(sample.recording, name, view, &why) ||
		profile_of_view(sample.recording, &view->type, &filter, &shape, profile, &why))
		fail_msg("%s: %s", name, why.text);
}

static void the_second_weight_is_events_and_samples_are_kept(void **state)
{
	struct view_choice view;
	struct profile profile;
	(void)state;

	make_profile("event:alloc", BY_COMM, &view, &profile);
	assert_int_equal(tree_total_weight(&profile.tree), 2070 * MIB);
	assert_int_equal(tree_total_count(&profile.tree), 1935000);
	assert_int_equal(tree_total_samples(&profile.tree), 4140);
	profile_clear(&profile);
	view_choice_clear(&view);
}

static void events_are_named_by_what_they_were_on(void **state)
{
	struct view_choice view;
	struct profile profile;
	uint64_t on_index = 0;
	(void)state;

	make_profile("major-faults", BY_AWAITED, &view, &profile);
	for (uint32_t i = 0; i < profile.tree.nodes.count; i++) {
		const struct tree_node *node = &profile.tree.nodes.at[i];
		uint32_t name = i;
		while (profile.tree.nodes.at[name].kind != FRAME_NAME && name != TREE_ROOT)
			name = profile.tree.nodes.at[name].parent;
		if (name != TREE_ROOT && !strcmp(tree_label(&profile.tree, name), INDEX_PATH))
			on_index += node->self_weight;
	}
	assert_int_equal(on_index, 80);
	profile_clear(&profile);
	view_choice_clear(&view);
}

static void functions_say_how_sure_they_are(void **state)
{
	struct view_choice view;
	struct profile profile;
	struct function_table table;
	char *text;
	(void)state;

	make_profile("alloc", BY_COMM, &view, &profile);
	struct functions_style style = {.file = "a.dwell",
		.target = "all threads",
		.profile = &profile,
		.filter_text = "",
		.view = &view.type,
		.width = 80};
	function_table_make(&profile.tree, &view.type, FUNCTIONS_BY_TOTAL, &table);
	sample_print(text, out, functions_text(&table, &style, out));
	assert_golden(text, "functions-memory.txt");
	function_table_clear(&table);
	profile_clear(&profile);
	view_choice_clear(&view);
	free(text);
}

static void an_error_is_said_where_something_is_estimated(void **state)
{
	char room[ESTIMATE_ROOM];
	(void)state;

	assert_string_equal(estimate_text(100, 100, room), "");
	assert_string_equal(estimate_text(0, 0, room), "");
	assert_string_equal(estimate_text(10, 1, room), " \u00b1 100 %");
	assert_string_equal(estimate_text(1000, 625, room), " \u00b1 4 %");
	assert_string_equal(estimate_text(20000, 10000, room), " \u00b1 1 %");
	assert_string_equal(estimate_text(20000, 10001, room), " \u00b1 < 1 %");
}

struct fault_case {
	const char *frames; /* root first */
	enum fault_mode mode;
};

static const struct fault_case fault_cases[] = {
	{KERNEL_FAULT_OF_USER, FAULT_IN_USER},
	{KERNEL_FAULT_OF_COPY, FAULT_IN_KERNEL},
	{"el0t_64_sync;el0t_64_sync_handler;el0_da;do_mem_abort", FAULT_IN_USER},
	{"el0t_64_sync;el0t_64_sync_handler;el0_svc;el1h_64_sync", FAULT_IN_KERNEL},
	{"ret_from_fork;kthread;asm_exc_page_fault", FAULT_IN_KERNEL},
};

/* Rows stand in the order of the cases: each in its own slice. */
static int check_mode(const struct rec_counted *row, void *context)
{
	const struct fault_case *fault = &fault_cases[row->count.slice];

	if (fault_mode_of(context, &row->stacks) != fault->mode)
		fail_msg("%s", fault->frames);
	return 0;
}

static void a_fault_is_the_kernels_if_something_is_below_its_entry(void **state)
{
	const uint64_t totals[TIME_STATES] = {0};
	struct rec_stacks none = {REC_NONE, REC_NONE, UNWIND_NONE, UNWIND_NONE};
	struct view_sample made;
	struct why why = {""};
	(void)state;

	sample_begin(&made, ARRAY_SIZE(fault_cases));
	sample_add_thread(&made, 1, "shop", "shop", false, 0, 1000 * MS, totals);
	recording_writer_put_measure(made.writer, &memory_measures[4]);
	for (uint32_t i = 0; i < ARRAY_SIZE(fault_cases); i++)
		memory_add(&made, 5, i, 1, "main", 1, 1, 1, fault_cases[i].frames, 0);
	sample_finish(&made);
	assert_int_equal(recording_each_count(made.recording, check_mode, made.recording, &why), 0);
	assert_int_equal(fault_mode_of(made.recording, &none), FAULT_IN_USER);
	none.kernel_end = UNWIND_OVERFLOW;
	assert_int_equal(fault_mode_of(made.recording, &none), FAULT_UNTOLD);
	sample_end(&made);
}

static void many_measures_are_folded_away_on_the_page(void **state)
{
	static const struct stack_shape by_comm = {.by = {BY_COMM}, .by_count = 1};
	struct page_options options = {.file = "a.dwell", .command = "dwell html", .by = "comm"};
	struct view_filter filter;
	struct cube *cube = NULL;
	struct why why = {""};
	char *text;
	(void)state;

	view_filter_init(&filter);
	struct summary *summary = summarize(&filter);
	assert_int_equal(cube_new(sample.recording, &filter, &by_comm, NULL, NULL, &cube, &why), 0);
	sample_print(text, out, page_write(cube, summary, &options, out, &why));
	assert_non_null(strstr(text, "<details id=\"counted\"><summary>Counted: allocated 2.0 GiB; "
				     "freed 1.9 GiB; live 100 MiB; leaks 45 MiB; 54,000 minor"));
	assert_non_null(
		strstr(text, "<li>Suspected leaks: 45 MiB in 22,500 allocations \u00b1 11 %"));
	cube_free(cube);
	summary_free(summary);
	free(text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(all_kinds_of_measures_have_their_block),
		cmocka_unit_test(the_same_is_there_as_data),
		cmocka_unit_test(the_second_weight_is_events_and_samples_are_kept),
		cmocka_unit_test(events_are_named_by_what_they_were_on),
		cmocka_unit_test(functions_say_how_sure_they_are),
		cmocka_unit_test(an_error_is_said_where_something_is_estimated),
		cmocka_unit_test(many_measures_are_folded_away_on_the_page),
		cmocka_unit_test(a_fault_is_the_kernels_if_something_is_below_its_entry),
	};

	return cmocka_run_group_tests(tests, begin, end);
}
