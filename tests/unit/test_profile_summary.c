// SPDX-License-Identifier: GPL-2.0-or-later
/* The figures of a report, in exact ns. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "view_sample.h"

#include "profile/summary/summary.h"

static const struct summary_shapes shapes = {
	.waits = {.by = {BY_COMM}, .by_count = 1}, .groups = {.by = {BY_NAME}, .by_count = 1}};

static struct summary *summarize(struct view_sample *sample, const struct view_filter *filter)
{
	struct summary *summary = NULL;
	struct why why = {""};

	if (summary_new(sample->recording, filter, &shapes, &summary, &why))
		fail_msg("%s", why.text);
	return summary;
}

static struct summary *known(struct view_sample *sample, enum idle_choice idle)
{
	struct view_filter filter;

	view_filter_init(&filter);
	filter.idle = idle;
	sample_begin(sample, 10);
	sample_fill(sample);
	sample_finish(sample);
	return summarize(sample, &filter);
}

static void busy_and_idle_time_make_up_all_lives(void **state)
{
	struct view_sample sample;
	struct summary *summary = known(&sample, IDLE_HIDE);
	(void)state;

	assert_int_equal(summary->life_ns, 35000 * MS);
	assert_int_equal(summary->aside_ns, 20000 * MS);
	assert_int_equal(summary->busy_ns, 15000 * MS);
	assert_int_equal(summary->idle_ns[IDLE_OWN_TIMER], 10000 * MS);
	assert_int_equal(summary->idle_ns[IDLE_MAIN_LOOP], 10000 * MS);
	assert_int_equal(summary->reason_ns[REASON_DISK], 5000 * MS);
	assert_int_equal(summary->reason_ns[REASON_SLEEP], 0);
	summary_free(summary);
	sample_end(&sample);
}

static void shown_idle_time_counts_like_any_other(void **state)
{
	struct view_sample sample;
	struct summary *summary = known(&sample, IDLE_SHOW);
	(void)state;

	assert_int_equal(summary->aside_ns, 0);
	assert_int_equal(summary->busy_ns, 35000 * MS);
	assert_int_equal(summary->reason_ns[REASON_SLEEP], 10000 * MS);
	assert_int_equal(summary->idle_ns[IDLE_OWN_TIMER], 10000 * MS);
	summary_free(summary);
	sample_end(&sample);
}

static void same_named_processes_fold_and_waits_keep_their_threads(void **state)
{
	struct view_sample sample;
	struct summary *summary = known(&sample, IDLE_HIDE);
	_cleanup_free_ char *name = summary_root_name(summary, summary->groups.at[0].root);
	(void)state;

	assert_string_equal(name, "postgres");
	assert_int_equal(summary->groups.count, 3);
	assert_int_equal(summary->groups.at[0].threads, 2);
	assert_int_equal(summary->groups.at[0].life_ns, 20000 * MS);
	assert_int_equal(summary->groups.at[0].aside_ns, 10000 * MS);
	assert_int_equal(summary->lines.count, 3);
	assert_int_equal(summary->lines.at[0].reason, REASON_DISK);
	assert_string_equal(summary->lines.at[0].operation, "fdatasync");
	assert_int_equal(summary->lines.at[0].count, 500);
	assert_int_equal(summary->lines.at[0].band_ns[4], 5000 * MS);
	summary_free(summary);
	sample_end(&sample);
}

/* One thread, blocked for good; returns whether that is idle. */
static bool endless_is_idle(const char *kernel, char letter)
{
	struct view_sample sample;
	struct view_filter filter;
	bool is_idle;

	view_filter_init(&filter);
	filter.idle = IDLE_HIDE;
	sample_begin(&sample, 2);
	sample_add_thread(
		&sample, 1, "a", "a", false, 0, 2000 * MS, (uint64_t[]){0, 0, 0, 2000 * MS});
	sample_add_span(&sample, 1, 0, 1, 0, 1000 * MS, 1000 * MS, letter, 0,
		sample_kernel(&sample, kernel));
	sample_finish(&sample);
	struct summary *summary = summarize(&sample, &filter);
	assert_int_equal(summary->aside_ns + summary->busy_ns, 2000 * MS);
	is_idle = summary->aside_ns;
	summary_free(summary);
	sample_end(&sample);
	return is_idle;
}

static void an_endless_wait_is_idle_unless_for_a_lock_or_a_disk_or_in_d_state(void **state)
{
	(void)state;
	assert_true(endless_is_idle(KERNEL_ENTRY "__x64_sys_read;pipe_read;schedule", 'S'));
	assert_true(endless_is_idle(KERNEL_FUTEX, 'S'));
	assert_false(endless_is_idle(KERNEL_ENTRY "mutex_lock;schedule", 'S'));
	assert_false(endless_is_idle(KERNEL_SYNC, 'S'));
	assert_false(endless_is_idle(KERNEL_ENTRY "unheard_of;schedule", 'D'));
}

