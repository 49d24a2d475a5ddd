// SPDX-License-Identifier: GPL-2.0-or-later
/* What waits were for, in sentences, hop by hop and as data. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "chain_sample.h"
#include "golden.h"
#include "render/report/report_causes.h"
#include "render/report/report_json.h"
#include "render/report/report_text.h"
#include "render/report/report_wait.h"

static const struct summary_shapes shapes = {
	.waits = {.by = {BY_COMM}, .by_count = 1},
	.groups = {.by = {BY_NAME}, .by_count = 1},
};

static const struct report_style style = {
	.file = "last.dwell", .width = REPORT_WIDTH, .is_by_process = true};

static struct summary *open_summary(struct view_sample *sample, const char *comm)
{
	struct view_filter filter;
	struct summary *summary = NULL;
	struct why why = {""};

	view_filter_init(&filter);
	filter.idle = IDLE_HIDE;
	if (comm)
		view_filter_set_comm(&filter, comm);
	sample_begin(sample, 10);
	sample_fill_chains(sample);
	sample_finish(sample);
	if (summary_new(sample->recording, &filter, &shapes, &summary, &why))
		fail_msg("%s", why.text);
	view_filter_clear(&filter);
	return summary;
}

static void the_report_says_what_waits_were_for(void **state)
{
	struct view_sample sample;
	struct summary *summary = open_summary(&sample, NULL);
	char *text = NULL, *wait = NULL, *json = NULL;
	(void)state;

	sample_print(text, out, report_text(summary, &style, out));
	assert_golden(text, "report-causes.txt");
	sample_print(wait, out, {
		for (size_t i = 1; i <= summary->lines.count; i++)
			report_wait(summary, i, &style, out);
	});
	assert_golden(wait, "report-wait.txt");
	sample_print(json, out,
		report_json(summary, &(struct report_json_options){.file = "last.dwell"}, out));
	assert_golden(json, "report-causes.json");
	free(text);
	free(wait);
	free(json);
	summary_free(summary);
	sample_end(&sample);
}

/* Where what a waker waited in is no line of the report, each hop is told instead. */
static void without_the_wakers_own_lines_each_hop_is_a_cause(void **state)
{
	struct view_sample sample;
	struct summary *summary = open_summary(&sample, "pgbench");
	struct explanation explanation;
	(void)state;

	assert_int_equal(summary->lines.count, 1);
	explain_line(summary, 0, &explanation);
	assert_null(explanation.waker);
	_cleanup_free_ char *text = cause_sentence(&explanation, "pgbench");
	assert_string_equal(text,
		"42 % disk vda, 27 % postgres ran or had no CPU, 15 % jbd2/vda1-8 ran, "
		"16 % not explained (depth limit).");
	explanation_clear(&explanation);
	summary_free(summary);
	sample_end(&sample);
}

static void causes_add_up_to_their_line(void **state)
{
	struct view_sample sample;
	struct summary *summary = open_summary(&sample, NULL);
	uint64_t all_ns = 0;
	(void)state;

	for (size_t i = 0; i < summary->lines.count; i++) {
		struct explanation explanation;
		uint64_t ns;
		if (summary->lines.at[i].is_runnable)
			continue;
		explain_line(summary, i, &explanation);
		ns = explanation.unexplained_ns;
		vec_each (cause, &explanation.causes)
			ns += cause_ns(cause);
		assert_int_equal(ns, summary->lines.at[i].total_ns);
		all_ns += ns;
		explanation_clear(&explanation);
	}
	struct explanation all;
	explain_all(summary, &all);
	assert_int_equal(all.total_ns, all_ns);
	explanation_clear(&all);
	summary_free(summary);
	sample_end(&sample);
}

static void a_wait_that_its_own_timer_ended_is_idle(void **state)
{
	struct view_sample sample;
	struct summary *summary = open_summary(&sample, NULL);
	(void)state;

	assert_int_equal(summary->idle_ns[IDLE_OWN_TIMER], 4000 * MS);
	assert_int_equal(summary->idle_ns[IDLE_MAIN_LOOP], 4000 * MS);
	summary_free(summary);
	sample_end(&sample);
}

static void percentages_add_up_and_odd_ones_are_said(void **state)
{
	static const struct {
		struct cause causes[5];
		uint64_t open_ns;
		const char *waker, *text;
	} cases[] = {
		{{{.name = "a", .ran_ns = 100}}, 0, NULL, "100 % a ran."},
		{{{.name = "x", .no_cpu_ns = 100}}, 0, NULL, "100 % another x had no CPU."},
		{{{0}}, 100, NULL, "Not explained: 100 % (no waker)."},
		{{{.name = "a", .ran_ns = 70}}, 30, NULL,
			"Not explained: 30 % (no waker). 70 % a ran."},
		{{{.name = "a", .ran_ns = 999}}, 1, NULL, "100 % a ran."},
		{{{.name = "a", .ran_ns = 40}, {.name = "b", .ran_ns = 30},
			 {.name = "c", .ran_ns = 20}, {.name = "d", .ran_ns = 10}},
			0, NULL, "40 % a ran, 30 % b ran, 20 % c ran, 10 % others."},
		{{{.name = "a", .ran_ns = 96}, {.name = "b", .ran_ns = 3}}, 1, NULL,
			"96 % a ran, 3 % others, 1 % not explained (no waker)."},
		{{{.name = "x", .ran_ns = 20, .no_cpu_ns = 10}, {.name = "x",
									.waited_ns = 70,
									.reason = REASON_DISK,
									.operation = "fdatasync",
									.see = 1}},
			0, "x",
			"For another x: 70 % it was in fdatasync (see 1), 20 % it ran, 10 % it had "
			"no CPU."},
		{{{.kind = HOP_TIMER, .name = "process_timeout", .ran_ns = 60},
			 {.kind = HOP_SOFTIRQ, .name = "NET_RX", .ran_ns = 30},
			 {.kind = HOP_DISK, .name = "", .ran_ns = 10}},
			0, NULL,
			"60 % a timer (process_timeout), 30 % softirq NET_RX, 10 % a disk."},
	};
	(void)state;

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct explanation explanation = {
			.unexplained_ns = cases[i].open_ns, .waker = cases[i].waker};
		explanation.by_end_ns[CHAIN_NO_WAKER] = cases[i].open_ns;
		explanation.total_ns = cases[i].open_ns;
		for (size_t j = 0; j < 5 && cases[i].causes[j].name; j++) {
			vec_push(&explanation.causes, cases[i].causes[j]);
			explanation.total_ns += cause_ns(&cases[i].causes[j]);
		}
		_cleanup_free_ char *text = cause_sentence(&explanation, "x");
		assert_string_equal(text, cases[i].text);
		explanation_clear(&explanation);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_report_says_what_waits_were_for),
		cmocka_unit_test(without_the_wakers_own_lines_each_hop_is_a_cause),
		cmocka_unit_test(causes_add_up_to_their_line),
		cmocka_unit_test(a_wait_that_its_own_timer_ended_is_idle),
		cmocka_unit_test(percentages_add_up_and_odd_ones_are_said),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
