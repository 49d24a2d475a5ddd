// SPDX-License-Identifier: GPL-2.0-or-later
/* Tables of functions by what was counted: in its unit, in its words. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "measure_sample.h"
#include "profile/functions.h"
#include "profile/view.h"
#include "render/report/functions.h"

typedef void (*functions_writer)(
	const struct function_table *table, const struct functions_style *style, FILE *out);

/* The table of functions of a view, from a moment on. */
static char *written(struct view_sample *sample, const char *view, uint64_t from_ns,
	const char *filter_text, functions_writer write)
{
	const struct stack_shape shape = {.keeps_objects = true};
	struct view_filter filter;
	struct view_choice choice;
	struct profile profile;
	struct function_table table;
	struct why why = {""};
	char *text = NULL;

	view_filter_init(&filter);
	filter.from_ns = from_ns;
	if (view_choose(sample->recording, view, &choice, &why) ||
		profile_of_view(sample->recording, &choice.type, &filter, &shape, &profile, &why))
		fail_msg("%s", why.text);
	function_table_make(&profile.tree, &choice.type, FUNCTIONS_BY_SELF, &table);
	struct functions_style style = {.file = "a.dwell",
		.target = "all threads",
		.profile = &profile,
		.filter_text = filter_text,
		.view = &choice.type,
		.width = 80};
	sample_print(text, out, write(&table, &style, out));
	function_table_clear(&table);
	profile_clear(&profile);
	view_choice_clear(&choice);
	return text;
}

static char *functions_of(
	struct view_sample *sample, const char *view, uint64_t from_ns, const char *filter_text)
{
	return written(sample, view, from_ns, filter_text, functions_text);
}

static void functions_have_the_unit_of_the_measure(void **state)
{
	struct view_sample sample;
	(void)state;

	make(&sample);
	_cleanup_free_ char *text = functions_of(&sample, "page-faults", 0, "");
	assert_non_null(strstr(text, "dwell  50 page faults, all threads: a.dwell"));
	assert_non_null(strstr(text, "       35   70.0       35   70.0  libfoo.so.1"));
	_cleanup_free_ char *json = written(&sample, "page-faults", 0, "", functions_json);
	assert_non_null(strstr(json, "\"unit\":\"count\""));
	assert_non_null(strstr(json, "\"self_value\":35"));
	assert_null(strstr(json, "self_ns"));
	sample_end(&sample);
}

static void functions_have_a_newer_unit_in_its_word(void **state)
{
	struct view_sample sample;
	(void)state;

	make(&sample);
	_cleanup_free_ char *text = functions_of(&sample, "quanta", 0, "");
	assert_non_null(strstr(text, "dwell  500 furlongs in 2 quantums, all threads: a.dwell\n"));
	assert_non_null(
		strstr(text, "\n    self       %   total       %  object            function\n"));
	sample_end(&sample);
}

static void one_event_is_told_as_one_and_several_as_several(void **state)
{
	static const struct rec_measure cycles = {
		8, "cycles", "count", "cycle", "by samples", "event"};
	static const struct rec_measure misses = {
		9, "misses", "count", "misses", "of a cache", "event"};
	static const struct rec_measure calls = {10, "calls", "furlongs", "call", "", "event"};
	const uint64_t totals[TIME_STATES] = {1000 * MS};
	struct view_sample sample;
	(void)state;

	sample_begin(&sample, 1);
	sample_add_thread(&sample, 1, "shop", "shop", false, 0, 1000 * MS, totals);
	sample_add_row(&sample, 1, 0, TIME_RUNNING, 1, 1000 * MS, STACK_NONE, STACK_NONE);
	recording_writer_put_measure(sample.writer, &cycles);
	recording_writer_put_measure(sample.writer, &misses);
	recording_writer_put_measure(sample.writer, &calls);
	sample_add_count(&sample, &cycles, 1, 0, "main", 1, 5);
	sample_add_count(&sample, &misses, 1, 0, "main", 7, 7);
	sample_add_count(&sample, &calls, 1, 0, "main", 1, 7);
	sample_finish(&sample);
	_cleanup_free_ char *several = functions_of(&sample, "cycles", 0, "");
	assert_non_null(strstr(several, "dwell  5 cycles ± 100 %, "));
	_cleanup_free_ char *plural = functions_of(&sample, "misses", 0, "");
	assert_non_null(strstr(plural, "dwell  7 misses, "));
	_cleanup_free_ char *one = functions_of(&sample, "calls", 0, "");
	assert_non_null(strstr(one, "dwell  7 furlongs in 1 call, "));
	sample_end(&sample);
}

static void range_and_filters_are_said_in_one_line(void **state)
{
	struct view_sample sample;
	(void)state;

	make(&sample);
	_cleanup_free_ char *both = functions_of(&sample, "page-faults", 1000 * MS, "threads x");
	assert_non_null(strstr(both, "\nonly: 1.000 s to 3.000 s, threads x\n\n"));
	_cleanup_free_ char *range = functions_of(&sample, "page-faults", 1000 * MS, "");
	assert_non_null(strstr(range, "\nonly: 1.000 s to 3.000 s\n\n"));
	_cleanup_free_ char *filter = functions_of(&sample, "page-faults", 0, "threads x");
	assert_non_null(strstr(filter, "\nonly: threads x\n\n"));
	_cleanup_free_ char *all = functions_of(&sample, "page-faults", 0, "");
	assert_null(strstr(all, "only:"));
	sample_end(&sample);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(functions_have_the_unit_of_the_measure),
		cmocka_unit_test(functions_have_a_newer_unit_in_its_word),
		cmocka_unit_test(one_event_is_told_as_one_and_several_as_several),
		cmocka_unit_test(range_and_filters_are_said_in_one_line),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