static void stacks_that_differ_in_addresses_only_are_one_wait(void **state)
{
	struct view_sample sample;
	struct view_filter filter;
	struct rec_frame frame = {77, OBJECT_OF_PROGRAM, 0x10, "work", 0, NAME_OK};
	struct rec_stack stack = {1077, 0, 77, UNWIND_COMPLETE};
	(void)state;

	view_filter_init(&filter);
	sample_begin(&sample, 1);
	sample_add_thread(
		&sample, 1, "a", "a", false, 0, NS_PER_S, (uint64_t[]){0, 0, 0, 1000 * MS});
	recording_writer_add_frame(sample.writer, &frame);
	recording_writer_add_stack(sample.writer, &stack);
	frame.id = 78;
	frame.address = 0x20;
	stack = (struct rec_stack){1078, 0, 78, UNWIND_COMPLETE};
	recording_writer_add_frame(sample.writer, &frame);
	recording_writer_add_stack(sample.writer, &stack);
	sample_add_row(&sample, 1, 0, TIME_BLOCKED, 2, 400 * MS, 1077, 0);
	sample_add_row(&sample, 1, 0, TIME_BLOCKED, 3, 600 * MS, 1078, 0);
	sample_finish(&sample);
	struct summary *summary = summarize(&sample, &filter);
	assert_int_equal(summary->waits.count, 1);
	assert_int_equal(summary->waits.at[0].count, 5);
	assert_int_equal(summary->waits.at[0].total_ns, 1000 * MS);
	assert_int_equal(summary->waits.at[0].band_count[5], 5);
	summary_free(summary);
	sample_end(&sample);
}

static void completeness_leaves_kernel_threads_and_skipped_stacks_out(void **state)
{
	struct view_sample sample;
	struct view_filter filter;
	(void)state;

	view_filter_init(&filter);
	sample_begin(&sample, 1);
	sample_add_thread(
		&sample, 1, "a", "a", false, 0, NS_PER_S, (uint64_t[]){200 * MS, 0, 0, 800 * MS});
	sample_add_thread(
		&sample, 2, "k", "k", true, 0, NS_PER_S, (uint64_t[]){0, 0, 0, 1000 * MS});
	sample_add_row(&sample, 1, 0, TIME_RUNNING, 1, 200 * MS, 0, 0);
	/* Samples: one of four complete, so 50 ms of 200 ms. */
	sample_add_row(&sample, 1, 0, TIME_SAMPLE, 1, 0, sample_user(&sample, "x"), 0);
	sample_add_row(&sample, 1, 0, TIME_SAMPLE, 3, 0,
		sample_stack(&sample, OBJECT_OF_PROGRAM, "y", UNWIND_BROKEN), 0);
	sample_add_row(&sample, 1, 0, TIME_BLOCKED, 1, 200 * MS, sample_user(&sample, "x"), 0);
	sample_add_row(&sample, 1, 0, TIME_BLOCKED, 1, 600 * MS, STACK_SKIPPED, 0);
	sample_add_row(&sample, 2, 0, TIME_BLOCKED, 1, 1000 * MS, 0, 0);
	sample_finish(&sample);
	struct summary *summary = summarize(&sample, &filter);
	assert_float_equal(summary->completeness.by_time, 250.0 / 400.0, 1e-9);
	assert_float_equal(summary->completeness.by_count, 2.0 / 5.0, 1e-9);
	summary_free(summary);
	sample_end(&sample);
}

static void a_wait_that_ends_behind_the_range_is_not_counted_in_it(void **state)
{
	struct view_sample sample;
	struct view_filter filter;
	(void)state;

	view_filter_init(&filter);
	filter.to_ns = NS_PER_S;
	sample_begin(&sample, 3);
	sample_add_thread(
		&sample, 1, "a", "a", false, 0, 3000 * MS, (uint64_t[]){0, 0, 0, 3000 * MS});
	sample_add_span(&sample, 1, 0, 2, 1, 1000 * MS, 1000 * MS, 'S', 0,
		sample_kernel(&sample, KERNEL_FUTEX));
	sample_finish(&sample);
	struct summary *summary = summarize(&sample, &filter);
	assert_int_equal(summary->waits.at[0].count, 0);
	assert_int_equal(summary->waits.at[0].unended, 1);
	assert_int_equal(summary->waits.at[0].total_ns, NS_PER_S);
	/* It did end, though: it is no idle wait. */
	assert_int_equal(summary->waits.at[0].idle, IDLE_NOT);
	assert_int_equal(summary->life_ns, NS_PER_S);
	summary_free(summary);
	sample_end(&sample);
}

