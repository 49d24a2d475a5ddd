// SPDX-License-Identifier: GPL-2.0-or-later
/* What a recording counts beside thread time: stored, read, seen as a view, and no thread time. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <sqlite3.h>

#include "format/folded.h"
#include "profile/summary/conservation.h"
#include "profile/functions.h"
#include "profile/summary/measured.h"
#include "profile/view.h"
#include "render/report/functions.h"
#include "util/text.h"
#include "view_sample.h"

static const struct stack_shape by_comm = {.by = {BY_COMM}, .by_count = 1};

static const struct rec_measure faults = {
	7, "page-faults", "count", "page fault", "where memory was touched for the first time"};
static const struct rec_measure bytes = {9, "alloc", "bytes", "allocation", "memory by who asked"};
static const struct rec_measure quanta = {10, "quanta", "furlongs", "quantum", "of a newer dwell"};

/* Two threads that each live 3 s, with events of three measures in three slices. */
static void make(struct view_sample *sample)
{
	const uint64_t totals[TIME_STATES] = {1000 * MS, 0, 0, 2000 * MS};

	sample_begin(sample, 3);
	for (uint32_t thread = 1; thread <= 2; thread++) {
		sample_add_thread(sample, thread, thread == 1 ? "shop" : "batch",
			thread == 1 ? "shop" : "batch", false, 0, 3000 * MS, totals);
		sample_add_row(
			sample, thread, 0, TIME_RUNNING, 1, 1000 * MS, STACK_NONE, STACK_NONE);
		for (uint32_t slice = 1; slice <= 2; slice++)
			sample_add_row(sample, thread, slice, TIME_BLOCKED, 1, 1000 * MS,
				sample_user(sample, "main;nap"), sample_kernel(sample, KERNEL_NAP));
	}
	recording_writer_put_measure(sample->writer, &faults);
	recording_writer_put_measure(sample->writer, &bytes);
	recording_writer_put_measure(sample->writer, &quanta);
	sample_add_count(sample, &faults, 1, 0, "main;grow;touch", 30, 30);
	sample_add_count(sample, &faults, 1, 2, "main;grow;touch", 5, 5);
	sample_add_count(sample, &faults, 1, 1, "main;load", 10, 10);
	sample_add_count(sample, &faults, 2, 1, "main;load", 4, 4);
	sample_add_count(sample, &faults, 2, 1, NULL, 1, 1);
	sample_add_count(sample, &bytes, 1, 0, "main;grow", 3, 3ULL << 20);
	sample_add_count(sample, &quanta, 2, 2, "main", 2, 500);
	sample_finish(sample);
}

static char *folded(struct view_sample *sample, const char *view, const struct view_filter *filter)
{
	struct view_choice choice;
	struct profile profile;
	struct why why = {""};
	char *text = NULL;

	if (view_choose(sample->recording, view, &choice, &why) ||
		profile_of_view(sample->recording, &choice.type, filter, &by_comm, &profile, &why))
		fail_msg("%s", why.text);
	sample_print(text, out,
		folded_write(&profile.tree, &(struct folded_options){.unit_ns = 1}, out));
	profile_clear(&profile);
	view_choice_clear(&choice);
	return text;
}

static void a_measure_is_a_view_under_its_name(void **state)
{
	struct view_sample sample;
	struct view_filter filter;
	(void)state;

	make(&sample);
	view_filter_init(&filter);
	_cleanup_free_ char *all = folded(&sample, "page-faults", &filter);
	assert_string_equal(all, "batch;[overflow] 1\nbatch;main;load 4\n"
				 "shop;main;grow;touch 35\nshop;main;load 10\n");
	_cleanup_free_ char *sizes = folded(&sample, "alloc", &filter);
	assert_string_equal(sizes, "shop;main;grow 3145728\n");
	sample_end(&sample);
}

