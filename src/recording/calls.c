// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Reading calls: functions as an array, rows of calls and calls that had not ended one at a time;
 * and the choice of slow calls, whose rows rows.c reads.
 */
#include <inttypes.h>

#include "model/call.h"
#include "recording/reader_private.h"

/* Whose sum stays a number that is no time and no count too large; false if it does not. */
static bool add_up(uint64_t *total, uint64_t more)
{
	return !__builtin_add_overflow(*total, more, total) && *total <= REC_MOST_COUNTED;
}

static void load_function(struct cursor *cursor, uint64_t *total)
{
	struct rec_function function = {
		.id = cursor_u32(cursor, 0),
		.name = cursor_text(cursor, 1),
		.kind = cursor_text(cursor, 2),
		.place = cursor_text(cursor, 3),
		.rule = cursor_text(cursor, 4),
		.slow_from_ns = cursor_ns(cursor, 5),
		.price_ns = cursor_ns(cursor, 6),
		.begun_before = cursor_ns(cursor, 7),
		.left = cursor_ns(cursor, 8),
		.died_inside = cursor_ns(cursor, 9),
		.too_deep = cursor_ns(cursor, 10),
		.unmatched = cursor_ns(cursor, 11),
		.in_interrupt = cursor_ns(cursor, 12),
		.jumped_on = cursor_ns(cursor, 13),
	};

	if (cursor->row > CONTRACT_CALL_FUNCTIONS)
		cursor_fail(cursor, "more than %d functions", CONTRACT_CALL_FUNCTIONS);
	if (!add_up(total, function.begun_before) || !add_up(total, function.left) ||
		!add_up(total, function.died_inside) || !add_up(total, function.too_deep) ||
		!add_up(total, function.unmatched) || !add_up(total, function.in_interrupt) ||
		!add_up(total, function.jumped_on))
		cursor_fail(cursor, "calls in functions add up to more than 2^62");
	vec_push(&cursor->recording->functions, function);
}

int recording_load_functions(struct recording *recording, struct why *why)
{
	struct cursor cursor;
	uint64_t total = 0;

	if (recording->database.version < RECORDING_VERSION_OF_CALLS)
		return 0;
	cursor_open(recording, "functions",
		"SELECT id, name, kind, place, rule, slow_from_ns, price_ns, begun_before,"
		" left_early, died_inside, too_deep, unmatched, in_interrupt, jumped_on FROM "
		"functions"
		" ORDER BY rowid",
		why, &cursor);
	while (cursor_next(&cursor))
		load_function(&cursor, &total);
	return cursor_close(&cursor);
}

static void fail_row(struct cursor *cursor, const char *what)
{
	cursor_fail(cursor, "row %" PRIu64 " of %s %s", cursor->row, cursor->table, what);
}

/* An index that is one, even after an error. */
static uint32_t resolve_function(struct cursor *cursor, uint32_t id)
{
	uint32_t index = recording_function_index(cursor->recording, id);

	if (index == REC_NONE)
		fail_row(cursor, "has an unknown function");
	return index == REC_NONE ? 0 : index;
}

static void read_parts(struct cursor *cursor, int first, uint64_t ret_part_ns[static TIME_STATES])
{
	for (int i = 0; i < TIME_STATES; i++)
		ret_part_ns[i] = cursor_ns(cursor, first + i);
}

static struct rec_called read_call(struct cursor *cursor)
{
	const struct recording *recording = cursor->recording;
	struct rec_called row = {
		.call = {
			.function = cursor_u32(cursor, 1),
			.thread = cursor_u32(cursor, 2),
			.slice = cursor_u32(cursor, 3),
			.band = (uint32_t)cursor_number(cursor, 4, CONTRACT_CALL_BANDS - 1),
			.is_error = cursor_bool(cursor, 5),
			.is_slow = cursor_bool(cursor, 6),
			.is_inner = cursor_bool(cursor, 7),
			.count = cursor_ns(cursor, 8),
			.wall_ns = cursor_ns(cursor, 9),
			.max_ns = cursor_ns(cursor, 14),
		}};

