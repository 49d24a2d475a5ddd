// SPDX-License-Identifier: GPL-2.0-or-later
/* Calls by function: their figures, and what the report and its JSON say of them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "call_sample.h"
#include "golden.h"
#include "profile/cube/cube.h"
#include "profile/summary/summary.h"
#include "render/diff.h"
#include "render/page/page.h"
#include "render/report/report_called.h"
#include "render/report/report_calls.h"
#include "render/report/report_json.h"
#include "render/report/report_text.h"
#include "util/text.h"

static const struct stack_shape by_comm = {.by = {BY_COMM}, .by_count = 1};
static const struct stack_shape by_name = {.by = {BY_NAME}, .by_count = 1};
static const struct stack_shape by_thread = {.by = {BY_THREAD}, .by_count = 1};

static void begin(struct view_sample *sample)
{
	sample_begin(sample, 10);
	sample_fill_calls(sample);
	sample_finish(sample);
}

static struct summary *summarize(struct view_sample *sample, const struct view_filter *filter)
{
	struct summary_shapes shapes = {by_comm, by_name};
	struct summary *summary = NULL;
	struct why why = {""};

	if (summary_new(sample->recording, filter, &shapes, &summary, &why))
		fail_msg("%s", why.text);
	return summary;
}

static struct view_filter everything(void)
{
	struct view_filter filter;

	view_filter_init(&filter);
	filter.idle = IDLE_HIDE;
	return filter;
}

static char *page_of(struct view_sample *sample, struct summary *summary, bool is_redacted)
{
	struct view_filter filter = everything();
	struct page_options options = {.file = "a.dwell",
		.command = "dwell html",
		.by = "comm",
		.is_redacted = is_redacted};
	struct cube *cube = NULL;
	struct why why = {""};
	char *page = NULL;

	if (cube_new(sample->recording, &filter, &by_comm, NULL, NULL, &cube, &why))
		fail_msg("%s", why.text);
	sample_print(page, out, page_write(cube, summary, &options, out, &why));
	cube_free(cube);
	return page;
}

static const struct called *find(const struct summary *summary, const char *name)
{
	vec_each (called, &summary->calls)
		if (!strcmp(called->function->name, name))
			return called;
	fail_msg("no %s", name);
	return NULL;
}

static void time_of_calls_is_that_of_the_outermost(void **state)
{
	struct view_sample sample;
	struct view_filter filter = everything();
	(void)state;

	begin(&sample);
	struct summary *summary = summarize(&sample, &filter);
	const struct called *ask = find(summary, "shop:ask_price");
	uint64_t typical_ns = 2 * (3000 * 100 + 2500 * 150 + 450 * 202) * NS_PER_US;
	assert_int_equal(ask->all.count, 2 * (3000 + 2500 + 450 + 50 + 50));
	assert_int_equal(ask->lengths.calls, ask->all.count);
	assert_int_equal(ask->all.wall_ns, typical_ns + 2500 * MS);
	assert_int_equal(ask->slow.count, 100);
	assert_int_equal(ask->slow.wall_ns, 2500 * MS);
	assert_int_equal(ask->slow.part_ns[TIME_BLOCKED], 2000 * MS);
	assert_int_equal(ask->typical.wall_ns, typical_ns);
	assert_int_equal(ask->typical.count + ask->slow.count, ask->all.count);
	assert_int_equal(call_lengths_at(&ask->lengths, 500000), 100 * NS_PER_US);
	assert_int_equal(call_lengths_at(&ask->lengths, 600000), 150 * NS_PER_US);
	assert_int_equal(ask->lengths.max_ns, 25 * MS);
	assert_int_equal(find(summary, "syscall:fsync")->errors, 2);
	summary_free(summary);
	sample_end(&sample);
}

/* Sums of thread time have nothing of calls, nor what was left out of rows. */
static void time_of_slow_calls_is_no_time_of_threads(void **state)
{
	struct view_sample sample;
	struct view_filter filter = everything();
	(void)state;

	begin(&sample);
	struct summary *summary = summarize(&sample, &filter);
	uint64_t all_ns = 0, slow_ns = 0;
	for (unsigned int i = 0; i < TIME_STATES; i++)
		all_ns += summary->total_ns[i];
	assert_int_equal(all_ns, 30000 * MS);
	assert_int_equal(summary->conservation.expected_ns, summary->conservation.accounted_ns);
	const struct called *ask = find(summary, "shop:ask_price");
	struct call_total slow = called_all_slow(ask);
	for (unsigned int i = 0; i < TIME_STATES; i++) {
		slow_ns += ask->waits->total_ns[i];
		assert_int_equal(ask->waits->total_ns[i], slow.part_ns[i]);
	}
	assert_int_equal(slow_ns, 6500 * MS);
	assert_int_equal(ask->waits->life_ns, slow_ns);
	assert_int_equal(ask->waits->threads.count, 1);
	assert_int_equal(ask->waits->aside_ns, 0);
	assert_int_equal(recording_slow_function(sample.recording), REC_NONE);
	summary_free(summary);
	sample_end(&sample);
}

