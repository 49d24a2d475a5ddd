// SPDX-License-Identifier: GPL-2.0-or-later
/* What waits were for: as a filter, as the root of stacks; and that no time is lost by it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>

#include "things_sample.h"

#include "format/folded.h"
#include "profile/view.h"

static const struct stack_shape by_comm = {.by = {BY_COMM}, .by_count = 1};

static struct profile seen_as(struct view_sample *sample, enum view view,
	const struct view_filter *filter, const struct stack_shape *shape)
{
	struct profile profile;
	struct why why = {""};

	if (profile_of_view(sample->recording, view_type(view), filter, shape, &profile, &why))
		fail_msg("%s", why.text);
	return profile;
}

/* Time of the hotcold view, which has all states, that a pattern leaves. */
static uint64_t left_by(struct view_sample *sample, const char *pattern)
{
	struct view_filter filter;
	struct why why = {""};

	view_filter_init(&filter);
	assert_int_equal(view_filter_set_thing(&filter, pattern, &why), 0);
	struct profile profile = seen_as(sample, VIEW_HOTCOLD, &filter, &by_comm);
	uint64_t total = tree_total_weight(&profile.tree);
	profile_clear(&profile);
	view_filter_clear(&filter);
	return total;
}

static void things_are_asked_for_by_name(void **state)
{
	static const struct {
		const char *pattern;
		uint64_t ms;
	} cases[] = {
		{"0001", 4000},  /* a part of a path */
		{"pg_wal/*", 0}, /* with a star the whole has to match */
		{"*pg_wal/*", 4000},
		{"/var/lib/db/pg_wal/000?", 4000},
		{"PG_WAL", 0},               /* case matters */
		{"mutex cache_lock", 10000}, /* the text */
		{"cache_????", 10000},       /* the name alone */
		{"10.0.0.5:9000", 6000},     /* and not the nap, whose reason does not fit */
		{"10.0.0.*", 6000},
		{"TCP", 6000},
		{"other files", 2000},
		{"an eventfd", 4000},
		{"*", 27000}, /* all that is told, and nothing else */
		{"no such thing", 0},
	};
	struct view_sample sample;
	(void)state;

	sample_open_things(&sample);
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++)
		if (left_by(&sample, cases[i].pattern) != cases[i].ms * MS)
			fail_msg("%s leaves %llu ms", cases[i].pattern,
				(unsigned long long)(left_by(&sample, cases[i].pattern) / MS));
	sample_end(&sample);
}

static void an_empty_pattern_is_refused_and_events_have_no_things(void **state)
{
	struct view_filter filter;
	struct why why = {""};
	(void)state;

	view_filter_init(&filter);
	assert_int_equal(view_filter_set_thing(&filter, "", &why), -EINVAL);
	assert_non_null(strstr(why.text, "--for"));
	assert_int_equal(view_filter_set_thing(&filter, "*.wal", &why), 0);
	assert_false(view_filter_is_open(&filter));
	assert_int_equal(view_filter_check_events(&filter, "page faults", &why), -EINVAL);
	assert_non_null(strstr(why.text, "--for"));
	_cleanup_free_ char *text = view_filter_text(&filter);
	assert_string_equal(text, "for *.wal");
	view_filter_clear(&filter);
}

/* Time that is in a thread's totals alone was for nothing that anybody told. */
static void time_without_rows_is_for_no_thing(void **state)
{
	struct view_sample sample;
	(void)state;

	sample_begin(&sample, 10);
	sample_fill_things(&sample);
	sample_add_thread(&sample, 4, "lost", "lost", false, 0, 10000 * MS,
		(uint64_t[]){0, 0, 0, 10000 * MS});
	sample_finish(&sample);
	assert_int_equal(left_by(&sample, "*"), 27000 * MS);
	sample_end(&sample);
}

static void stacks_can_be_named_by_what_they_waited_for(void **state)
{
	struct view_sample sample;
	struct view_filter filter;
	struct stack_shape shape = {.is_user_only = true};
	struct why why = {""};
	char *text = NULL;
	(void)state;

	sample_open_things(&sample);
	view_filter_init(&filter);
	assert_int_equal(stack_shape_set_by(&shape, "awaited", &why), 0);
	struct profile profile = seen_as(&sample, VIEW_OFFCPU, &filter, &shape);
	struct folded_options options = {.unit_ns = NS_PER_MS};
	sample_print(text, out, folded_write(&profile.tree, &options, out));
	/* Waits only: running time and time without a CPU is for nothing. */
	assert_string_equal(text, "/tmp/?[2Ja:b?</script><b>&?;main;XLogFlush;fdatasync 1000\n"
				  "/var/lib/db/pg_wal/0001;main;XLogFlush;fdatasync 4000\n"
				  "TCP to 10.0.0.5:9000;main;serve;epoll_wait 6000\n"
				  "[not told];main;XLogFlush;fdatasync 1000\n"
				  "an eventfd;main;serve;epoll_wait 4000\n"
				  "mutex cache_lock;main;work;pthread_mutex_lock 10000\n"
				  "other files;main;XLogFlush;fdatasync 2000\n");
	free(text);
	profile_clear(&profile);
	assert_int_equal(stack_shape_set_by(&shape, "comm,awaited", &why), 0);
	profile = seen_as(&sample, VIEW_HOTCOLD, &filter, &shape);
	sample_print(text, out, folded_write(&profile.tree, &options, out));
	assert_non_null(strstr(text, "nginx;an eventfd;main;serve;epoll_wait;[blocked poll] 4000"));
	assert_null(strstr(text, "[running]"));
	free(text);
	assert_int_equal(tree_total_weight(&profile.tree), 28000 * MS);
	profile_clear(&profile);
	sample_end(&sample);
}

/* Of chains the sums are the same, and wakers come first in the view that begins with them. */
static void views_of_wakers_can_be_named_so_too(void **state)
{
	struct view_sample sample;
	struct view_filter filter;
	struct stack_shape shape = {.by = {BY_AWAITED}, .by_count = 1};
	(void)state;

	sample_open_things(&sample);
	view_filter_init(&filter);
	for (enum view view = VIEW_WAKEUP; view <= VIEW_CHAIN; view++) {
		struct profile profile = seen_as(&sample, view, &filter, &shape);
		assert_int_equal(tree_total_weight(&profile.tree), 28000 * MS);
		profile_clear(&profile);
	}
	sample_end(&sample);
}

static void views_without_waits_are_refused(void **state)
{
	static const enum view views[] = {VIEW_ONCPU, VIEW_RUNQ};
	struct view_sample sample;
	struct view_filter filter;
	struct stack_shape shape = {.by = {BY_AWAITED}, .by_count = 1};
	(void)state;

	sample_open_things(&sample);
	view_filter_init(&filter);
	for (size_t i = 0; i < ARRAY_SIZE(views); i++) {
		struct profile profile;
		struct why why = {""};
		assert_int_equal(profile_of_view(sample.recording, view_type(views[i]), &filter,
					 &shape, &profile, &why),
			-EINVAL);
		assert_non_null(strstr(why.text, "--by awaited"));
	}
	sample_end(&sample);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(things_are_asked_for_by_name),
		cmocka_unit_test(an_empty_pattern_is_refused_and_events_have_no_things),
		cmocka_unit_test(time_without_rows_is_for_no_thing),
		cmocka_unit_test(stacks_can_be_named_by_what_they_waited_for),
		cmocka_unit_test(views_of_wakers_can_be_named_so_too),
		cmocka_unit_test(views_without_waits_are_refused),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
