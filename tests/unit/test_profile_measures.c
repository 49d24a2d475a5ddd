// SPDX-License-Identifier: GPL-2.0-or-later
/* What a recording counts beside thread time: seen as a view, summed up, and no thread time. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>

#include "format/folded.h"
#include "measure_sample.h"
#include "profile/summary/conservation.h"
#include "profile/summary/measured.h"
#include "profile/view.h"
#include "util/text.h"

static const struct stack_shape by_comm = {.by = {BY_COMM}, .by_count = 1};

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

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_measure_is_a_view_under_its_name),
		cmocka_unit_test(threads_and_ranges_choose_among_events),
		cmocka_unit_test(events_are_no_thread_time),
		cmocka_unit_test(an_unknown_name_is_told_with_what_there_is),
		cmocka_unit_test(the_list_of_help_texts_is_the_list),
		cmocka_unit_test(the_summary_says_who_and_where),
		cmocka_unit_test(a_long_word_of_a_unit_is_cut_between_characters),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