static void threads_and_slices_choose_among_calls(void **state)
{
	static const struct {
		const char *comm;
		uint64_t from_ns, to_ns;
		uint64_t asks, stocks, open;
	} cases[] = {
		{"ask", 0, UINT64_MAX, 12100, 0, 1},
		{"refresher", 0, UINT64_MAX, 0, 0, 0},
		{NULL, 5000 * MS, UINT64_MAX, 6050, 5, 1},
		{NULL, 0, 5000 * MS, 6050, 5, 0},
		{NULL, 2000 * MS, 5000 * MS, 0, 0, 0},
	};
	struct view_sample sample;
	(void)state;

	begin(&sample);
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct view_filter filter = everything();
		filter.from_ns = cases[i].from_ns;
		filter.to_ns = cases[i].to_ns;
		if (cases[i].comm)
			view_filter_set_comm(&filter, cases[i].comm);
		struct summary *summary = summarize(&sample, &filter);
		const struct called *ask = find(summary, "shop:ask_price");
		assert_int_equal(ask->all.count, cases[i].asks);
		assert_int_equal(find(summary, "shop:ask_stock")->all.count, cases[i].stocks);
		assert_int_equal(ask->opened.count, cases[i].open);
		if (cases[i].asks)
			assert_int_equal(ask->waits->total_ns[TIME_BLOCKED],
				called_all_slow(ask).part_ns[TIME_BLOCKED]);
		summary_free(summary);
		view_filter_clear(&filter);
	}
	sample_end(&sample);
}

static void a_report_of_slow_calls_alone_adds_up(void **state)
{
	struct view_sample sample;
	struct view_filter filter = everything();
	struct report_style style = {.file = "last.dwell", .width = 80, .is_by_process = true};
	char *text = NULL;
	struct why why = {""};
	(void)state;

	begin(&sample);
	assert_int_equal(view_filter_set_slow(&filter, "ask_price", &why), 0);
	struct summary *summary = summarize(&sample, &filter);
	assert_int_equal(summary->calls.count, 1);
	assert_null(summary->calls.at[0].waits);
	assert_int_equal(summary->busy_ns, 6500 * MS);
	assert_string_equal(summary->filter_text, "slow calls of shop:ask_price");
	sample_print(text, out, report_text(summary, &style, out));
	assert_golden(text, "report-slow.txt");
	free(text);
	summary_free(summary);
	view_filter_clear(&filter);
	sample_end(&sample);
}