static void threads_and_ranges_choose_among_events(void **state)
{
	struct view_sample sample;
	struct view_filter filter;
	struct why why;
	(void)state;

	make(&sample);
	view_filter_init(&filter);
	filter.from_ns = 1000 * MS;
	_cleanup_free_ char *later = folded(&sample, "page-faults", &filter);
	assert_string_equal(later, "batch;[overflow] 1\nbatch;main;load 4\n"
				   "shop;main;grow;touch 5\nshop;main;load 10\n");
	filter.to_ns = 2000 * MS;
	view_filter_set_comm(&filter, "sh*");
	_cleanup_free_ char *some = folded(&sample, "page-faults", &filter);
	assert_string_equal(some, "shop;main;load 10\n");
	view_filter_clear(&filter);
	view_filter_init(&filter);
	assert_int_equal(view_filter_set_reasons(&filter, "disk", &why), 0);
	struct view_choice choice;
	struct profile profile;
	assert_int_equal(view_choose(sample.recording, "page-faults", &choice, &why), 0);
	assert_int_equal(
		profile_of_view(sample.recording, &choice.type, &filter, &by_comm, &profile, &why),
		-EINVAL);
	assert_non_null(strstr(why.text, "page faults have no state, reason or length"));
	view_choice_clear(&choice);
	sample_end(&sample);
}

static void events_are_no_thread_time(void **state)
{
	struct view_sample sample;
	struct view_filter filter;
	struct conservation books;
	struct why why = {""};
	(void)state;

	make(&sample);
	view_filter_init(&filter);
	_cleanup_free_ char *time = folded(&sample, "hotcold", &filter);
	assert_null(strstr(time, "touch"));
	assert_int_equal(conservation_check(sample.recording, &books, &why), 0);
	assert_int_equal(books.expected_ns, 6000 * MS);
	assert_int_equal(books.accounted_ns, 6000 * MS);
	sample_end(&sample);
}

static void an_unknown_name_is_told_with_what_there_is(void **state)
{
	struct view_sample sample;
	struct view_choice choice;
	struct why why;
	(void)state;

	make(&sample);
	assert_int_equal(view_choose(sample.recording, "page-fault", &choice, &why), -EINVAL);
	assert_non_null(strstr(why.text, "did you mean page-faults?"));
	assert_int_equal(view_choose(sample.recording, "wombats", &choice, &why), -EINVAL);
	assert_non_null(strstr(why.text, "views are offcpu, oncpu"));
	assert_non_null(strstr(why.text, ", page-faults, alloc, quanta"));
	assert_int_equal(view_choose(NULL, "page-faults", &choice, &why), -EINVAL);
	assert_ptr_equal(view_nearest("wakes"), view_type(VIEW_WAKEUP));
	assert_null(view_nearest("wakeup"));
	assert_null(view_nearest("wombats"));
	sample_end(&sample);
}

static void the_list_of_help_texts_is_the_list(void **state)
{
	char names[256] = "";
	(void)state;

	for (unsigned int i = 0; i < VIEWS; i++) {
		strcat(strcat(names, i ? ", " : ""), view_type((enum view)i)->name);
		assert_int_equal(view_type((enum view)i)->id, i);
		assert_ptr_equal(
			view_from_name(view_type((enum view)i)->name), view_type((enum view)i));
	}
	assert_string_equal(names, VIEW_NAMES);
}

static void the_summary_says_who_and_where(void **state)
{
	struct view_sample sample;
	struct view_filter filter;
	struct selection *selection;
	measured_list list;
	struct tree tree;
	struct why why = {""};
	char room[UNIT_VALUE_ROOM];
	(void)state;

	make(&sample);
	view_filter_init(&filter);
	tree_init(&tree);
	assert_int_equal(selection_new(sample.recording, &filter, &selection, &why), 0);
	assert_int_equal(
		measured_all(sample.recording, selection, &by_comm, &tree, &list, &why), 0);
	selection_free(selection);
	assert_int_equal(list.count, 3);
	assert_string_equal(list.at[0].view.type.title, "Page faults");
	assert_int_equal(list.at[0].weight, 50);
	assert_int_equal(list.at[0].names.count, 2);
	assert_int_equal(list.at[0].names.at[0].weight, 45);
	assert_string_equal(tree_label(&tree, list.at[0].names.at[0].node), "shop");
	assert_string_equal(tree_label(&tree, list.at[0].stacks.at[0].node), "touch");
	assert_int_equal(list.at[0].stacks.at[0].weight, 35);
	assert_int_equal(list.at[1].view.type.unit, UNIT_BYTES);
	assert_string_equal(
		unit_value(list.at[1].view.type.unit, "", list.at[1].weight, room), "3.0 MiB");
	/* A unit of a newer dwell is a number with its word. */
	assert_int_equal(list.at[2].view.type.unit, UNIT_OTHER);
	assert_string_equal(unit_value(list.at[2].view.type.unit, list.at[2].view.type.unit_word,
				    list.at[2].weight, room),
		"500 furlongs");
	measured_clear(&list);
	tree_clear(&tree);
	sample_end(&sample);
}

