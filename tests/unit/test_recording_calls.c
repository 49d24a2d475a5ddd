// SPDX-License-Identifier: GPL-2.0-or-later
/* Calls come back as they were written, slow ones row by row, and what cannot be is refused. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>

#include "contract/call.h"
#include "recording_sample.h"

static void functions_come_back(void **state)
{
	const struct place *place = *state;
	size_t count;

	sample_write(place->path);
	struct recording *recording = sample_open(place->path);
	const struct rec_function *functions = recording_functions(recording, &count);
	assert_int_equal(count, SAMPLE_FUNCTIONS);
	for (size_t i = 0; i < count; i++) {
		const struct rec_function *wanted = &sample_functions[i];
		assert_int_equal(functions[i].id, wanted->id);
		assert_string_equal(functions[i].name, wanted->name);
		assert_string_equal(functions[i].kind, wanted->kind);
		assert_string_equal(functions[i].place, wanted->place);
		assert_string_equal(functions[i].rule, wanted->rule);
		assert_int_equal(functions[i].slow_from_ns, wanted->slow_from_ns);
		assert_int_equal(functions[i].price_ns, wanted->price_ns);
		assert_int_equal(functions[i].begun_before, wanted->begun_before);
		assert_int_equal(functions[i].left, wanted->left);
		assert_int_equal(functions[i].died_inside, wanted->died_inside);
		assert_int_equal(functions[i].too_deep, wanted->too_deep);
		assert_int_equal(functions[i].unmatched, wanted->unmatched);
		assert_int_equal(functions[i].in_interrupt, wanted->in_interrupt);
		assert_int_equal(functions[i].jumped_on, wanted->jumped_on);
	}
	recording_free(recording);
}

static int check_call(const struct rec_called *row, void *context)
{
	size_t *seen = context;
	const struct rec_call *wanted = &sample_calls[(*seen)++];

	assert_int_equal(row->call.function, wanted->function);
	assert_int_equal(row->call.thread, wanted->thread);
	assert_int_equal(row->call.slice, wanted->slice);
	assert_int_equal(row->call.band, wanted->band);
	assert_int_equal(row->call.is_error, wanted->is_error);
	assert_int_equal(row->call.is_slow, wanted->is_slow);
	assert_int_equal(row->call.is_inner, wanted->is_inner);
	assert_int_equal(row->call.count, wanted->count);
	assert_int_equal(row->call.wall_ns, wanted->wall_ns);
	assert_memory_equal(row->call.part_ns, wanted->part_ns, sizeof(wanted->part_ns));
	assert_int_equal(row->call.max_ns, wanted->max_ns);
	assert_int_equal(row->function_index, wanted->function == 1 ? 0 : 1);
	assert_int_equal(row->thread_index, wanted->thread ? 0 : REC_NONE);
	return 0;
}

static int check_open_call(const struct rec_opened *row, void *context)
{
	++*(size_t *)context;
	assert_int_equal(row->call.function, sample_open_call.function);
	assert_int_equal(row->call.thread, sample_open_call.thread);
	assert_true(row->call.is_slow);
	assert_false(row->call.is_inner);
	assert_int_equal(row->call.wall_ns, sample_open_call.wall_ns);
	assert_memory_equal(
		row->call.part_ns, sample_open_call.part_ns, sizeof(sample_open_call.part_ns));
	assert_int_equal(row->call.state, TIME_BLOCKED);
	assert_int_equal(row->function_index, 1);
	assert_int_equal(row->thread_index, 1);
	assert_int_not_equal(row->stacks.kernel_node, REC_NONE);
	assert_int_not_equal(row->stacks.user_node, REC_NONE);
	assert_int_not_equal(row->awaited, REC_NONE);
	return 0;
}

static void calls_come_back_and_of_open_ones_the_last_state(void **state)
{
	const struct place *place = *state;
	size_t calls = 0, open = 0;
	struct why why = {""};

	sample_write(place->path);
	struct recording *recording = sample_open(place->path);
	if (recording_each_call(recording, check_call, &calls, &why) ||
		recording_each_open_call(recording, check_open_call, &open, &why))
		fail_msg("%s", why.text);
	assert_int_equal(calls, ARRAY_SIZE(sample_calls));
	assert_int_equal(open, 1);
	recording_free(recording);
}

/* Rows of one function, in their order. */
struct slow_walk {
	uint32_t function;
	size_t next;
	size_t rows;
};