static void waits_whose_stacks_were_lost_say_so(void **state)
{
	struct view_sample sample;
	struct view_filter filter;
	(void)state;

	view_filter_init(&filter);
	sample_begin(&sample, 1);
	/* 300 ms in a row without stacks, 500 ms in the totals only. */
	sample_add_thread(
		&sample, 1, "a", "a", false, 0, 800 * MS, (uint64_t[]){0, 0, 0, 800 * MS});
	sample_add_row(&sample, 1, 0, TIME_BLOCKED, 100, 300 * MS, STACK_OVERFLOW, STACK_OVERFLOW);
	sample_finish(&sample);
	struct summary *summary = summarize(&sample, &filter);
	assert_int_equal(summary->reason_ns[REASON_LOST], 800 * MS);
	assert_int_equal(summary->called_ns[REASON_LOST], 800 * MS);
	assert_int_equal(summary->reason_ns[REASON_UNKNOWN], 0);
	assert_int_equal(summary->lines.count, 1);
	assert_int_equal(summary->lines.at[0].count, 100);
	assert_int_equal(summary->lines.at[0].total_ns, 800 * MS);
	assert_int_equal(summary->lines.at[0].uncounted_ns, 500 * MS);
	assert_int_equal(summary->lines.at[0].band_ns[band_of(3 * MS)], 300 * MS);
	assert_int_equal(summary->lines.at[0].band_ns[0], 0);
	summary_free(summary);
	sample_end(&sample);
}

/* A mutex waits in a futex: it is asked for by either word, and called as it was asked for. */
static void a_programs_lock_is_a_lock_and_a_futex(void **state)
{
	static const struct {
		const char *reasons;
		uint64_t lock_ns, futex_ns, sleep_ns;
	} cases[] = {{NULL, 300 * MS, 200 * MS, 500 * MS}, {"lock", 300 * MS, 0, 0},
		{"futex", 0, 500 * MS, 0}, {"lock,futex", 300 * MS, 200 * MS, 0}};
	struct view_sample sample;
	struct why why;
	(void)state;

	sample_begin(&sample, 1);
	uint64_t futex = sample_kernel(&sample, KERNEL_FUTEX);
	sample_add_thread(
		&sample, 1, "app", "app", false, 0, 1000 * MS, (uint64_t[]){0, 0, 0, 1000 * MS});
	sample_add_row(&sample, 1, 0, TIME_BLOCKED, 10, 300 * MS,
		sample_user(&sample, "main;ask;pthread_mutex_lock;__lll_lock_wait"), futex);
	sample_add_row(&sample, 1, 0, TIME_BLOCKED, 10, 200 * MS,
		sample_user(&sample, "main;listen;pthread_cond_wait"), futex);
	sample_add_row(&sample, 1, 0, TIME_BLOCKED, 10, 500 * MS, sample_user(&sample, "main;nap"),
		sample_kernel(&sample, KERNEL_NAP));
	sample_finish(&sample);
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct view_filter filter;
		view_filter_init(&filter);
		filter.idle = IDLE_SHOW;
		if (cases[i].reasons && view_filter_set_reasons(&filter, cases[i].reasons, &why))
			fail_msg("%s", why.text);
		struct summary *summary = summarize(&sample, &filter);
		assert_int_equal(summary->called_ns[REASON_LOCK], cases[i].lock_ns);
		assert_int_equal(summary->called_ns[REASON_FUTEX], cases[i].futex_ns);
		assert_int_equal(summary->called_ns[REASON_SLEEP], cases[i].sleep_ns);
		assert_int_equal(summary->groups.at[0].called_ns[REASON_LOCK], cases[i].lock_ns);
		summary_free(summary);
		view_filter_clear(&filter);
	}
	sample_end(&sample);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(busy_and_idle_time_make_up_all_lives),
		cmocka_unit_test(shown_idle_time_counts_like_any_other),
		cmocka_unit_test(same_named_processes_fold_and_waits_keep_their_threads),
		cmocka_unit_test(an_endless_wait_is_idle_unless_for_a_lock_or_a_disk_or_in_d_state),
		cmocka_unit_test(stacks_that_differ_in_addresses_only_are_one_wait),
		cmocka_unit_test(completeness_leaves_kernel_threads_and_skipped_stacks_out),
		cmocka_unit_test(a_wait_that_ends_behind_the_range_is_not_counted_in_it),
		cmocka_unit_test(waits_whose_stacks_were_lost_say_so),
		cmocka_unit_test(a_programs_lock_is_a_lock_and_a_futex),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
