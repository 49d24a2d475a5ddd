// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The tables that rows refer to or that say what a recording is: objects, frames, chains,
 * processes, threads, losses and meta. What has an id of its content is written once, what becomes
 * known by and by is replaced.
 */
#include "recording/writer_private.h"

#include <errno.h>
#include <stddef.h>

#include "recording/schema.h"

void recording_writer_add_object(struct recording_writer *writer, const struct rec_object *object)
{
	sqlite3_stmt *statement = writer_start(writer, WRITER_INSERT_OBJECT);

	if (!statement)
		return;
	writer_bind_id(statement, 1, object->id);
	sqlite3_bind_int(statement, 2, (int)object->kind);
	writer_bind_text(statement, 3, object->path);
	writer_bind_text(statement, 4, object->build_id);
	writer_run(writer, WRITER_INSERT_OBJECT);
}

void recording_writer_add_frame(struct recording_writer *writer, const struct rec_frame *frame)
{
	sqlite3_stmt *statement = writer_start(writer, WRITER_INSERT_FRAME);

	if (!statement)
		return;
	writer_bind_id(statement, 1, frame->id);
	writer_bind_id(statement, 2, frame->object);
	writer_bind_id(statement, 3, frame->address);
	writer_bind_text(statement, 4, frame->name);
	writer_bind_id(statement, 5, frame->offset);
	sqlite3_bind_int(statement, 6, (int)frame->reason);
	writer_run(writer, WRITER_INSERT_FRAME);
}

static void add_hop(
	struct recording_writer *writer, const struct rec_chain *chain, uint32_t position)
{
	sqlite3_stmt *statement = writer_start(writer, WRITER_INSERT_HOP);
	const struct rec_hop *hop = &chain->hops[position];

	if (!statement)
		return;
	writer_bind_id(statement, 1, chain->id);
	writer_bind_id(statement, 2, position);
	sqlite3_bind_int(statement, 3, (int)hop->kind);
	writer_bind_text(statement, 4, hop->name);
	writer_bind_id(statement, 5, hop->kernel_stack);
	writer_bind_id(statement, 6, hop->user_stack);
	writer_bind_id(statement, 7, hop->waited_stack);
	writer_bind_id(statement, 8, hop->waited_user_stack);
	writer_bind_id(statement, 9, hop->waited_for);
	writer_run(writer, WRITER_INSERT_HOP);
}

void recording_writer_add_chain(struct recording_writer *writer, const struct rec_chain *chain)
{
	sqlite3_stmt *statement = writer_start(writer, WRITER_INSERT_CHAIN);

	if (!statement)
		return;
	if (!chain->id || !recording_chain_is_sound(chain)) {
		writer->error = why_set(&writer->why, -EINVAL,
			"cannot write %s: a chain of %u hops that ends in \"%s\" cannot be",
			writer->path, chain->hop_count, chain_end_name(chain->end));
		return;
	}
	writer_bind_id(statement, 1, chain->id);
	writer_bind_id(statement, 2, chain->hop_count);
	sqlite3_bind_int(statement, 3, (int)chain->end);
	writer_run(writer, WRITER_INSERT_CHAIN);
	/* None if the chain was known: then its hops are there too. */
	if (!writer->error && sqlite3_changes(writer->db))
		for (uint32_t i = 0; i < chain->hop_count; i++)
			add_hop(writer, chain, i);
}

void recording_writer_add_awaited(
	struct recording_writer *writer, const struct rec_awaited *awaited)
{
	sqlite3_stmt *statement = writer_start(writer, WRITER_INSERT_AWAITED);
	const struct awaited *thing = &awaited->thing;

	if (!statement)
		return;
	writer_bind_id(statement, 1, awaited->id);
	sqlite3_bind_int(statement, 2, (int)thing->kind);
	writer_bind_text(statement, 3, thing->name);
	writer_bind_text(statement, 4, thing->place);
	writer_bind_id(statement, 5, thing->port);
	writer_bind_id(statement, 6, thing->address);
	writer_bind_id(statement, 7, awaited->process);
	writer_run(writer, WRITER_INSERT_AWAITED);
}

void recording_writer_put_process(
	struct recording_writer *writer, const struct rec_process *process)
{
	sqlite3_stmt *statement = writer_start(writer, WRITER_INSERT_PROCESS);

	if (!statement)
		return;
	writer_bind_id(statement, 1, process->id);
	writer_bind_id(statement, 2, process->pid);
	writer_bind_text(statement, 3, process->name);
	writer_bind_text(statement, 4, process->exe);
	writer_bind_text(statement, 5, process->container);
	sqlite3_bind_int(statement, 6, process->is_kernel);
	writer_run(writer, WRITER_INSERT_PROCESS);
}

void recording_writer_put_thread(struct recording_writer *writer, const struct rec_thread *thread)
{
	sqlite3_stmt *statement = writer_start(writer, WRITER_INSERT_THREAD);

	if (!statement)
		return;
	writer_bind_id(statement, 1, thread->id);
	writer_bind_id(statement, 2, thread->tid);
	writer_bind_id(statement, 3, thread->process);
	writer_bind_text(statement, 4, thread->comm);
	writer_bind_number(writer, statement, 5, thread->start_ns);
	writer_bind_number(writer, statement, 6, thread->end_ns);
	for (int i = 0; i < TIME_STATES; i++)
		writer_bind_number(writer, statement, 7 + i, thread->total_ns[i]);
	sqlite3_bind_int(statement, 7 + TIME_STATES, thread->is_closed);
	sqlite3_bind_int(statement, 8 + TIME_STATES, thread->is_kernel);
	writer_run(writer, WRITER_INSERT_THREAD);
}

void recording_writer_put_loss(struct recording_writer *writer, const struct rec_loss *loss)
{
	sqlite3_stmt *statement = writer_start(writer, WRITER_INSERT_LOSS);

	if (!statement)
		return;
	writer_bind_text(statement, 1, loss_name(loss->loss));
	writer_bind_number(writer, statement, 2, loss->count);
	writer_bind_number(writer, statement, 3, loss->ns);
	writer_run(writer, WRITER_INSERT_LOSS);
}

static void put_key(struct recording_writer *writer, const struct schema_key *key, const void *at)
{
	sqlite3_stmt *statement = writer_start(writer, WRITER_INSERT_META);

	if (!statement)
		return;
	writer_bind_text(statement, 1, key->name);
	switch (key->type) {
	case SCHEMA_TEXT:
		writer_bind_text(statement, 2, *(const char *const *)at);
		break;
	case SCHEMA_BOOL:
		sqlite3_bind_int(statement, 2, *(const bool *)at);
		break;
	case SCHEMA_U32:
		writer_bind_id(statement, 2, *(const uint32_t *)at);
		break;
	case SCHEMA_U64:
		writer_bind_number(writer, statement, 2, *(const uint64_t *)at);
		break;
	default:
		sqlite3_bind_int64(statement, 2, *(const int64_t *)at);
	}
	writer_run(writer, WRITER_INSERT_META);
}

void recording_writer_put_meta(struct recording_writer *writer, const struct rec_meta *meta)
{
	writer->slice_ns = meta->slice_ns;
	for (const struct schema_key *key = schema_keys; key->name; key++)
		put_key(writer, key, (const char *)meta + key->offset);
}

void writer_set_finished(struct recording_writer *writer)
{
	static const bool is_finished = true;

	for (const struct schema_key *key = schema_keys; key->name; key++)
		if (key->offset == offsetof(struct rec_meta, is_finished))
			put_key(writer, key, &is_finished);
}
