// SPDX-License-Identifier: GPL-2.0-or-later
/* The report as text and as JSON, on recordings whose figures are known. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "golden.h"
#include "view_sample.h"

#include "profile/summary/summary.h"
#include "render/layout.h"
#include "render/report/report_json.h"
#include "render/report/report_text.h"
#include "util/text.h"

static const struct summary_shapes shapes = {
	.waits = {.by = {BY_COMM}, .by_count = 1}, .groups = {.by = {BY_NAME}, .by_count = 1}};

static struct summary *summarize(struct view_sample *sample, struct view_filter *filter)
{
	struct summary *summary = NULL;
	struct why why = {""};

	if (summary_new(sample->recording, filter, &shapes, &summary, &why))
		fail_msg("%s", why.text);
	return summary;
}

static char *text_of(
	struct view_sample *sample, struct view_filter *filter, const struct report_style *style)
{
	struct summary *summary = summarize(sample, filter);
	char *text = NULL;

	sample_print(text, out, report_text(summary, style, out));
	summary_free(summary);
	return text;
}

static char *default_text(struct view_sample *sample)
{
	struct view_filter filter;
	struct report_style style = {.file = "last.dwell", .width = 80, .is_by_process = true};

	view_filter_init(&filter);
	filter.idle = IDLE_HIDE;
	return text_of(sample, &filter, &style);
}

static void the_report_of_a_known_recording_reads_as_expected(void **state)
{
	struct view_sample sample;
	(void)state;

	sample_begin(&sample, 10);
	sample_fill(&sample);
	sample_finish(&sample);
	_cleanup_free_ char *text = default_text(&sample);
	assert_golden(text, "report.txt");
	sample_end(&sample);
}

static void a_full_report_shows_whole_stacks(void **state)
{
	struct view_sample sample;
	struct view_filter filter;
	struct report_style style = {.file = "a b.dwell",
		.width = 100,
		.top = 3,
		.is_full = true,
		.is_by_process = true};
	(void)state;

	view_filter_init(&filter);
	sample_begin(&sample, 10);
	sample_fill(&sample);
	sample_finish(&sample);
	_cleanup_free_ char *text = text_of(&sample, &filter, &style);
	assert_golden(text, "report-full.txt");
	sample_end(&sample);
}

static void filters_apply_to_every_section_and_are_named(void **state)
{
	struct view_sample sample;
	struct view_filter filter;
	struct report_style style = {.file = "last.dwell", .width = 80, .is_by_process = true};
	struct why why;
	(void)state;

	view_filter_init(&filter);
	filter.idle = IDLE_HIDE;
	assert_int_equal(view_filter_set_from(&filter, "2.5s", &why), 0);
	assert_int_equal(view_filter_set_to(&filter, "3.5s", &why), 0);
	assert_int_equal(view_filter_set_reasons(&filter, "disk", &why), 0);
	sample_begin(&sample, 10);
	sample_fill(&sample);
	sample_finish(&sample);
	_cleanup_free_ char *text = text_of(&sample, &filter, &style);
	assert_golden(text, "report-filtered.txt");
	view_filter_clear(&filter);
	sample_end(&sample);
}

static void the_json_of_a_known_recording_reads_as_expected(void **state)
{
	struct view_sample sample;
	struct view_filter filter;
	struct report_json_options options = {.file = "last.dwell"};
	char *text = NULL;
	(void)state;

	view_filter_init(&filter);
	sample_begin(&sample, 10);
	sample_fill(&sample);
	sample_finish(&sample);
	struct summary *summary = summarize(&sample, &filter);
	sample_print(text, out, report_json(summary, &options, out));
	assert_golden(text, "report.json");
	free(text);
	summary_free(summary);
	sample_end(&sample);
}

/* Many processes, reasons and losses with long and hostile names. */
static void fill_crowd(struct view_sample *sample)
{
	static const char *const waits[] = {KERNEL_ENTRY "__x64_sys_read;pipe_read;schedule",
		KERNEL_ENTRY "__x64_sys_recvfrom;tcp_recvmsg;sk_wait_data;schedule", KERNEL_FUTEX,
		KERNEL_SYNC, KERNEL_ENTRY "__x64_sys_poll;do_sys_poll;schedule",
		KERNEL_ENTRY "__x64_sys_wait4;kernel_wait4;do_wait;schedule",
		KERNEL_ENTRY "__x64_sys_write;jbd2_log_wait_commit;schedule",
		KERNEL_ENTRY "__x64_sys_mmap;down_write;rwsem_down_write_slowpath;schedule",
		KERNEL_ENTRY "__x64_sys_io_uring_enter;io_cqring_wait;schedule",
		"strange;schedule"};
	uint64_t user = sample_user(sample,
		"_start;main;a_function_with_quite_a_long_name;another_function_with_a_longer_name;"
		"and_one_more_that_does_not_fit_any_more;x\xff\x1b[31m;y");

	for (uint32_t id = 1; id <= 40; id++) {
		char name[64];
		snprintf(name, sizeof(name), "p%u\x1b;\xc3\xa9-quite-long-name", id);
		sample_add_thread(sample, id, name, name, false, 0, NS_PER_S,
			(uint64_t[]){33333333 + id, 0, 33333331, NS_PER_S - 66666664 - id});
		sample_add_row(sample, id, 0, TIME_RUNNING, 3, 33333333 + id, 0, 0);
		sample_add_row(sample, id, 0, TIME_PREEMPTED, 3, 33333331, user, 0);
		sample_add_row(sample, id, 0, TIME_BLOCKED, 7, NS_PER_S - 66666664 - id, user,
			sample_kernel(sample, waits[id % ARRAY_SIZE(waits)]));
	}
	for (unsigned int loss = 0; loss < LOSSES; loss++)
		recording_writer_put_loss(sample->writer,
			&(struct rec_loss){.loss = (enum loss)loss, .count = 12345, .ns = 67 * MS});
}