	read_parts(cursor, 10, row.call.part_ns);
	row.function_index = resolve_function(cursor, row.call.function);
	row.thread_index =
		row.call.thread ? recording_thread_index(recording, row.call.thread) : REC_NONE;
	if (row.call.thread && row.thread_index == REC_NONE)
		fail_row(cursor, "has an unknown thread");
	if (row.call.slice >= recording->slice_count)
		fail_row(cursor, "has an unknown slice");
	if (!rec_call_is_sound(&row.call))
		fail_row(cursor, "does not add up");
	return row;
}

int recording_each_call(
	struct recording *recording, recording_call_fn each, void *context, struct why *why)
{
	struct cursor cursor;
	uint64_t calls = 0, wall_ns = 0;
	int result = 0, error;

	if (recording->database.version < RECORDING_VERSION_OF_CALLS)
		return 0;
	cursor_open(recording, "calls",
		"SELECT id, function, thread, slice, band, is_error, is_slow, is_inner, count,"
		" wall_ns, running_ns, woken_ns, preempted_ns, blocked_ns, max_ns FROM calls"
		" ORDER BY rowid",
		why, &cursor);
	while (!result && cursor_next(&cursor)) {
		struct rec_called row = read_call(&cursor);
		if (!add_up(&calls, row.call.count) || !add_up(&wall_ns, row.call.wall_ns))
			cursor_fail(&cursor, "calls add up to more than 2^62");
		if (!cursor.error)
			result = each(&row, context);
	}
	error = cursor_close(&cursor);
	return error ? error : result;
}

static struct rec_opened read_open_call(struct cursor *cursor, enum time_state state)
{
	struct rec_opened row = {.call = {
					 .function = cursor_u32(cursor, 1),
					 .thread = cursor_u32(cursor, 2),
					 .is_slow = cursor_bool(cursor, 3),
					 .is_inner = cursor_bool(cursor, 4),
					 .wall_ns = cursor_ns(cursor, 5),
					 .state = state,
					 .kernel_stack = cursor_id(cursor, 11),
					 .user_stack = cursor_id(cursor, 12),
					 .awaited = cursor_id(cursor, 13),
				 }};

	read_parts(cursor, 6, row.call.part_ns);
	row.function_index = resolve_function(cursor, row.call.function);
	row.thread_index = recording_thread_index(cursor->recording, row.call.thread);
	if (row.thread_index == REC_NONE)
		fail_row(cursor, "has an unknown thread");
	if (!rec_open_call_is_sound(&row.call))
		fail_row(cursor, "does not add up");
	cursor_resolve_stacks(cursor, row.call.kernel_stack, row.call.user_stack, &row.stacks);
	row.awaited = cursor_resolve_awaited(cursor, row.call.awaited);
	return row;
}

int recording_each_open_call(
	struct recording *recording, recording_open_call_fn each, void *context, struct why *why)
{
	struct cursor cursor;
	uint64_t wall_ns = 0;
	int result = 0, error;

	if (recording->database.version < RECORDING_VERSION_OF_CALLS)
		return 0;
	cursor_open(recording, "open_calls",
		"SELECT id, function, thread, is_slow, is_inner, wall_ns, running_ns, woken_ns,"
		" preempted_ns, blocked_ns, state, kernel_stack, user_stack, awaited"
		" FROM open_calls ORDER BY rowid",
		why, &cursor);
	while (!result && cursor_next(&cursor)) {
		unsigned int state = cursor_word(&cursor, 10, WORD_STATE);
		/* A newer dwell's: what its thread does cannot be told. */
		if (!words_is_own(WORD_STATE, state))
			continue;
		struct rec_opened row = read_open_call(&cursor, (enum time_state)state);
		if (!add_up(&wall_ns, row.call.wall_ns))
			cursor_fail(&cursor, "open calls add up to more than 2^62");
		if (!cursor.error)
			result = each(&row, context);
	}
	error = cursor_close(&cursor);
	return error ? error : result;
}

void recording_choose_slow(struct recording *recording, uint32_t function_index)
{
	if (function_index >= recording->functions.count)
		function_index = REC_NONE;
	recording->slow_function = function_index;
	if (function_index == REC_NONE || function_index == recording->kept_function)
		return;
	recording->of_slow.kept.is_whole = false;
	recording->kept_function = function_index;
}

uint32_t recording_slow_function(const struct recording *recording)
{
	return recording->slow_function;
}