static void a_function_is_found_by_what_is_its_own_in_its_name(void **state)
{
	static const struct {
		const char *name;
		const char *complaint; /* NULL: it is found */
	} cases[] = {{"shop:ask_price", NULL}, {"price", NULL}, {"*fsync", NULL},
		{"ask", "slow calls of one function at a time; ask is in the names of 2: "
			"shop:ask_price, shop:ask_stock"},
		{"ask_prize", "no calls of ask_prize were watched; did you mean ask_price"},
		{"shop:newer", "no calls of shop:newer were watched; did you mean shop:never"},
		{"abcdefghijklmnop", "no calls of abcdefghijklmnop were watched, but of "}};
	struct view_sample sample;
	(void)state;

	begin(&sample);
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct view_filter filter = everything();
		struct selection *selection;
		struct why why = {""};
		assert_int_equal(view_filter_set_slow(&filter, cases[i].name, &why), 0);
		int error = selection_new(sample.recording, &filter, &selection, &why);
		assert_int_equal(error, cases[i].complaint ? -EINVAL : 0);
		if (!error)
			selection_free(selection);
		else if (strncmp(why.text, cases[i].complaint, strlen(cases[i].complaint)) != 0)
			fail_msg("%s", why.text);
		assert_int_equal(recording_slow_function(sample.recording), REC_NONE);
		view_filter_clear(&filter);
	}
	sample_end(&sample);
}

static void the_report_tells_slow_calls_from_typical_ones(void **state)
{
	struct report_style style = {.file = "last.dwell", .width = 80, .is_by_process = true};
	struct view_filter filter = everything();
	struct view_sample sample;
	char *text = NULL, *alone = NULL, *full = NULL, *json = NULL;
	(void)state;

	begin(&sample);
	struct summary *summary = summarize(&sample, &filter);
	sample_print(text, out, report_text(summary, &style, out));
	assert_golden(text, "report-calls.txt");
	sample_print(alone, out, report_calls(summary, &style, out));
	assert_golden(alone, "calls.txt");
	style.is_full = true;
	style.width = 120;
	sample_print(full, out, report_calls(summary, &style, out));
	assert_golden(full, "calls-full.txt");
	sample_print(json, out,
		report_json(summary, &(struct report_json_options){.file = "last.dwell"}, out));
	assert_golden(json, "report-calls.json");
	free(text);
	free(alone);
	free(full);
	free(json);
	summary_free(summary);
	sample_end(&sample);
}

/* Whatever the limit followed, one figure is told everywhere, and what was slow before it. */
static void slow_is_what_the_last_limit_says(void **state)
{
	struct rec_function function = {.name = "shop:ask", .rule = "p99", .slow_from_ns = 1310720};
	struct called called = {.function = &function,
		.all = {.count = 1000},
		.slow = {.count = 10, .wall_ns = 20 * MS, .part_ns = {[TIME_BLOCKED] = 20 * MS}},
		.early_band = CONTRACT_CALL_BANDS};
	static const struct {
		uint64_t slow, early, length_ns;
		const char *begin, *end;
	} rows[] = {
		{10, 0, 0, "slow: 10 from 1.3 ms up (p99), 20 ms: ", "running 0 %"},
		{10, 4, MS, "slow: 10 from 1.3 ms up (p99; at first from 1.0 ms up), ",
			"running 0 %"},
		{232, 200, MS, "slow: 232 from 1.3 ms up (p99; at first from 1.0 ms up), ",
			"; most of them before p99 was known"},
		{232, 1, 500000, "slow: 232 from 1.3 ms up (p99; less at first), ", "running 0 %"},
	};
	(void)state;

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		called.slow.count = rows[i].slow;
		called.early_slow = rows[i].early;
		called.early_band = call_band_of(rows[i].length_ns);
		_cleanup_free_ char *text = report_slow_text(&called);
		assert_memory_equal(text, rows[i].begin, strlen(rows[i].begin));
		assert_string_equal(text + strlen(text) - strlen(rows[i].end), rows[i].end);
	}
	function.slow_from_ns = CALL_FIRST_SLOW_NS;
	_cleanup_free_ char *text = report_slow_text(&called);
	assert_non_null(strstr(text, " from 1.0 ms up (too few calls to know p99), "));
}