static int check_slow(const struct rec_row *row, void *context)
{
	struct slow_walk *walk = context;

	while (sample_slow_rows[walk->next].function != walk->function)
		walk->next++;
	const struct rec_sum *wanted = &sample_slow_rows[walk->next++].sum;
	walk->rows++;
	assert_int_equal(row->sum.thread, wanted->thread);
	assert_int_equal(row->sum.slice_first, wanted->slice_first);
	assert_int_equal(row->sum.slice_last, wanted->slice_first);
	assert_int_equal(row->sum.state, wanted->state);
	assert_int_equal(row->sum.task_letter, wanted->task_letter);
	assert_int_equal(row->sum.band, wanted->band);
	assert_int_equal(row->sum.kernel_stack, wanted->kernel_stack);
	assert_int_equal(row->sum.user_stack, wanted->user_stack);
	assert_int_equal(row->sum.count, wanted->count);
	assert_int_equal(row->sum.ns, wanted->ns);
	assert_int_equal(row->sum.max_ns, wanted->max_ns);
	assert_int_equal(row->sum.first_ns, wanted->ns);
	assert_int_equal(row->sum.last_ns, 0);
	assert_int_equal(row->sum.chain, wanted->chain);
	assert_int_equal(row->sum.awaited, wanted->awaited);
	assert_int_equal(row->sum.owner, wanted->owner);
	if (wanted->share_count) {
		assert_int_equal(row->sum.share_count, wanted->share_count);
		assert_memory_equal(row->sum.shares, wanted->shares,
			wanted->share_count * sizeof(*wanted->shares));
	}
	if (wanted->user_stack == STACK_MORE_WAITS)
		assert_int_equal(row->stacks.user_end, UNWIND_MORE_WAITS);
	return 0;
}

static void expect_slow(struct recording *recording, uint32_t index, size_t rows)
{
	struct slow_walk walk = {.function = sample_functions[index].id};
	struct why why = {""};

	recording_choose_slow(recording, index);
	assert_int_equal(recording_slow_function(recording), index);
	if (recording_each_row(recording, check_slow, &walk, &why))
		fail_msg("%s", why.text);
	assert_int_equal(walk.rows, rows);
}

static void expect_all(struct recording *recording)
{
	struct why why = {""};
	size_t count = 0;

	recording_choose_slow(recording, REC_NONE);
	assert_int_equal(recording_slow_function(recording), REC_NONE);
	assert_int_equal(recording_each_row(recording, sample_count_row, &count, &why), 0);
	assert_int_equal(count, SAMPLE_ROWS);
}

/* Whether rows are kept in memory or not, and whatever was walked over before. */
static void rows_are_those_of_the_choice(void **state)
{
	const struct place *place = *state;

	for (int round = 0; round < 4; round++) {
		if (round % 2)
			sample_write(place->path);
		else
			sample_write_unfinished(place->path);
		struct recording *recording = sample_open(place->path);
		assert_int_equal(recording_slow_function(recording), REC_NONE);
		if (round / 2)
			recording_keep_rows(recording);
		for (int i = 0; i < 3; i++) {
			expect_slow(recording, 0, 4);
			expect_slow(recording, 0, 4);
			expect_slow(recording, 1, 1);
			expect_all(recording);
			expect_slow(recording, 1, 1);
		}
		recording_free(recording);
	}
}

static void a_choice_of_no_function_is_none(void **state)
{
	const struct place *place = *state;

	sample_write(place->path);
	struct recording *recording = sample_open(place->path);
	recording_choose_slow(recording, SAMPLE_FUNCTIONS);
	assert_int_equal(recording_slow_function(recording), REC_NONE);
	recording_free(recording);
}

