// SPDX-License-Identifier: GPL-2.0-or-later
/* The table of what waits were for: its figures, and how it reads. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "golden.h"
#include "things_sample.h"

#include "render/report/things.h"

static struct thing_table *table_of(struct view_sample *sample, const struct view_filter *filter)
{
	struct thing_table *table = NULL;
	struct why why = {""};

	if (thing_table_new(sample->recording, filter, &table, &why))
		fail_msg("%s", why.text);
	return table;
}

static struct things_style style_of(const struct view_sample *sample)
{
	return (struct things_style){.file = "a.dwell",
		.target = "all threads",
		.filter_text = "",
		.recording = sample->recording,
		.width = 80};
}

static void the_table_reads_as_expected(void **state)
{
	struct view_sample sample;
	struct view_filter filter;
	char *text = NULL, *json = NULL;
	(void)state;

	sample_open_things(&sample);
	view_filter_init(&filter);
	struct thing_table *table = table_of(&sample, &filter);
	struct things_style style = style_of(&sample);
	sample_print(text, out, thing_table_text(table, &style, out));
	assert_golden(text, "things.txt");
	sample_print(json, out, thing_table_json(table, &style, out));
	assert_golden(json, "things.json");
	for (const char *line = text; *line; line = strchr(line, '\n') + 1)
		assert_true(strcspn(line, "\n") <= 80);
	free(text);
	free(json);
	thing_table_free(table);
	sample_end(&sample);
}

static void what_is_not_listed_is_in_a_line_of_its_own(void **state)
{
	struct view_sample sample;
	struct view_filter filter;
	char *text = NULL;
	(void)state;

	sample_open_things(&sample);
	view_filter_init(&filter);
	struct thing_table *table = table_of(&sample, &filter);
	struct things_style style = style_of(&sample);
	style.top = 2;
	style.hides_idle = true;
	style.filter_text = "for \x1b[2J";
	sample_print(text, out, thing_table_text(table, &style, out));
	assert_golden(text, "things-top.txt");
	free(text);
	thing_table_free(table);
	sample_end(&sample);
}

static void rows_add_up_to_the_blocked_time_that_passes(void **state)
{
	static const uint64_t whole_ms[] = {28000, 27000};
	struct view_sample sample;
	(void)state;

	sample_open_things(&sample);
	for (size_t i = 0; i < ARRAY_SIZE(whole_ms); i++) {
		struct view_filter filter;
		uint64_t sum_ns = 0;
		view_filter_init(&filter);
		/* The nap of thread 1 was ended by its own timer. */
		filter.idle = i ? IDLE_HIDE : IDLE_SHOW;
		struct thing_table *table = table_of(&sample, &filter);
		vec_each (row, &table->rows) {
			uint64_t waiters_ns = 0, enders_ns = 0;
			vec_each (waiter, &row->waiters)
				waiters_ns += waiter->ns;
			vec_each (ender, &row->enders)
				enders_ns += ender->ns;
			assert_int_equal(waiters_ns, row->total_ns);
			assert_int_equal(enders_ns, row->total_ns);
			sum_ns += row->total_ns;
		}
		assert_int_equal(sum_ns, whole_ms[i] * MS);
		assert_int_equal(table->total_ns, whole_ms[i] * MS);
		assert_int_equal(table->told_ns, 27000 * MS);
		thing_table_free(table);
	}
	sample_end(&sample);
}

static void a_recording_without_things_tells_nothing(void **state)
{
	struct view_sample sample;
	struct view_filter filter;
	(void)state;

	sample_begin(&sample, 10);
	sample_fill(&sample);
	sample_finish(&sample);
	view_filter_init(&filter);
	struct thing_table *table = table_of(&sample, &filter);
	assert_int_equal(table->rows.count, 1);
	assert_int_equal(table->rows.at[0].thing, REC_NONE);
	assert_int_equal(table->told_ns, 0);
	assert_int_equal(table->total_ns, 29000 * MS);
	thing_table_free(table);
	sample_end(&sample);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_table_reads_as_expected),
		cmocka_unit_test(what_is_not_listed_is_in_a_line_of_its_own),
		cmocka_unit_test(rows_add_up_to_the_blocked_time_that_passes),
		cmocka_unit_test(a_recording_without_things_tells_nothing),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