static void calls_keep_to_the_width_of_the_screen(void **state)
{
	struct view_filter filter = everything();
	struct view_sample sample;
	(void)state;

	begin(&sample);
	struct summary *summary = summarize(&sample, &filter);
	for (size_t width = REPORT_NARROWEST; width <= 160; width++) {
		struct report_style style = {.file = "last.dwell",
			.width = width,
			.is_full = width % 2,
			.is_by_process = width % 3 != 0};
		char *text = NULL, *rest, *line;
		sample_print(text, out, report_calls(summary, &style, out));
		rest = text;
		while ((line = strsep(&rest, "\n")))
			if (text_width(line) > width)
				fail_msg("%zu columns: %s", width, line);
		free(text);
	}
	summary_free(summary);
	sample_end(&sample);
}

static void names_that_are_asked_for_have_their_calls(void **state)
{
	struct summary_shapes shapes = {by_thread, by_thread};
	struct report_style style = {.file = "last.dwell", .width = 80};
	struct view_filter filter = everything();
	struct view_sample sample;
	struct summary *summary = NULL;
	char *text = NULL;
	struct why why = {""};
	(void)state;

	begin(&sample);
	if (summary_new(sample.recording, &filter, &shapes, &summary, &why))
		fail_msg("%s", why.text);
	sample_print(text, out, report_calls(summary, &style, out));
	assert_non_null(strstr(text, "\n  ask-102/102 "));
	assert_non_null(strstr(text, "\n  [threads not told apart]"));
	free(text);
	summary_free(summary);
	sample_end(&sample);
}

static void filters_for_time_leave_calls_out_and_say_so(void **state)
{
	struct view_filter filter = everything();
	struct report_style style = {.file = "last.dwell", .width = 80};
	struct view_sample sample;
	char *text = NULL;
	struct why why;
	(void)state;

	begin(&sample);
	assert_int_equal(view_filter_set_min_wait(&filter, "1ms", &why), 0);
	struct summary *summary = summarize(&sample, &filter);
	assert_int_equal(summary->calls.count, 0);
	sample_print(text, out, report_text(summary, &style, out));
	assert_non_null(strstr(text, "\nCalls are left out: the filters are for time.\n"));
	free(text);
	summary_free(summary);
	sample_end(&sample);
}

/* What is put into names by those who may be watched. */
static void a_hostile_name_of_a_function_is_harmless(void **state)
{
	struct summary_shapes shapes = {by_comm, by_name};
	struct report_style style = {.file = "last.dwell", .width = 80, .is_by_process = true};
	struct view_filter filter = everything();
	struct rec_function function = {.id = 1,
		.name = "/srv/secret/x\x1b[2J</script><b>:f\n",
		.kind = "function",
		.place = "",
		.rule = "p\x1b[2J99",
		.slow_from_ns = MS};
	struct view_sample sample;
	struct summary *summary = NULL;
	char *text = NULL, *page = NULL;
	struct why why = {""};
	(void)state;

	sample_begin(&sample, 1);
	sample_add_thread(
		&sample, 1, "shop", "shop", false, 0, 1000 * MS, (uint64_t[]){1000 * MS, 0, 0, 0});
	sample_add_row(&sample, 1, 0, TIME_RUNNING, 1, 1000 * MS, STACK_NONE, STACK_NONE);
	recording_writer_put_function(sample.writer, &function);
	sample_add_call(&sample, 1, 1, 0, 3, (uint64_t[]){6 * MS, 0, 0, 0}, CALL_IS_SLOW);
	sample_finish(&sample);
	if (summary_new(sample.recording, &filter, &shapes, &summary, &why))
		fail_msg("%s", why.text);
	sample_print(text, out, report_text(summary, &style, out));
	assert_null(strchr(text, '\x1b'));
	page = page_of(&sample, summary, true);
	assert_null(strchr(page, '\x1b'));
	assert_null(strstr(page, "<b>"));
	assert_null(strstr(page, "/srv/secret"));
	free(text);
	free(page);
	summary_free(summary);
	sample_end(&sample);
}