static void expect_refused(const char *path, struct recording_writer *writer, const char *words)
{
	struct why why = {""};

	assert_int_equal(recording_writer_finish(writer, &why), -EINVAL);
	if (!strstr(why.text, words))
		fail_msg("\"%s\" does not say \"%s\"", why.text, words);
	recording_writer_free(writer);
	assert_int_equal(unlink(path), 0);
}

static struct recording_writer *writer_of_sample(const char *path)
{
	struct recording_writer *writer = sample_writer(path);

	sample_add_tables(writer);
	return writer;
}

static void calls_that_cannot_be_are_refused(void **state)
{
	static const struct rec_call bad[] = {
		{1, 1, 0, 1, false, false, false, 0, 1, {1, 0, 0, 0}, 1},
		{1, 1, 0, 256, false, false, false, 1, 1, {1, 0, 0, 0}, 1},
		{1, 1, 0, 1, false, false, false, 1, 1, {1, 0, 0, 1}, 1},
		{1, 1, 0, 1, false, false, false, 1, 1, {2, UINT64_MAX, 0, 0}, 1},
		{1, 1, 0, 1, false, false, false, 1, 1, {1, 0, 0, 0}, 2},
		{1, 1, 0, 1, false, true, true, 1, 1, {1, 0, 0, 0}, 1},
	};
	const struct place *place = *state;
	struct rec_open_call open = sample_open_call;

	for (size_t i = 0; i < ARRAY_SIZE(bad); i++) {
		struct recording_writer *writer = writer_of_sample(place->path);
		recording_writer_add_call(writer, &bad[i]);
		expect_refused(place->path, writer, "do not add up");
	}
	struct recording_writer *writer = writer_of_sample(place->path);
	open.part_ns[TIME_RUNNING] = 1;
	recording_writer_add_open_call(writer, &open);
	expect_refused(place->path, writer, "does not add up");
}

static void slow_rows_that_cannot_be_are_refused(void **state)
{
	const struct place *place = *state;
	struct rec_share shares[] = {{1, 0, 0}, {0, 0, 0}, {0, 0, 0}};
	struct rec_sum two_slices = sample_rows[2];
	struct rec_sum odd_parts = sample_slow_rows[0].sum;
	struct rec_sum odd_shares = sample_slow_rows[1].sum;

	struct recording_writer *writer = writer_of_sample(place->path);
	recording_writer_add_slow(writer, 1, &two_slices);
	expect_refused(place->path, writer, "is in slices 1 to 4");
	writer = writer_of_sample(place->path);
	odd_parts.first_ns--;
	recording_writer_add_slow(writer, 1, &odd_parts);
	expect_refused(place->path, writer, "does not add up");
	writer = writer_of_sample(place->path);
	odd_shares.shares = shares;
	recording_writer_add_slow(writer, 1, &odd_shares);
	expect_refused(place->path, writer, "do not add up");
}

static void slow_rows_have_no_more_time_than_slow_calls(void **state)
{
	const struct place *place = *state;
	struct rec_sum more = sample_slow_rows[0].sum;

	more.ns = more.first_ns = more.max_ns = 1;
	struct recording_writer *writer = writer_of_sample(place->path);
	recording_writer_add_slow(writer, 1, &more);
	expect_refused(place->path, writer,
		"slow calls of function 1 were running for 300000000 ns, not for 300000001");
	/* Open calls count, too, but only those of the last time. */
	writer = writer_of_sample(place->path);
	recording_writer_begin_open_calls(writer);
	expect_refused(place->path, writer, "slow calls of function 7 were blocked for 0 ns");
	/* Samples have no time. */
	writer = writer_of_sample(place->path);
	recording_writer_add_slow(writer, 7, &sample_slow_rows[SAMPLE_SLOW_ROWS - 1].sum);
	assert_int_equal(recording_writer_finish(writer, NULL), 0);
	recording_writer_free(writer);
}

