// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Rows of time: sums with the shares of their chains, open ones, and the slices that they are in. A
 * row that does not add up is refused, so that no recording can have one.
 */
#include "recording/writer_private.h"

#include <errno.h>
#include <inttypes.h>

#include "recording/schema.h"

void writer_want_slice(struct recording_writer *writer, uint32_t slice)
{
	if (slice >= SCHEMA_MAX_ROWS && !writer->error)
		writer->error = why_set(&writer->why, -ERANGE,
			"cannot write %s: more than %u slices; choose a longer --slice",
			writer->path, SCHEMA_MAX_ROWS);
	else if (slice >= writer->slices_wanted)
		writer->slices_wanted = slice + 1;
}

static void check_parts(struct recording_writer *writer, const struct rec_sum *sum)
{
	bool may_span = sum->slice_first < sum->slice_last && !writer->slice_ns;

	if (writer->error || may_span || schema_parts_add_up(sum, writer->slice_ns))
		return;
	writer->error = why_set(&writer->why, -EINVAL,
		"cannot write %s: a %s row of thread %u, slices %u to %u, %" PRIu64
		" times, does not add up: %" PRIu64 " ns, %" PRIu64 " first, %" PRIu64 " last",
		writer->path, state_name(sum->state), sum->thread, sum->slice_first,
		sum->slice_last, sum->count, sum->ns, sum->first_ns, sum->last_ns);
}

static void check_chain(struct recording_writer *writer, const struct rec_sum *sum)
{
	bool is_sound = sum->share_count <= CONTRACT_MAX_HOPS + 1 &&
			(!sum->chain || sum->state == TIME_BLOCKED) &&
			(!sum->share_count || sum->chain);

	if (writer->error ||
		(is_sound && (!sum->share_count || recording_shares_add_up(sum->shares,
							   sum->share_count, sum->ns))))
		return;
	writer->error = why_set(&writer->why, -EINVAL,
		"cannot write %s: the %u shares of a %s row of thread %u do not add up to %" PRIu64
		" ns",
		writer->path, sum->share_count, state_name(sum->state), sum->thread, sum->ns);
}

void writer_check_sum(struct recording_writer *writer, const struct rec_sum *sum)
{
	check_parts(writer, sum);
	check_chain(writer, sum);
	writer_want_slice(writer, sum->slice_last);
}

void recording_writer_add_sum(struct recording_writer *writer, const struct rec_sum *sum)
{
	writer_check_sum(writer, sum);
	writer_batch_sum(writer, sum);
}

void recording_writer_begin_open(struct recording_writer *writer)
{
	if (writer_start(writer, WRITER_CLEAR_OPEN))
		writer_run(writer, WRITER_CLEAR_OPEN);
}

void recording_writer_add_open(struct recording_writer *writer, const struct rec_sum *sum)
{
	sqlite3_stmt *statement = writer_start(writer, WRITER_INSERT_OPEN);

	if (!statement)
		return;
	writer_check_sum(writer, sum);
	writer_bind_sum(writer, statement, 1, sum);
	writer_run(writer, WRITER_INSERT_OPEN);
}

void recording_writer_put_slice(struct recording_writer *writer, uint32_t slice, uint64_t length_ns)
{
	writer_want_slice(writer, slice);
	vec_push(&writer->slices, ((struct writer_slice){slice, length_ns}));
}

static void write_slice(struct recording_writer *writer, enum writer_statement which, uint32_t id,
	uint64_t length_ns)
{
	sqlite3_stmt *statement = writer_start(writer, which);
	uint64_t start_ns;

	if (!statement)
		return;
	if (__builtin_mul_overflow(id, writer->slice_ns, &start_ns))
		start_ns = UINT64_MAX;
	writer_bind_id(statement, 1, id);
	writer_bind_number(writer, statement, 2, start_ns);
	writer_bind_number(writer, statement, 3, length_ns);
	writer_run(writer, which);
}

void writer_write_slices(struct recording_writer *writer)
{
	if (!writer->slice_ns || writer->error)
		return;
	vec_each (slice, &writer->slices)
		write_slice(writer, WRITER_INSERT_SLICE, slice->id, slice->length_ns);
	writer->slices.count = 0;
	for (; writer->slices_filled < writer->slices_wanted; writer->slices_filled++)
		write_slice(writer, WRITER_INSERT_SLICE_IF_NEW, writer->slices_filled,
			writer->slice_ns);
}

void recording_writer_add_queue(struct recording_writer *writer, const struct rec_queue *queue)
{
	sqlite3_stmt *statement = writer_start(writer, WRITER_INSERT_QUEUE);

	if (!statement)
		return;
	if (!rec_queue_is_sound(queue) && !writer->error)
		writer->error = why_set(&writer->why, -EINVAL,
			"cannot write %s: thread %u cannot have been ready for %" PRIu64
			" of %" PRIu64 " ns",
			writer->path, queue->thread, queue->max_ns, queue->ns);
	writer_want_slice(writer, queue->slice);
	writer_bind_id(statement, 1, queue->thread);
	writer_bind_id(statement, 2, queue->slice);
	sqlite3_bind_int(statement, 3, (int)queue->kind);
	writer_bind_text(statement, 4, queue->name);
	writer_bind_number(writer, statement, 5, queue->count);
	writer_bind_number(writer, statement, 6, queue->ns);
	writer_bind_number(writer, statement, 7, queue->max_ns);
	writer_run(writer, WRITER_INSERT_QUEUE);
}