static void functions_have_the_unit_of_the_measure(void **state)
{
	struct view_sample sample;
	struct view_filter filter;
	struct stack_shape shape = {.keeps_objects = true};
	struct view_choice choice;
	struct profile profile;
	struct function_table table;
	struct why why = {""};
	char *text = NULL;
	(void)state;

	make(&sample);
	view_filter_init(&filter);
	assert_int_equal(view_choose(sample.recording, "page-faults", &choice, &why), 0);
	assert_int_equal(
		profile_of_view(sample.recording, &choice.type, &filter, &shape, &profile, &why),
		0);
	function_table_make(&profile.tree, &choice.type, FUNCTIONS_BY_SELF, &table);
	struct functions_style style = {.file = "a.dwell",
		.target = "all threads",
		.profile = &profile,
		.filter_text = "",
		.view = &choice.type,
		.width = 80};
	sample_print(text, out, functions_text(&table, &style, out));
	assert_non_null(strstr(text, "dwell  50 page faults, all threads: a.dwell"));
	assert_non_null(strstr(text, "       35   70.0       35   70.0  libfoo.so.1"));
	free(text);
	sample_print(text, out, functions_json(&table, &style, out));
	assert_non_null(strstr(text, "\"unit\":\"count\""));
	assert_non_null(strstr(text, "\"self_value\":35"));
	assert_null(strstr(text, "self_ns"));
	free(text);
	function_table_clear(&table);
	profile_clear(&profile);
	view_choice_clear(&choice);
	sample_end(&sample);
}

/* The table of functions of a view, from a moment on. */
static char *functions_of(
	struct view_sample *sample, const char *view, uint64_t from_ns, const char *filter_text)
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
	sample_print(text, out, functions_text(&table, &style, out));
	function_table_clear(&table);
	profile_clear(&profile);
	view_choice_clear(&choice);
	return text;
}

static void functions_have_a_newer_unit_in_its_word(void **state)
{
	struct view_sample sample;
	(void)state;

	make(&sample);
	_cleanup_free_ char *text = functions_of(&sample, "quanta", 0, "");
	assert_non_null(strstr(
		text, "dwell  500 furlongs of quantums in 2 quantums, all threads: a.dwell\n"));
	assert_non_null(
		strstr(text, "\n    self       %   total       %  object            function\n"));
	sample_end(&sample);
}