static void functions_have_numbers_from_1_to_1024(void **state)
{
	static const uint32_t bad[] = {0, CONTRACT_CALL_FUNCTIONS + 1};
	const struct place *place = *state;
	struct rec_function function = sample_functions[0];
	struct why why = {""};

	for (size_t i = 0; i < ARRAY_SIZE(bad); i++) {
		struct recording_writer *writer = writer_of_sample(place->path);
		function.id = bad[i];
		recording_writer_put_function(writer, &function);
		assert_int_equal(recording_writer_finish(writer, &why), -ERANGE);
		recording_writer_free(writer);
	}
	struct recording_writer *writer = writer_of_sample(place->path);
	function.id = CONTRACT_CALL_FUNCTIONS;
	recording_writer_put_function(writer, &function);
	assert_int_equal(recording_writer_finish(writer, &why), 0);
	recording_writer_free(writer);
}

static int on_call(const struct rec_called *row, void *count)
{
	(void)row;
	++*(size_t *)count;
	return 0;
}

static int on_open_call(const struct rec_opened *row, void *count)
{
	(void)row;
	++*(size_t *)count;
	return 0;
}

/* Calls, and the rows of slow ones. */
static int read_calls(struct recording *recording, size_t *count, struct why *why)
{
	int error = recording_each_call(recording, on_call, count, why);
	size_t functions;

	if (!error)
		error = recording_each_open_call(recording, on_open_call, count, why);
	recording_functions(recording, &functions);
	for (uint32_t i = 0; !error && i < functions; i++) {
		recording_choose_slow(recording, i);
		error = recording_each_row(recording, sample_count_row, count, why);
	}
	return error;
}

struct damage {
	const char *sql;
	const char *words;
};

static const struct damage damages[] = {
	{"DROP TABLE open_calls", "no plain table open_calls"},
	{"UPDATE functions SET id = -1 WHERE id = 1", "bad id"},
	{"UPDATE functions SET name = x'41'", "bad name"},
	{"UPDATE functions SET left_early = -1", "bad left_early"},
	{"UPDATE functions SET unmatched = 4611686018427387904", "more than 2^62"},
	{"WITH RECURSIVE n(i) AS (SELECT 8 UNION ALL SELECT i + 1 FROM n WHERE i < 1030)"
	 " INSERT INTO functions SELECT i, '', '', '', '', 0, 0, 0, 0, 0, 0, 0, 0, 0 FROM n",
		"more than 1024 functions"},
	{"DELETE FROM functions WHERE id = 7", "of calls has an unknown function"},
	{"UPDATE calls SET thread = 3", "unknown thread"},
	{"UPDATE calls SET slice = 6", "unknown slice"},
	{"UPDATE calls SET band = 256", "bad band"},
	{"UPDATE calls SET is_slow = 2", "bad is_slow"},
	{"UPDATE calls SET count = 0", "of calls does not add up"},
	{"UPDATE calls SET count = 'many'", "bad count"},
	{"UPDATE calls SET count = 2305843009213693952", "more than 2^62"},
	{"UPDATE calls SET running_ns = running_ns + 1", "of calls does not add up"},
	{"UPDATE calls SET max_ns = wall_ns + 1", "of calls does not add up"},
	{"UPDATE calls SET is_inner = 1", "of calls does not add up"},
	{"UPDATE calls SET wall_ns = 2305843009213693952, running_ns = 2305843009213693952,"
	 " woken_ns = 0, preempted_ns = 0, blocked_ns = 0",
		"more than 2^62"},
	{"UPDATE open_calls SET function = 2", "of open_calls has an unknown function"},
	{"UPDATE open_calls SET thread = 0", "unknown thread"},
	{"UPDATE open_calls SET blocked_ns = blocked_ns + 1", "of open_calls does not add up"},
	{"UPDATE open_calls SET state = 4", "of open_calls does not add up"},
	{"UPDATE open_calls SET state = 256", "bad state"},
	{"UPDATE open_calls SET kernel_stack = 99", "unknown stack"},
	{"UPDATE open_calls SET awaited = 99", "unknown thing"},
	{"UPDATE slow SET function = 2 WHERE id = 5", "of slow has an unknown function"},
	{"UPDATE slow SET thread = 3 WHERE id = 3", "unknown thread"},
	{"UPDATE slow SET slice = 6", "unknown slice"},
	{"UPDATE slow SET ns = -1", "bad ns"},
	{"UPDATE slow SET letter = 'S' WHERE id = 1", "bad letter"},
	{"UPDATE slow SET chain = 7 WHERE id = 1", "bad chain"},
	{"UPDATE slow SET ns = ns + 1 WHERE id = 2", "do not add up"},
	{"UPDATE slow_shares SET position = 3", "bad position"},
	{"DELETE FROM slow_shares", "do not add up"},
	{"INSERT INTO slow_shares VALUES (99, 0, 0, 0, 0)", "unknown row"},
};

