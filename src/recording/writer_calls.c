// SPDX-License-Identifier: GPL-2.0-or-later
/* Functions, their calls, and those that have not ended. Parts that are no wall time are refused.
 */
#include "recording/writer_private.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "model/call.h"

void recording_writer_put_function(
	struct recording_writer *writer, const struct rec_function *function)
{
	sqlite3_stmt *statement = writer_start(writer, WRITER_INSERT_FUNCTION);

	/* Whether its number can be. */
	if (!statement || !writer_slow_time(writer, function->id))
		return;
	writer_bind_id(statement, 1, function->id);
	writer_bind_text(statement, 2, function->name);
	writer_bind_text(statement, 3, function->kind);
	writer_bind_text(statement, 4, function->place);
	writer_bind_text(statement, 5, function->rule);
	writer_bind_number(writer, statement, 6, function->slow_from_ns);
	writer_bind_number(writer, statement, 7, function->price_ns);
	writer_bind_number(writer, statement, 8, function->begun_before);
	writer_bind_number(writer, statement, 9, function->left);
	writer_bind_number(writer, statement, 10, function->died_inside);
	writer_bind_number(writer, statement, 11, function->too_deep);
	writer_bind_number(writer, statement, 12, function->unmatched);
	writer_bind_number(writer, statement, 13, function->in_interrupt);
	writer_bind_number(writer, statement, 14, function->jumped_on);
	writer_run(writer, WRITER_INSERT_FUNCTION);
}

static void bind_parts(struct recording_writer *writer, sqlite3_stmt *statement, int first,
	const uint64_t part_ns[static TIME_STATES])
{
	for (int i = 0; i < TIME_STATES; i++)
		writer_bind_number(writer, statement, first + i, part_ns[i]);
}

static void check_call(struct recording_writer *writer, const struct rec_call *call)
{
	if (writer->error || (rec_call_is_sound(call) && call->band < CONTRACT_CALL_BANDS))
		return;
	writer->error = why_set(&writer->why, -EINVAL,
		"cannot write %s: %" PRIu64 "%s%s calls of function %u by thread %u in band %u,"
		" %" PRIu64 " ns at most, do not add up to %" PRIu64 " ns",
		writer->path, call->count, call->is_slow ? " slow" : "",
		call->is_inner ? " inner" : "", call->function, call->thread, call->band,
		call->max_ns, call->wall_ns);
}

void recording_writer_add_call(struct recording_writer *writer, const struct rec_call *call)
{
	sqlite3_stmt *statement = writer_start(writer, WRITER_INSERT_CALL);
	struct writer_slow_time *time = writer_slow_time(writer, call->function);

	if (!statement || !time)
		return;
	check_call(writer, call);
	writer_want_slice(writer, call->slice);
	for (int i = 0; i < TIME_STATES && call->is_slow; i++)
		time->calls_ns[i] += call->part_ns[i];
	writer_bind_id(statement, 1, call->function);
	writer_bind_id(statement, 2, call->thread);
	writer_bind_id(statement, 3, call->slice);
	writer_bind_id(statement, 4, call->band);
	sqlite3_bind_int(statement, 5, call->is_error);
	sqlite3_bind_int(statement, 6, call->is_slow);
	sqlite3_bind_int(statement, 7, call->is_inner);
	writer_bind_number(writer, statement, 8, call->count);
	writer_bind_number(writer, statement, 9, call->wall_ns);
	bind_parts(writer, statement, 10, call->part_ns);
	writer_bind_number(writer, statement, 14, call->max_ns);
	writer_run(writer, WRITER_INSERT_CALL);
}

void recording_writer_begin_open_calls(struct recording_writer *writer)
{
	if (!writer_start(writer, WRITER_CLEAR_OPEN_CALLS))
		return;
	for (uint32_t i = 0; i < CONTRACT_CALL_FUNCTIONS && writer->slow_times; i++)
		memset(writer->slow_times[i].open_ns, 0, sizeof(writer->slow_times[i].open_ns));
	writer_run(writer, WRITER_CLEAR_OPEN_CALLS);
}

static void check_open_call(struct recording_writer *writer, const struct rec_open_call *call)
{
	if (writer->error || rec_open_call_is_sound(call))
		return;
	writer->error = why_set(&writer->why, -EINVAL,
		"cannot write %s: a call of function %u by thread %u, %s, does not add up to"
		" %" PRIu64 " ns",
		writer->path, call->function, call->thread, state_name(call->state), call->wall_ns);
}

void recording_writer_add_open_call(
	struct recording_writer *writer, const struct rec_open_call *call)
{
	sqlite3_stmt *statement = writer_start(writer, WRITER_INSERT_OPEN_CALL);
	struct writer_slow_time *time = writer_slow_time(writer, call->function);

	if (!statement || !time)
		return;
	check_open_call(writer, call);
	for (int i = 0; i < TIME_STATES && call->is_slow; i++)
		time->open_ns[i] += call->part_ns[i];
	writer_bind_id(statement, 1, call->function);
	writer_bind_id(statement, 2, call->thread);
	sqlite3_bind_int(statement, 3, call->is_slow);
	sqlite3_bind_int(statement, 4, call->is_inner);
	writer_bind_number(writer, statement, 5, call->wall_ns);
	bind_parts(writer, statement, 6, call->part_ns);
	sqlite3_bind_int(statement, 10, (int)call->state);
	writer_bind_id(statement, 11, call->kernel_stack);
	writer_bind_id(statement, 12, call->user_stack);
	writer_bind_id(statement, 13, call->awaited);
	writer_run(writer, WRITER_INSERT_OPEN_CALL);
}
