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

/* What a waker waited in is told, whether or not that is a line of the report. */
static void without_the_wakers_own_lines_there_is_nothing_to_see(void **state)
{
	struct view_sample sample;
	struct summary *summary = open_summary(&sample, "pgbench");
	struct explanation explanation;
	char *screen = NULL;
	(void)state;

	/* The entry's number is that of this choice of threads. */
	sample_print(screen, out, report_text(summary, &style, out));
	assert_non_null(strstr(screen, "the same with --wait 1"));
	free(screen);

	assert_int_equal(summary->lines.count, 1);
	explain_line(summary, 0, &explanation);
	_cleanup_free_ char *text = cause_sentence(&explanation, "pgbench");
	assert_string_equal(text, "For postgres 84 %: in fdatasync (disk vda) 57 %, running 17 %, "
				  "without a CPU 10 %; "
				  "not explained 16 % (more wakers in a row than --depth keeps).");
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
		{{{.name = "a", .ran_ns = 100}}, 0, NULL, "For a 100 %: running."},
		{{{.name = "x", .no_cpu_ns = 100}}, 0, NULL, "For another x 100 %: without a CPU."},
		{{{0}}, 100, NULL, "Not explained: 100 % (who ended it was not seen)."},
		{{{.name = "a", .ran_ns = 70}}, 30, NULL,
			"Not explained: 30 % (who ended it was not seen). For a 70 %: running."},
		{{{.name = "a", .ran_ns = 999}}, 1, NULL, "For a 100 %: running."},
		{{{.name = "a", .ran_ns = 40}, {.name = "b", .ran_ns = 30},
			 {.name = "c", .ran_ns = 20}, {.name = "d", .ran_ns = 10}},
			0, NULL,
			"For a 40 %: running; for b 30 %: running; for c 20 %: running; for d 10 "
			"%: "
			"running."},
		{{{.name = "a", .ran_ns = 96}, {.name = "b", .ran_ns = 3}}, 1, NULL,
			"For a 96 %: running; for b 3 %: running; not explained 1 % (who ended it "
			"was not seen)."},
		{{{.name = "x", .ran_ns = 20, .no_cpu_ns = 10}, {.name = "x",
									.waited_ns = 70,
									.reason = REASON_DISK,
									.operation = "fdatasync",
									.see = 1}},
			0, "x",
			"For another x 100 %: in fdatasync (see 1) 70 %, running 20 %, without a "
			"CPU 10 %."},
		{{{.name = "y",
			  .waited_ns = 90,
			  .reason = REASON_SLEEP,
			  .operation = "clock_nanosleep",
			  .spot = "nap"},
			 {.name = "z",
				 .waited_ns = 10,
				 .reason = REASON_POLL,
				 .operation = "poll",
				 .spot = "serve",
				 .root_kind = HOP_SOFTIRQ,
				 .root_name = "NET_RX"}},
			0, "w",
			"Through w, for y 90 %: asleep in nap; for z 10 %: in poll (serve, the "
			"network)."},
		{{{.kind = HOP_TIMER, .name = "process_timeout", .ran_ns = 60},
			 {.kind = HOP_SOFTIRQ, .name = "NET_RX", .ran_ns = 30},
			 {.kind = HOP_DISK, .name = "", .ran_ns = 10}},
			0, NULL,
			"Until its own timer 60 %; for the network 30 %; for a disk 10 %."},
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

/* Waits that differ in nothing that is said are one. */
static void what_reads_the_same_is_said_once(void **state)
{
	struct explanation explanation = {.total_ns = 100};
	struct cause waits[] = {
		{.kind = HOP_TASK,
			.name = "kworker",
			.waited_ns = 40,
			.reason = REASON_KERNEL,
			.root_kind = HOP_DISK,
			.root_name = "vda"},
		{.kind = HOP_TASK,
			.name = "kworker",
			.waited_ns = 35,
			.reason = REASON_DISK,
			.root_kind = HOP_DISK,
			.root_name = "vda"},
		{.kind = HOP_TASK,
			.name = "kworker",
			.waited_ns = 25,
			.reason = REASON_DISK,
			.root_kind = HOP_DISK,
			.root_name = "vdb"},
	};
	(void)state;

	for (size_t i = 0; i < ARRAY_SIZE(waits); i++)
		vec_push(&explanation.causes, waits[i]);
	_cleanup_free_ char *text = cause_sentence(&explanation, "a");
	assert_string_equal(text, "For kworker 100 %: waiting for disk vda 75 %, waiting for disk "
				  "vdb 25 %.");
	explanation_clear(&explanation);
}

/* Why most of it is not explained is said, not what a part of it is. */
static void the_main_reason_is_said(void **state)
{
	static const struct {
		uint64_t forgotten_ns;
		const char *sentence;
	} cases[] = {{5, "Not explained: 100 % (its waker was not watched then)."},
		{80, "Not explained: 100 % (what b did is too far back)."}};
	(void)state;

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct explanation explanation = {.total_ns = 100,
			.unexplained_ns = 100,
			.forgetful = "b",
			.forgotten_ns = cases[i].forgotten_ns,
			.forgotten_all_ns = cases[i].forgotten_ns};
		explanation.by_end_ns[CHAIN_EARLIER] = 100;
		_cleanup_free_ char *text = cause_sentence(&explanation, "a");
		assert_string_equal(text, cases[i].sentence);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_report_says_what_waits_were_for),
		cmocka_unit_test(without_the_wakers_own_lines_there_is_nothing_to_see),
		cmocka_unit_test(causes_add_up_to_their_line),
		cmocka_unit_test(a_wait_that_its_own_timer_ended_is_idle),
		cmocka_unit_test(percentages_add_up_and_odd_ones_are_said),
		cmocka_unit_test(what_reads_the_same_is_said_once),
		cmocka_unit_test(the_main_reason_is_said),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
