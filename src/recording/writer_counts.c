// SPDX-License-Identifier: GPL-2.0-or-later
/* What is counted beside thread time: measures, and their rows. */
#include "recording/writer_private.h"

#include <errno.h>
#include <inttypes.h>

void recording_writer_put_measure(
	struct recording_writer *writer, const struct rec_measure *measure)
{
	sqlite3_stmt *statement = writer_start(writer, WRITER_INSERT_MEASURE);

	if (!statement)
		return;
	writer_bind_id(statement, 1, measure->id);
	writer_bind_text(statement, 2, measure->name);
	writer_bind_text(statement, 3, measure->unit);
	writer_bind_text(statement, 4, measure->event);
	writer_bind_text(statement, 5, measure->about);
	writer_run(writer, WRITER_INSERT_MEASURE);
}

static void check_count(struct recording_writer *writer, const struct rec_count *count)
{
	if (writer->error || rec_count_is_sound(count))
		return;
	writer->error = why_set(&writer->why, -EINVAL,
		"cannot write %s: %" PRIu64 " events of thread %u cannot add up to %" PRIu64
		" with %" PRIu64 " at most",
		writer->path, count->count, count->thread, count->value, count->max_value);
}

void recording_writer_add_count(struct recording_writer *writer, const struct rec_count *count)
{
	sqlite3_stmt *statement = writer_start(writer, WRITER_INSERT_COUNT);

	if (!statement)
		return;
	check_count(writer, count);
	writer_want_slice(writer, count->slice);
	writer_bind_id(statement, 1, count->measure);
	writer_bind_id(statement, 2, count->thread);
	writer_bind_id(statement, 3, count->slice);
	writer_bind_id(statement, 4, count->kernel_stack);
	writer_bind_id(statement, 5, count->user_stack);
	writer_bind_number(writer, statement, 6, count->count);
	writer_bind_number(writer, statement, 7, count->value);
	writer_bind_number(writer, statement, 8, count->max_value);
	writer_run(writer, WRITER_INSERT_COUNT);
}