static void a_page_has_calls_and_redacts_what_they_waited_for(void **state)
{
	struct view_filter filter = everything();
	struct view_sample sample;
	(void)state;

	begin(&sample);
	struct summary *summary = summarize(&sample, &filter);
	_cleanup_free_ char *page = page_of(&sample, summary, false);
	assert_non_null(strstr(page, "<td>shop:ask_price</td><td class=\"n\">12,100</td>"));
	assert_non_null(strstr(page, "in fsync of " INDEX_PATH));
	_cleanup_free_ char *redacted = page_of(&sample, summary, true);
	assert_non_null(strstr(redacted, "<td>shop:ask_price</td><td class=\"n\">12,100</td>"));
	assert_non_null(strstr(redacted, "in fsync of a file on vda1"));
	assert_null(strstr(redacted, INDEX_PATH));
	summary_free(summary);
	sample_end(&sample);
}

static void a_comparison_says_what_changed_of_calls(void **state)
{
	char ask[] = "shop:ask", rare[] = "shop:rare";
	struct diff_call slower = {ask, {10000, 180000, 12 * MS, 100 * MS, 35 * MS, 10000 * MS},
		{9900, 180000, 40 * MS, 300 * MS, 243 * MS, 10000 * MS}};
	struct diff_call same = slower, rarer = slower, fresh = slower, gone = slower;
	diff_calls calls = {0};
	char *text = NULL;
	(void)state;

	same.after = same.before;
	same.after.p99_ns = 14 * MS;
	rarer.name = rare;
	rarer.after = rarer.before;
	rarer.after.count = 20000;
	rarer.after.range_ns = 40000 * MS;
	fresh.before = (struct diff_calls_side){0};
	gone.after = (struct diff_calls_side){.range_ns = 10000 * MS};
	vec_push(&calls, slower);
	vec_push(&calls, same);
	vec_push(&calls, rarer);
	vec_push(&calls, fresh);
	vec_push(&calls, gone);
	sample_print(text, out, diff_calls_print(out, &calls, 120));
	assert_string_equal(text, "\nCalls of functions (p50 and p99 are estimates):\n"
				  "  shop:ask: p99 12 ms -> 40 ms, p50 180 us as before, blocked "
				  "35 % -> 81 % of their "
				  "time; 10,000 -> 9,900 calls\n"
				  "  shop:rare: p99 12 ms as before, p50 180 us as before, blocked "
				  "35 % of their time as "
				  "before; 1000.0 -> 500.0 calls/s\n"
				  "  shop:ask: 10,000 -> 0 calls\n");
	free(text);
	vec_clear(&calls);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(time_of_calls_is_that_of_the_outermost),
		cmocka_unit_test(time_of_slow_calls_is_no_time_of_threads),
		cmocka_unit_test(threads_and_slices_choose_among_calls),
		cmocka_unit_test(a_report_of_slow_calls_alone_adds_up),
		cmocka_unit_test(a_function_is_found_by_what_is_its_own_in_its_name),
		cmocka_unit_test(the_report_tells_slow_calls_from_typical_ones),
		cmocka_unit_test(slow_is_what_the_last_limit_says),
		cmocka_unit_test(calls_keep_to_the_width_of_the_screen),
		cmocka_unit_test(names_that_are_asked_for_have_their_calls),
		cmocka_unit_test(filters_for_time_leave_calls_out_and_say_so),
		cmocka_unit_test(a_hostile_name_of_a_function_is_harmless),
		cmocka_unit_test(a_page_has_calls_and_redacts_what_they_waited_for),
		cmocka_unit_test(a_comparison_says_what_changed_of_calls),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