static void check_fits_the_screen(const char *text, size_t width, size_t most)
{
	size_t lines = 0;

	for (const char *at = text; *at; lines++) {
		_cleanup_free_ char *line = xstrndup(at, strcspn(at, "\n"));
		_cleanup_free_ char *clean = text_clean(line, false);
		assert_string_equal(line, clean);
		if (text_width(line) > width)
			fail_msg("%zu columns: %s", text_width(line), line);
		at += strlen(line) + 1;
	}
	if (lines > most)
		fail_msg("%zu lines:\n%s", lines, text);
}

static void a_crowd_fits_the_screen_and_hostile_names_are_harmless(void **state)
{
	struct view_sample sample;
	(void)state;

	sample_begin(&sample, 1);
	fill_crowd(&sample);
	sample_finish(&sample);
	_cleanup_free_ char *text = default_text(&sample);
	check_fits_the_screen(text, 80, REPORT_MACHINE_LINES);
	assert_golden(text, "report-crowd.txt");
	sample_end(&sample);
}

/* Rows of the table of processes. */
static size_t count_rows(const char *text)
{
	const char *row = strstr(text, "process (threads)");
	size_t rows = 0;

	assert_non_null(row);
	for (row = strchr(row, '\n') + 1; *row != '\n'; row = strchr(row, '\n') + 1)
		rows++;
	return rows;
}

static void every_width_from_50_columns_on_is_kept_to(void **state)
{
	static const size_t widths[] = {50, 64, 80, 120, 200};
	struct view_sample sample;
	struct view_filter filter;
	(void)state;

	sample_begin(&sample, 1);
	fill_crowd(&sample);
	sample_finish(&sample);
	view_filter_init(&filter);
	for (size_t i = 0; i < ARRAY_SIZE(widths); i++) {
		struct report_style style = {
			.file = "/a/very/long/path/to/a/recording/that/has/been/put/away/by/a/"
				"careful/"
				"person/in/a/folder/of/its/own/some-very-long-name-of-a-file.dwell",
			.width = widths[i],
			.is_by_process = true};
		_cleanup_free_ char *text = text_of(&sample, &filter, &style);
		check_fits_the_screen(text, widths[i], SIZE_MAX);
		assert_non_null(strstr(text, "ame-of-a-file.dwell"));
	}
	sample_end(&sample);
}

