// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Rows of time are read back as they were written, finished or cut short; what does not add up is
 * not written.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>

#include "recording_sample.h"

struct walk {
	const struct recording *recording;
	size_t seen;
};

static int check_row(const struct rec_row *row, void *context)
{
	struct walk *walk = context;
	size_t count;
	const struct rec_thread *threads = recording_threads(walk->recording, &count);
	const struct rec_sum *expected = &sample_rows[walk->seen++];

	assert_true(walk->seen <= SAMPLE_ROWS);
	assert_int_equal(threads[row->thread_index].id, expected->thread);
	assert_int_equal(row->sum.thread, expected->thread);
	assert_int_equal(row->sum.slice_first, expected->slice_first);
	assert_int_equal(row->sum.slice_last, expected->slice_last);
	assert_int_equal(row->sum.state, expected->state);
	assert_int_equal(row->sum.task_letter, expected->task_letter);
	assert_int_equal(row->sum.band, expected->band);
	assert_int_equal(row->sum.kernel_stack, expected->kernel_stack);
	assert_int_equal(row->sum.user_stack, expected->user_stack);
	assert_int_equal(row->sum.count, expected->count);
	assert_int_equal(row->sum.ns, expected->ns);
	assert_int_equal(row->sum.max_ns, expected->max_ns);
	assert_int_equal(row->sum.first_ns, expected->first_ns);
	assert_int_equal(row->sum.last_ns, expected->last_ns);
	assert_int_equal(row->sum.chain, expected->chain);
	assert_int_equal(row->chain == REC_NONE, expected->chain == 0);
	const struct rec_awaited *things = recording_awaited(walk->recording, &count);
	assert_int_equal(row->awaited == REC_NONE ? 0 : things[row->awaited].id, expected->awaited);
	assert_int_equal(row->owner == REC_NONE ? 0 : threads[row->owner].id, expected->owner);
	return 0;
}

static void rows_come_back_in_order(void **state)
{
	const struct place *place = *state;
	struct why why = {""};

	sample_write(place->path);
	struct recording *recording = sample_open(place->path);
	struct walk walk = {recording, 0};
	assert_int_equal(recording_each_row(recording, check_row, &walk, &why), 0);
	assert_int_equal(walk.seen, SAMPLE_ROWS);
	recording_free(recording);
}

static int collect_row(const struct rec_row *row, void *context)
{
	struct rec_row **next = context;

	*(*next)++ = *row;
	return 0;
}

static void a_row_says_why_it_has_no_stack(void **state)
{
	const struct place *place = *state;
	struct rec_row rows[SAMPLE_ROWS], *next = rows;
	struct why why = {""};
	size_t count;

	sample_write(place->path);
	struct recording *recording = sample_open(place->path);
	const struct rec_node *nodes = recording_nodes(recording, &count);
	assert_int_equal(recording_each_row(recording, collect_row, &next, &why), 0);
	assert_int_equal(rows[0].stacks.kernel_node, REC_NONE);
	assert_int_equal(rows[0].stacks.kernel_end, UNWIND_NONE);
	assert_int_equal(rows[0].stacks.user_end, UNWIND_COMPLETE);
	assert_int_equal(nodes[rows[0].stacks.user_node].depth, 2);
	assert_int_equal(rows[2].stacks.user_end, UNWIND_BROKEN);
	assert_int_equal(rows[3].stacks.user_end, UNWIND_SKIPPED);
	assert_int_equal(rows[5].stacks.kernel_end, UNWIND_OVERFLOW);
	assert_int_equal(rows[5].stacks.user_end, UNWIND_FAILED);
	recording_free(recording);
}

static int stop_at_three(const struct rec_row *row, void *context)
{
	size_t *seen = context;

	(void)row;
	return ++*seen == 3 ? 42 : 0;
}

static void a_walk_ends_when_the_caller_says_so(void **state)
{
	const struct place *place = *state;
	struct why why = {""};
	size_t seen = 0;

	sample_write(place->path);
	struct recording *recording = sample_open(place->path);
	assert_int_equal(recording_each_row(recording, stop_at_three, &seen, &why), 42);
	assert_int_equal(seen, 3);
	recording_free(recording);
}

static void a_recording_cut_short_delivers_its_open_intervals(void **state)
{
	const struct place *place = *state;
	struct why why = {""};
	size_t count;

	sample_write_unfinished(place->path);
	struct recording *recording = sample_open(place->path);
	struct walk walk = {recording, 0};
	assert_false(recording_meta(recording)->is_finished);
	assert_int_equal(recording_meta(recording)->window_ns, SAMPLE_WINDOW_NS);
	assert_int_equal(recording_each_row(recording, check_row, &walk, &why), 0);
	assert_int_equal(walk.seen, SAMPLE_ROWS);
	const struct rec_thread *threads = recording_threads(recording, &count);
	for (size_t i = 0; i < count; i++) {
		assert_int_equal(threads[i].is_closed, i == 0);
		assert_int_equal(threads[i].end_ns, SAMPLE_WINDOW_NS);
		assert_memory_equal(threads[i].total_ns, sample_threads[i].total_ns,
			sizeof(threads[i].total_ns));
	}
	recording_free(recording);
}