static void one_event_is_told_as_one_and_several_as_several(void **state)
{
	static const struct rec_measure cycles = {8, "cycles", "count", "cycle", "by samples"};
	static const struct rec_measure misses = {9, "misses", "count", "misses", "of a cache"};
	static const struct rec_measure calls = {10, "calls", "furlongs", "call", ""};
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
	assert_non_null(strstr(several, "dwell  5 cycles, "));
	_cleanup_free_ char *plural = functions_of(&sample, "misses", 0, "");
	assert_non_null(strstr(plural, "dwell  7 misses, "));
	_cleanup_free_ char *one = functions_of(&sample, "calls", 0, "");
	assert_non_null(strstr(one, "dwell  7 furlongs of calls in 1 call, "));
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

static void a_long_word_of_a_unit_is_cut_between_characters(void **state)
{
	char room[UNIT_VALUE_ROOM], word[UNIT_VALUE_ROOM * 2];
	(void)state;

	/* Wherever the limit is, one of the two has it within a character. */
	for (size_t start = 0; start < 2; start++) {
		memset(word, 'x', sizeof(word));
		for (size_t at = start; at + 2 < sizeof(word); at += 2)
			memcpy(word + at, "\xc3\xa9", 2);
		word[sizeof(word) - 1] = 0;
		const char *value = unit_value(UNIT_OTHER, word, 12345, room);
		assert_memory_equal(value, "12,345 ", 7);
		assert_true(strlen(value) > 20 && !strncmp(value + 7, word, strlen(value) - 7));
		for (const char *at = value; *at; at += text_utf8_length(at))
			assert_true(text_utf8_length(at) > 0);
	}
}

static void the_writer_refuses_what_cannot_be(void **state)
{
	static const struct rec_count bad[] = {{.measure = 7, .thread = 1, .count = 0},
		{.measure = 7, .thread = 1, .count = 2, .value = 1, .max_value = 2}};
	(void)state;

	for (size_t i = 0; i < ARRAY_SIZE(bad); i++) {
		struct view_sample sample;
		struct why why = {""};
		sample_begin(&sample, 1);
		recording_writer_add_count(sample.writer, &bad[i]);
		assert_int_equal(recording_writer_commit(sample.writer, &why), -EINVAL);
		assert_non_null(strstr(why.text, "cannot add up"));
		sample_end(&sample);
	}
}

static int nothing(const struct rec_counted *row, void *context)
{
	(void)row;
	(void)context;
	return 0;
}

static void a_row_that_cannot_be_is_damage(void **state)
{
	static const char *const changes[][2] = {
		{"UPDATE counts SET measure = 8", "unknown measure"},
		{"UPDATE counts SET thread = 99", "unknown thread"},
		{"UPDATE counts SET slice = 3", "unknown slice"},
		{"UPDATE counts SET count = 0", "does not add up"},
		{"UPDATE counts SET max_value = value + 1", "does not add up"},
		{"UPDATE counts SET user_stack = 12345", "unknown stack"},
		{"UPDATE counts SET value = 2305843009213693952", "more than 2^62"},
		{"DELETE FROM measures", "unknown measure"},
		{"UPDATE counts SET value = -1", "counts"},
		{"UPDATE counts SET count = 'many'", "counts"}};
	(void)state;

	for (size_t i = 0; i < ARRAY_SIZE(changes); i++) {
		struct view_sample sample;
		struct why why = {""};
		sqlite3 *db;
		make(&sample);
		recording_free(sample.recording);
		sample.recording = NULL;
		assert_int_equal(sqlite3_open(sample.path, &db), SQLITE_OK);
		assert_int_equal(sqlite3_exec(db, changes[i][0], NULL, NULL, NULL), SQLITE_OK);
		sqlite3_close(db);
		assert_int_equal(recording_open(sample.path, &sample.recording, &why), 0);
		assert_int_equal(recording_each_count(sample.recording, nothing, NULL, &why), -EIO);
		if (!strstr(why.text, "damaged recording") || !strstr(why.text, changes[i][1]))
			fail_msg("%s: %s", changes[i][0], why.text);
		sample_end(&sample);
	}
}

/* Opens a recording of that many measures; the writer itself has no limit. */
static int open_with(size_t count, struct why *why)
{
	struct view_sample sample;
	struct recording *recording = NULL;
	int error;

	sample_begin(&sample, 1);
	for (uint32_t i = 0; i < count; i++) {
		_cleanup_free_ char *name = xasprintf("measure-%u", i);
		recording_writer_put_measure(sample.writer,
			&(struct rec_measure){i + 1, name, "count", "event", "made up"});
	}
	recording_writer_put_meta(sample.writer, &sample.meta);
	assert_int_equal(recording_writer_finish(sample.writer, why), 0);
	error = recording_open(sample.path, &recording, why);
	recording_free(recording);
	sample_end(&sample);
	return error;
}

/* What is made of a recording grows with them, however small the file is. */
static void more_measures_than_any_dwell_has_are_refused(void **state)
{
	struct why why = {""};
	(void)state;

	assert_int_equal(open_with(64, &why), 0);
	assert_int_equal(open_with(65, &why), -EIO);
	assert_non_null(strstr(why.text, "damaged recording: more than 64 measures"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_measure_is_a_view_under_its_name),
		cmocka_unit_test(threads_and_ranges_choose_among_events),
		cmocka_unit_test(events_are_no_thread_time),
		cmocka_unit_test(an_unknown_name_is_told_with_what_there_is),
		cmocka_unit_test(the_list_of_help_texts_is_the_list),
		cmocka_unit_test(the_summary_says_who_and_where),
		cmocka_unit_test(functions_have_the_unit_of_the_measure),
		cmocka_unit_test(functions_have_a_newer_unit_in_its_word),
		cmocka_unit_test(one_event_is_told_as_one_and_several_as_several),
		cmocka_unit_test(range_and_filters_are_said_in_one_line),
		cmocka_unit_test(a_long_word_of_a_unit_is_cut_between_characters),
		cmocka_unit_test(the_writer_refuses_what_cannot_be),
		cmocka_unit_test(a_row_that_cannot_be_is_damage),
		cmocka_unit_test(more_measures_than_any_dwell_has_are_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