static void a_whole_machine_has_more_than_four_rows(void **state)
{
	static const size_t screens[] = {0, 24, 50, 100};
	struct view_sample sample;
	struct view_filter filter;
	size_t before = 0;
	(void)state;

	sample_begin(&sample, 1);
	fill_crowd(&sample);
	sample_finish(&sample);
	view_filter_init(&filter);
	for (size_t i = 0; i < ARRAY_SIZE(screens); i++) {
		struct report_style style = {.file = "last.dwell",
			.width = 80,
			.lines = screens[i],
			.is_by_process = true};
		_cleanup_free_ char *text = text_of(&sample, &filter, &style);
		assert_true(count_rows(text) > 4);
		assert_non_null(strstr(text, "\n4 "));
		/* The screen is used, and kept to if it is not small. */
		if (screens[i])
			assert_true(count_rows(text) >= before);
		before = screens[i] ? count_rows(text) : 0;
		check_fits_the_screen(
			text, 80, screens[i] >= 50 ? screens[i] : REPORT_MACHINE_LINES);
	}
	sample_end(&sample);
}

static char *fitted(const char *text, size_t width)
{
	char *fit = NULL;

	sample_print(fit, out, layout_fit(out, text, width));
	return fit;
}

static void long_lines_are_broken_where_columns_part(void **state)
{
	(void)state;
	_cleanup_free_ char *same = fitted("short\n\n  enough\n", 8);
	_cleanup_free_ char *columns = fitted("  dwell report   where the time went\n", 24);
	_cleanup_free_ char *words = fitted("it took all of 12.5 s\n", 18);
	_cleanup_free_ char *far = fitted("              far to the right\n", 20);
	_cleanup_free_ char *single = fitted("one-word-that-is-long x\n", 10);
	_cleanup_free_ char *colored = fitted("\033[1mbold\033[0m it is\n", 10);
	_cleanup_free_ char *front = layout_cut_front("/srv/recordings/a.dwell", 9);

	assert_string_equal(same, "short\n\n  enough\n");
	assert_string_equal(columns, "  dwell report\n    where the time went\n");
	assert_string_equal(words, "it took all of\n  12.5 s\n");
	assert_string_equal(far, "    far to the right\n");
	assert_string_equal(single, "one-word-that-is-long\n  x\n");
	assert_string_equal(colored, "\033[1mbold\033[0m it is\n");
	assert_string_equal(front, "~/a.dwell");
}

/* The three figures of a row of the table, in tenths or thousandths as printed. */
static uint64_t sum_of_row(const char *line)
{
	unsigned long long whole[3], part[3], sum = 0;

	if (sscanf(line, " %llu.%llu %llu.%llu %llu.%llu", &whole[0], &part[0], &whole[1], &part[1],
		    &whole[2], &part[2]) != 6)
		fail_msg("no figures: %s", line);
	for (size_t i = 0; i < 3; i++)
		sum += whole[i] * 10 + part[i];
	return sum;
}

static void the_cells_of_the_table_add_up_to_the_printed_total(void **state)
{
	struct view_sample sample;
	unsigned long long whole, part;
	uint64_t sum = 0;
	(void)state;

	sample_begin(&sample, 1);
	fill_crowd(&sample);
	sample_finish(&sample);
	_cleanup_free_ char *text = default_text(&sample);
	const char *total = strstr(text, "in all ");
	assert_non_null(total);
	assert_int_equal(sscanf(total, "in all %llu.%llu s", &whole, &part), 2);
	const char *row = strstr(text, "process (threads)");
	assert_non_null(row);
	for (row = strchr(row, '\n') + 1; *row != '\n'; row = strchr(row, '\n') + 1) {
		const char *figures = row;
		for (size_t column = 0; column < 18; column++)
			figures += text_utf8_length(figures);
		sum += sum_of_row(figures);
	}
	assert_int_equal(sum, whole * 10 + part);
	sample_end(&sample);
}

static void an_idle_recording_says_so(void **state)
{
	struct view_sample sample;
	(void)state;

	sample_begin(&sample, 2);
	sample_add_thread(&sample, 1, "sleep", "sleep", false, 0, 2000 * MS,
		(uint64_t[]){0, 0, 0, 2000 * MS});
	sample_add_span(&sample, 1, 0, 1, 1, 1000 * MS, 1000 * MS, 'S', 0,
		sample_kernel(&sample, KERNEL_NAP));
	sample_finish(&sample);
	_cleanup_free_ char *text = default_text(&sample);
	assert_golden(text, "report-idle.txt");
	sample_end(&sample);
}

