// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Measures in the report, in its JSON and in the page: by whole names, and not silently left out
 * where the filters are for time.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "profile/cube/cube.h"
#include "profile/summary/summary.h"
#include "render/page/page.h"
#include "render/report/report_json.h"
#include "render/report/report_text.h"
#include "view_sample.h"

#define HIDDEN "Events that were counted are left out: the filters are for time."

static const struct rec_measure faults = {
	7, "page-faults", "count", "page fault", "touches", "event"};
static const struct rec_measure memory = {
	9, "alloc", "bytes", "allocation", "memory asked for", "event"};
static const struct stack_shape by_comm_and_process = {.by = {BY_COMM, BY_PROCESS}, .by_count = 2};

/* Three processes of one name, of which two have threads of one name. */
static void fill(struct view_sample *sample)
{
	static const char *const comms[] = {"worker", "worker", "main"};
	const uint64_t totals[TIME_STATES] = {1000 * MS, 0, 0, 0};

	sample_begin(sample, 1);
	for (uint32_t thread = 1; thread <= ARRAY_SIZE(comms); thread++) {
		sample_add_thread(
			sample, thread, "shop", comms[thread - 1], false, 0, 1000 * MS, totals);
		sample_add_row(
			sample, thread, 0, TIME_RUNNING, 1, 1000 * MS, STACK_NONE, STACK_NONE);
	}
	recording_writer_put_measure(sample->writer, &faults);
	recording_writer_put_measure(sample->writer, &memory);
	sample_add_count(sample, &faults, 1, 0, "main;grow", 60, 60);
	sample_add_count(sample, &faults, 2, 0, "main;grow", 30, 30);
	sample_add_count(sample, &faults, 3, 0, "main;load", 10, 10);
	sample_finish(sample);
}

/* One recording in the three forms. */
struct forms {
	char *text;
	char *json;
	char *page;
};

static struct forms forms_of(const struct view_filter *filter)
{
	struct summary_shapes shapes = {by_comm_and_process, by_comm_and_process};
	struct report_style style = {.file = "a.dwell", .width = 100};
	struct report_json_options json = {.file = "a.dwell"};
	struct page_options page = {.file = "a.dwell", .command = "dwell html", .by = "comm"};
	struct view_sample sample;
	struct summary *summary = NULL;
	struct cube *cube = NULL;
	struct why why = {""};
	struct forms forms;

	fill(&sample);
	if (summary_new(sample.recording, filter, &shapes, &summary, &why) ||
		cube_new(sample.recording, filter, &by_comm_and_process, NULL, NULL, &cube, &why))
		fail_msg("%s", why.text);
	sample_print(forms.text, out, report_text(summary, &style, out));
	sample_print(forms.json, out, report_json(summary, &json, out));
	sample_print(forms.page, out, page_write(cube, summary, &page, out, &why));
	cube_free(cube);
	summary_free(summary);
	sample_end(&sample);
	return forms;
}

static void forms_clear(struct forms *forms)
{
	free(forms->text);
	free(forms->json);
	free(forms->page);
}

static void names_have_all_words_that_were_asked_for(void **state)
{
	static const char wanted[] =
		"100 page faults (100/s): worker;shop-101 60 %, worker;shop-102 30 %, "
		"main;shop-103 10 %";
	struct view_filter filter;
	(void)state;

	view_filter_init(&filter);
	_cleanup_(forms_clear) struct forms forms = forms_of(&filter);
	assert_non_null(strstr(forms.text, wanted));
	assert_non_null(strstr(forms.page, wanted));
	assert_non_null(strstr(forms.json,
		"\"names\":[{\"name\":\"worker;shop-101\",\"count\":60,"
		"\"value\":60,\"samples\":60,\"relative_error\":0},{\"name\":\"worker;shop-102\""));
	/* A stack is told without the names above it. */
	assert_non_null(strstr(forms.json, "\"stacks\":[{\"stack\":[\"main\",\"grow\"],"));
	assert_non_null(strstr(forms.text, "\n  90 %: main > grow\n"));
}

static void filters_for_time_leave_events_out_and_say_so(void **state)
{
	struct view_filter filter;
	struct why why;
	(void)state;

	view_filter_init(&filter);
	assert_int_equal(view_filter_set_min_wait(&filter, "1ms", &why), 0);
	_cleanup_(forms_clear) struct forms forms = forms_of(&filter);
	assert_non_null(strstr(forms.text, "\n" HIDDEN "\n"));
	assert_non_null(strstr(forms.page, ">" HIDDEN "</p>"));
	assert_null(strstr(forms.page, "<ul id=\"measures\""));
	assert_non_null(strstr(forms.json, "\"hidden_measures\":2"));
	assert_null(strstr(forms.json, "\"measures\""));
}

static void where_none_are_left_out_nothing_is_said_of_that(void **state)
{
	struct view_filter filter;
	(void)state;

	view_filter_init(&filter);
	filter.idle = IDLE_HIDE;
	view_filter_set_comm(&filter, "work*");
	_cleanup_(forms_clear) struct forms forms = forms_of(&filter);
	assert_non_null(strstr(forms.text, "90 page faults (90/s): "));
	assert_null(strstr(forms.text, HIDDEN));
	assert_null(strstr(forms.page, HIDDEN));
	assert_null(strstr(forms.json, "hidden_measures"));
	view_filter_clear(&filter);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(names_have_all_words_that_were_asked_for),
		cmocka_unit_test(filters_for_time_leave_events_out_and_say_so),
		cmocka_unit_test(where_none_are_left_out_nothing_is_said_of_that),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