static void damage_is_named(void **state)
{
	const struct place *place = *state;

	for (size_t i = 0; i < ARRAY_SIZE(damages); i++) {
		struct recording *recording = NULL;
		struct why why = {""};
		size_t count = 0;
		sample_write(place->path);
		sample_execute(place->path, damages[i].sql);
		int error = recording_open(place->path, &recording, &why);
		if (!error)
			error = read_calls(recording, &count, &why);
		if (error != -EIO || strncmp(why.text, "damaged recording: ", 19) ||
			!strstr(why.text, damages[i].words))
			fail_msg("%s: %s", damages[i].sql, why.text);
		recording_free(recording);
	}
}

static void before_format_9_there_are_no_calls(void **state)
{
	const struct place *place = *state;
	struct why why = {""};
	size_t count = 0;

	sample_write(place->path);
	sample_execute(place->path,
		"DROP VIEW call_latency; DROP VIEW slow_waits; DROP TABLE functions;"
		"DROP TABLE calls; DROP TABLE open_calls; DROP TABLE slow; DROP TABLE slow_shares;"
		"PRAGMA user_version = 8");
	struct recording *recording = sample_open(place->path);
	recording_functions(recording, &count);
	assert_int_equal(count, 0);
	assert_int_equal(recording_each_call(recording, check_call, &count, &why), 0);
	assert_int_equal(recording_each_open_call(recording, check_open_call, &count, &why), 0);
	assert_int_equal(count, 0);
	recording_keep_rows(recording);
	recording_choose_slow(recording, 0);
	expect_all(recording);
	recording_free(recording);
}

static void what_a_newer_dwell_calls_a_state_is_left_out(void **state)
{
	const struct place *place = *state;
	struct why why = {""};
	size_t count = 0;

	sample_write(place->path);
	sample_execute(place->path,
		"UPDATE slow SET state = 100 WHERE id = 1; UPDATE open_calls SET state = 100;"
		"INSERT INTO words VALUES ('state', 100, 'throttled')");
	struct recording *recording = sample_open(place->path);
	recording_choose_slow(recording, 0);
	assert_int_equal(recording_each_row(recording, sample_count_row, &count, &why), 0);
	assert_int_equal(count, 3);
	assert_int_equal(recording_each_open_call(recording, check_open_call, &count, &why), 0);
	assert_int_equal(count, 3);
	expect_all(recording);
	const struct rec_loss *losses = recording_losses(recording, &count);
	assert_int_equal(count, 2);
	assert_string_equal(losses[1].name, "row of slow calls of state 'throttled' left out:"
					    " a newer dwell recorded it");
	recording_free(recording);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, sample_make_place, sample_remove_place)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(functions_come_back),
		TEST(calls_come_back_and_of_open_ones_the_last_state),
		TEST(rows_are_those_of_the_choice),
		TEST(a_choice_of_no_function_is_none),
		TEST(calls_that_cannot_be_are_refused),
		TEST(slow_rows_that_cannot_be_are_refused),
		TEST(slow_rows_have_no_more_time_than_slow_calls),
		TEST(functions_have_numbers_from_1_to_1024),
		TEST(damage_is_named),
		TEST(before_format_9_there_are_no_calls),
		TEST(what_a_newer_dwell_calls_a_state_is_left_out),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