static void a_recording_that_was_cut_short_says_so(void **state)
{
	struct view_sample sample;
	(void)state;

	sample_begin(&sample, 10);
	sample_fill(&sample);
	sample_open(&sample, false);
	_cleanup_free_ char *text = default_text(&sample);
	assert_non_null(strstr(text, "\nThe recording was cut short"));
	check_fits_the_screen(text, 80, REPORT_MACHINE_LINES);
	sample_end(&sample);
}

static void an_empty_recording_has_no_figure_that_is_not_a_number(void **state)
{
	struct view_sample sample;
	struct view_filter filter;
	struct report_json_options options = {.file = "x"};
	char *json = NULL;
	(void)state;

	view_filter_init(&filter);
	sample_begin(&sample, 0);
	sample.meta.switches = 0;
	sample_finish(&sample);
	_cleanup_free_ char *text = default_text(&sample);
	struct summary *summary = summarize(&sample, &filter);
	sample_print(json, out, report_json(summary, &options, out));
	assert_null(strcasestr(text, "nan"));
	assert_null(strcasestr(text, "inf"));
	assert_null(strstr(json, "nan"));
	assert_null(strstr(json, "null"));
	free(json);
	summary_free(summary);
	sample_end(&sample);
}

static void long_words_are_wrapped_between_words_only(void **state)
{
	char *text = NULL;
	(void)state;

	sample_print(text, out, layout_wrap(out, "one two three-is-long four", 9, 0, 2));
	assert_string_equal(text, "one two\n  three-is-long\n  four\n");
	free(text);
}

static void shares_near_the_ends_are_not_rounded_to_them(void **state)
{
	char room[UNITS_ROOM];
	(void)state;

	assert_string_equal(share_text(1, 1000000, room), "< 1 %");
	assert_string_equal(share_text(999999, 1000000, room), "> 99 %");
	assert_string_equal(share_text(0, 0, room), "0 %");
	assert_string_equal(share_text(7, 7, room), "100 %");
	assert_string_equal(percent_text(99999999, 100000000, room), "99.999 %");
	assert_string_equal(percent_text(5, 5, room), "100 %");
	assert_string_equal(percent_text(0, 0, room), "0 %");
}

static void cutting_counts_characters_not_bytes(void **state)
{
	(void)state;

	_cleanup_free_ char *cut = layout_cut("\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9", 3);
	_cleanup_free_ char *whole = layout_cut("\xc3\xa9\xc3\xa9\xc3\xa9", 3);
	assert_string_equal(cut, "\xc3\xa9\xc3\xa9~");
	assert_string_equal(whole, "\xc3\xa9\xc3\xa9\xc3\xa9");
}

static void a_number_is_not_parted_from_its_unit(void **state)
{
	char *text = NULL;
	(void)state;

	sample_print(text, out, layout_wrap(out, "it took 12.5 s, 3 sheep", 10, 0, 0));
	assert_string_equal(text, "it took\n12.5 s, 3\nsheep\n");
	free(text);
}

static void a_long_target_has_a_line_of_its_own_and_is_cut(void **state)
{
	struct view_sample sample;
	(void)state;

	sample_begin(&sample, 10);
	sample.meta.target = "processes 1000001, 1000002, 1000003, 1000004, 1000005, 1000006, "
			     "1000007, 1000008, 1000009, 1000010";
	sample_fill(&sample);
	sample_finish(&sample);
	_cleanup_free_ char *text = default_text(&sample);
	assert_non_null(strstr(text, " last.dwell\n       processes 1000001, "));
	assert_non_null(strstr(text, "1000007,~\n4 threads lived"));
	check_fits_the_screen(text, 80, REPORT_MACHINE_LINES);
	sample_end(&sample);
}

