// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Stacks and sums, of which there can be millions, many to a statement: for a row by itself SQLite
 * takes as long to begin and end the statement as to insert it. What is left at a commit goes row
 * by row.
 */
#include "recording/writer_private.h"

#define STACK_COLUMNS 4
#define SUM_COLUMNS 16

static void bind_stack(sqlite3_stmt *statement, int first, const struct rec_stack *stack)
{
	writer_bind_id(statement, first, stack->id);
	writer_bind_id(statement, first + 1, stack->parent);
	writer_bind_id(statement, first + 2, stack->frame);
	sqlite3_bind_int(statement, first + 3, (int)stack->end);
}

void writer_bind_sum(struct recording_writer *writer, sqlite3_stmt *statement, int first,
	const struct rec_sum *sum)
{
	writer_bind_id(statement, first, sum->thread);
	writer_bind_id(statement, first + 1, sum->slice_first);
	writer_bind_id(statement, first + 2, sum->slice_last);
	sqlite3_bind_int(statement, first + 3, (int)sum->state);
	sqlite3_bind_text(
		statement, first + 4, &sum->task_letter, sum->task_letter ? 1 : 0, SQLITE_STATIC);
	writer_bind_id(statement, first + 5, sum->band);
	writer_bind_id(statement, first + 6, sum->kernel_stack);
	writer_bind_id(statement, first + 7, sum->user_stack);
	writer_bind_number(writer, statement, first + 8, sum->count);
	writer_bind_number(writer, statement, first + 9, sum->ns);
	writer_bind_number(writer, statement, first + 10, sum->max_ns);
	writer_bind_number(writer, statement, first + 11, sum->first_ns);
	writer_bind_number(writer, statement, first + 12, sum->last_ns);
	writer_bind_id(statement, first + 13, sum->chain);
	writer_bind_id(statement, first + 14, sum->awaited);
	writer_bind_id(statement, first + 15, sum->owner);
}

static void insert_stacks(struct recording_writer *writer, enum writer_statement which,
	const struct rec_stack *stacks, size_t count)
{
	sqlite3_stmt *statement = writer_start(writer, which);

	if (!statement)
		return;
	for (size_t i = 0; i < count; i++)
		bind_stack(statement, 1 + (int)i * STACK_COLUMNS, &stacks[i]);
	writer_run(writer, which);
}

static void flush_stacks(struct recording_writer *writer)
{
	struct writer_batch *batch = &writer->batch;

	if (batch->stack_count == WRITER_BATCH)
		insert_stacks(writer, WRITER_INSERT_STACKS, batch->stacks, WRITER_BATCH);
	else
		for (size_t i = 0; i < batch->stack_count; i++)
			insert_stacks(writer, WRITER_INSERT_STACK, &batch->stacks[i], 1);
	batch->stack_count = 0;
}

void recording_writer_add_stack(struct recording_writer *writer, const struct rec_stack *stack)
{
	struct writer_batch *batch = &writer->batch;

	batch->stacks[batch->stack_count++] = *stack;
	if (batch->stack_count == WRITER_BATCH)
		flush_stacks(writer);
}

static void insert_sums(struct recording_writer *writer, enum writer_statement which,
	const struct rec_sum *sums, size_t count)
{
	sqlite3_stmt *statement = writer_start(writer, which);

	if (!statement)
		return;
	for (size_t i = 0; i < count; i++)
		writer_bind_sum(writer, statement, 1 + (int)i * SUM_COLUMNS, &sums[i]);
	writer_run(writer, which);
}

void writer_insert_shares(struct recording_writer *writer, enum writer_statement which, int64_t row,
	const struct rec_share *shares, uint32_t count)
{
	for (uint32_t i = 0; i < count; i++) {
		sqlite3_stmt *statement = writer_start(writer, which);
		const struct rec_share *share = &shares[i];
		if (!statement || (!share->ran_ns && !share->no_cpu_ns && !share->earlier_ns))
			continue;
		sqlite3_bind_int64(statement, 1, row);
		writer_bind_id(statement, 2, i);
		writer_bind_number(writer, statement, 3, share->ran_ns);
		writer_bind_number(writer, statement, 4, share->no_cpu_ns);
		writer_bind_number(writer, statement, 5, share->earlier_ns);
		writer_run(writer, which);
	}
}

static void flush_sums(struct recording_writer *writer)
{
	struct writer_batch *batch = &writer->batch;
	const struct rec_share *shares = batch->shares.at;

	if (batch->sum_count == WRITER_BATCH)
		insert_sums(writer, WRITER_INSERT_SUMS, batch->sums, WRITER_BATCH);
	else
		for (size_t i = 0; i < batch->sum_count; i++)
			insert_sums(writer, WRITER_INSERT_SUM, &batch->sums[i], 1);
	/* Nothing is ever deleted from sums, so ids are in a row. */
	int64_t id = sqlite3_last_insert_rowid(writer->db) - (int64_t)batch->sum_count;
	for (size_t i = 0; i < batch->sum_count; i++) {
		writer_insert_shares(
			writer, WRITER_INSERT_SHARE, ++id, shares, batch->sums[i].share_count);
		shares += batch->sums[i].share_count;
	}
	batch->sum_count = batch->shares.count = 0;
}

void writer_batch_sum(struct recording_writer *writer, const struct rec_sum *sum)
{
	struct writer_batch *batch = &writer->batch;

	if (writer->error)
		return;
	vec_append(&batch->shares, sum->shares, sum->share_count);
	batch->sums[batch->sum_count++] = *sum;
	if (batch->sum_count == WRITER_BATCH)
		flush_sums(writer);
}

void writer_batch_flush(struct recording_writer *writer)
{
	flush_stacks(writer);
	flush_sums(writer);
}
