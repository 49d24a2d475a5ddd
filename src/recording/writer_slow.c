// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What slow calls waited in and ran in: rows as those of sums, each in one slice. By function and
 * state they may not have more time than slow calls took: that is kept count of, and checked when
 * the recording is finished, as rows come before calls or behind them.
 */
#include "recording/writer_private.h"

#include <errno.h>
#include <inttypes.h>

#include "model/call.h"

struct writer_slow_time *writer_slow_time(struct recording_writer *writer, uint32_t function)
{
	if (!writer->slow_times)
		writer->slow_times = xcalloc(CONTRACT_CALL_FUNCTIONS, sizeof(*writer->slow_times));
	if (writer->error)
		return NULL;
	if (function && function <= CONTRACT_CALL_FUNCTIONS)
		return &writer->slow_times[function - 1];
	writer->error =
		why_set(&writer->why, -ERANGE, "cannot write %s: function %u is none of 1 to %u",
			writer->path, function, CONTRACT_CALL_FUNCTIONS);
	return NULL;
}

static void check_slow(
	struct recording_writer *writer, uint32_t function, const struct rec_sum *sum)
{
	writer_check_sum(writer, sum);
	if (!writer->error && sum->slice_first != sum->slice_last)
		writer->error = why_set(&writer->why, -EINVAL,
			"cannot write %s: a %s row of slow calls of function %u is in slices %u to"
			" %u",
			writer->path, state_name(sum->state), function, sum->slice_first,
			sum->slice_last);
}

void recording_writer_add_slow(
	struct recording_writer *writer, uint32_t function, const struct rec_sum *sum)
{
	sqlite3_stmt *statement = writer_start(writer, WRITER_INSERT_SLOW);
	struct writer_slow_time *time = writer_slow_time(writer, function);

	if (!statement || !time)
		return;
	check_slow(writer, function, sum);
	if (sum->state < TIME_STATES)
		time->rows_ns[sum->state] += sum->ns;
	writer_bind_id(statement, 1, function);
	writer_bind_id(statement, 2, sum->thread);
	writer_bind_id(statement, 3, sum->slice_first);
	sqlite3_bind_int(statement, 4, (int)sum->state);
	sqlite3_bind_text(statement, 5, &sum->task_letter, sum->task_letter ? 1 : 0, SQLITE_STATIC);
	writer_bind_id(statement, 6, sum->band);
	writer_bind_id(statement, 7, sum->kernel_stack);
	writer_bind_id(statement, 8, sum->user_stack);
	writer_bind_number(writer, statement, 9, sum->count);
	writer_bind_number(writer, statement, 10, sum->ns);
	writer_bind_number(writer, statement, 11, sum->max_ns);
	writer_bind_id(statement, 12, sum->chain);
	writer_bind_id(statement, 13, sum->awaited);
	writer_bind_id(statement, 14, sum->owner);
	writer_run(writer, WRITER_INSERT_SLOW);
	writer_insert_shares(writer, WRITER_INSERT_SLOW_SHARE,
		sqlite3_last_insert_rowid(writer->db), sum->shares, sum->share_count);
}

static void check_slow_time(
	struct recording_writer *writer, uint32_t function, const struct writer_slow_time *time)
{
	for (int i = 0; i < TIME_STATES && !writer->error; i++) {
		unsigned __int128 calls_ns = time->calls_ns[i] + time->open_ns[i];
		if (time->rows_ns[i] > calls_ns)
			writer->error = why_set(&writer->why, -EINVAL,
				"cannot finish %s: slow calls of function %u were %s for %" PRIu64
				" ns, not for %" PRIu64 " as their rows say",
				writer->path, function, state_name((enum time_state)i),
				(uint64_t)calls_ns, (uint64_t)time->rows_ns[i]);
	}
}

void writer_check_slow_times(struct recording_writer *writer)
{
	for (uint32_t i = 0; i < CONTRACT_CALL_FUNCTIONS && writer->slow_times; i++)
		check_slow_time(writer, i + 1, &writer->slow_times[i]);
}