static void one_of_something_is_not_many(void **state)
{
	struct view_sample sample;
	(void)state;

	sample_begin(&sample, 10);
	sample_fill(&sample);
	recording_writer_put_loss(
		sample.writer, &(struct rec_loss){.loss = LOSS_NO_WAKER, .count = 1, .ns = 0});
	recording_writer_put_loss(sample.writer,
		&(struct rec_loss){.loss = LOSS_MISSED_SWITCHES, .count = 2, .ns = 0});
	sample_finish(&sample);
	_cleanup_free_ char *text = default_text(&sample);
	assert_non_null(strstr(text, "noted: 1 wait ended without"));
	assert_non_null(strstr(text, "noted: 2 switches not seen"));
	sample_end(&sample);
}

/* One thread that waits in the stack, 1 s long; its report. */
static char *text_of_wait(enum unwind_end end, const char *user)
{
	struct view_sample sample;
	uint64_t stack;

	sample_begin(&sample, 1);
	sample_add_thread(
		&sample, 1, "a", "a", false, 0, NS_PER_S, (uint64_t[]){0, 0, 0, NS_PER_S});
	stack = user ? sample_stack(&sample, OBJECT_OF_PROGRAM, user, end) : STACK_EARLIER;
	sample_add_row(&sample, 1, 0, TIME_BLOCKED, 1, NS_PER_S, stack,
		sample_kernel(&sample, KERNEL_FUTEX));
	sample_finish(&sample);
	char *text = default_text(&sample);
	sample_end(&sample);
	return text;
}

static void a_stack_is_shown_from_the_first_frame_that_tells(void **state)
{
	(void)state;

	_cleanup_free_ char *broken = text_of_wait(UNWIND_BROKEN, "work;lock");
	assert_non_null(strstr(broken, "\n  ... > work > lock\n"));
	_cleanup_free_ char *whole = text_of_wait(UNWIND_COMPLETE, "_start;main;lock");
	assert_non_null(strstr(whole, "\n  main > lock\n"));
	_cleanup_free_ char *earlier = text_of_wait(UNWIND_EARLIER, NULL);
	assert_non_null(strstr(earlier, "\n  futex_wait (asleep since before the recording)\n"));
}

static void incomplete_user_stacks_say_why(void **state)
{
	(void)state;

	_cleanup_free_ char *broken = text_of_wait(UNWIND_BROKEN, "work;lock");
	assert_non_null(strstr(broken, "complete 0.0 %\n  0.0 % by count; 100.0 % of time: "));
	_cleanup_free_ char *whole = text_of_wait(UNWIND_COMPLETE, "main;lock");
	assert_non_null(strstr(whole, "complete 100 %\ncost"));
	_cleanup_free_ char *earlier = text_of_wait(UNWIND_EARLIER, NULL);
	assert_non_null(strstr(earlier, "asleep since before the recording\n"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_report_of_a_known_recording_reads_as_expected),
		cmocka_unit_test(a_full_report_shows_whole_stacks),
		cmocka_unit_test(filters_apply_to_every_section_and_are_named),
		cmocka_unit_test(the_json_of_a_known_recording_reads_as_expected),
		cmocka_unit_test(every_width_from_50_columns_on_is_kept_to),
		cmocka_unit_test(a_whole_machine_has_more_than_four_rows),
		cmocka_unit_test(long_lines_are_broken_where_columns_part),
		cmocka_unit_test(a_crowd_fits_the_screen_and_hostile_names_are_harmless),
		cmocka_unit_test(the_cells_of_the_table_add_up_to_the_printed_total),
		cmocka_unit_test(an_idle_recording_says_so),
		cmocka_unit_test(a_recording_that_was_cut_short_says_so),
		cmocka_unit_test(an_empty_recording_has_no_figure_that_is_not_a_number),
		cmocka_unit_test(long_words_are_wrapped_between_words_only),
		cmocka_unit_test(shares_near_the_ends_are_not_rounded_to_them),
		cmocka_unit_test(cutting_counts_characters_not_bytes),
		cmocka_unit_test(a_number_is_not_parted_from_its_unit),
		cmocka_unit_test(a_long_target_has_a_line_of_its_own_and_is_cut),
		cmocka_unit_test(one_of_something_is_not_many),
		cmocka_unit_test(a_stack_is_shown_from_the_first_frame_that_tells),
		cmocka_unit_test(incomplete_user_stacks_say_why),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
