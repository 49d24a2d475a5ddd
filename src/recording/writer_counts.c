// SPDX-License-Identifier: GPL-2.0-or-later
/* What is counted beside thread time: measures, their rows, and the memory of processes. */
#include "recording/writer_private.h"

#include <errno.h>
#include <inttypes.h>

#include "model/measure.h"

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
	writer_bind_text(
		statement, 6, measure->kind ? measure->kind : measure_kind_name(MEASURE_EVENT));
	writer_run(writer, WRITER_INSERT_MEASURE);
}

static void check_count(struct recording_writer *writer, const struct rec_count *count)
{
	if (writer->error || rec_count_is_sound(count))
		return;
	writer->error = why_set(&writer->why, -EINVAL,
		"cannot write %s: %" PRIu64 " of %" PRIu64
		" events of thread %u cannot add up to %" PRIu64 " with %" PRIu64 " at most",
		writer->path, count->count, count->events, count->thread, count->value,
		count->max_value);
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
	writer_bind_number(writer, statement, 9, count->events);
	writer_bind_id(statement, 10, count->awaited);
	writer_run(writer, WRITER_INSERT_COUNT);
}

void recording_writer_put_memory(struct recording_writer *writer, const struct rec_memory *memory)
{
	sqlite3_stmt *statement = writer_start(writer, WRITER_INSERT_MEMORY);

	if (!statement)
		return;
	if (!rec_memory_is_sound(memory)) {
		writer->error = why_set(&writer->why, -EINVAL,
			"cannot write %s: of %" PRIu64 " bytes of process %u %" PRIu64
			" cannot be anonymous",
			writer->path, memory->rss_bytes, memory->process, memory->anonymous_bytes);
		return;
	}
	writer_want_slice(writer, memory->slice);
	writer_bind_id(statement, 1, memory->process);
	writer_bind_id(statement, 2, memory->slice);
	writer_bind_number(writer, statement, 3, memory->rss_bytes);
	writer_bind_number(writer, statement, 4, memory->anonymous_bytes);
	writer_run(writer, WRITER_INSERT_MEMORY);
}