static void finishing_forgets_the_open_intervals(void **state)
{
	const struct place *place = *state;
	struct recording_writer *writer = sample_writer(place->path);
	struct why why = {""};
	size_t count = 0;

	sample_add_tables(writer);
	recording_writer_add_open(writer, &sample_rows[SAMPLE_ROWS - 1]);
	assert_int_equal(recording_writer_commit(writer, &why), 0);
	assert_int_equal(recording_writer_finish(writer, &why), 0);
	recording_writer_free(writer);
	struct recording *recording = sample_open(place->path);
	assert_int_equal(recording_each_row(recording, sample_count_row, &count, &why), 0);
	assert_int_equal(count, 0);
	assert_int_equal(sample_query(place->path, "SELECT count(*) FROM open"), 0);
	recording_free(recording);
}

static void what_was_not_committed_is_not_there(void **state)
{
	const struct place *place = *state;
	struct recording_writer *writer = sample_writer(place->path);
	struct why why = {""};
	size_t count = 0;

	sample_add_tables(writer);
	recording_writer_add_sum(writer, &sample_rows[0]);
	assert_int_equal(recording_writer_commit(writer, &why), 0);
	recording_writer_add_sum(writer, &sample_rows[1]);
	recording_writer_free(writer);
	struct recording *recording = sample_open(place->path);
	assert_int_equal(recording_each_row(recording, sample_count_row, &count, &why), 0);
	assert_int_equal(count, 1);
	recording_free(recording);
}

static void a_row_may_span_36000_slices(void **state)
{
	const struct place *place = *state;
	struct recording_writer *writer = sample_writer(place->path);
	struct rec_meta meta = sample_meta;
	struct rec_thread thread = sample_threads[0];
	struct rec_sum sum = sample_rows[2];
	struct why why = {""};
	size_t count = 0;

	meta.slice_ns = 10 * MS;
	meta.window_ns = 36000 * meta.slice_ns;
	sum.slice_first = 0;
	sum.slice_last = 35999;
	sum.count = 0;
	sum.chain = 0;
	sum.share_count = 0;
	sum.first_ns = 4 * MS;
	sum.last_ns = 1;
	sum.ns = 35998 * 10 * MS + 4 * MS + 1;
	sample_add_tables(writer);
	recording_writer_put_meta(writer, &meta);
	recording_writer_put_thread(writer, &thread);
	for (uint32_t i = 0; i < 36000; i++) {
		recording_writer_put_slice(writer, i, meta.slice_ns);
		assert_int_equal(recording_writer_commit(writer, &why), 0);
	}
	recording_writer_add_sum(writer, &sum);
	assert_int_equal(recording_writer_finish(writer, &why), 0);
	recording_writer_free(writer);

	struct recording *recording = sample_open(place->path);
	assert_int_equal(recording_slice_count(recording), 36000);
	assert_int_equal(recording_each_row(recording, sample_count_row, &count, &why), 0);
	assert_int_equal(count, 1);
	assert_int_equal(sample_query(place->path, "SELECT sum(ns) FROM sums_by_slice"), sum.ns);
	assert_int_equal(sample_query(place->path, "SELECT count(*) FROM sums_by_slice"), 36000);
	recording_free(recording);
}

static void a_row_that_does_not_add_up_is_refused(void **state)
{
	const struct place *place = *state;
	struct recording_writer *writer = sample_writer(place->path);
	struct rec_sum sum = sample_rows[2];
	struct why why = {""};

	sample_add_tables(writer);
	sum.last_ns++;
	recording_writer_add_sum(writer, &sum);
	assert_int_equal(recording_writer_commit(writer, &why), -EINVAL);
	assert_non_null(strstr(why.text, "does not add up"));
	recording_writer_free(writer);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, sample_make_place, sample_remove_place)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(rows_come_back_in_order),
		TEST(a_row_says_why_it_has_no_stack),
		TEST(a_walk_ends_when_the_caller_says_so),
		TEST(a_recording_cut_short_delivers_its_open_intervals),
		TEST(finishing_forgets_the_open_intervals),
		TEST(what_was_not_committed_is_not_there),
		TEST(a_row_may_span_36000_slices),
		TEST(a_row_that_does_not_add_up_is_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
