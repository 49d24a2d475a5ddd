// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The writing side: one prepared statement for each table. A transaction begins with the first row
 * after a commit. The first error stays: later calls do nothing, what was committed before it
 * remains as it was.
 */
#include "recording/writer.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "recording/file.h"
#include "recording/schema.h"
#include "util/vec.h"

enum insert {
	INSERT_OBJECT,
	INSERT_FRAME,
	INSERT_STACK,
	INSERT_CHAIN,
	INSERT_HOP,
	INSERT_SHARE,
	INSERT_PROCESS,
	INSERT_THREAD,
	INSERT_SUM,
	INSERT_OPEN,
	INSERT_LOSS,
	INSERT_META,
	INSERT_SLICE,
	INSERT_SLICE_IF_NEW,
	CLEAR_OPEN,
	BEGIN,
	COMMIT,
	STATEMENTS,
};

#define SUM_VALUES " VALUES (NULL, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"

static const char *const statements_sql[STATEMENTS] = {
	[INSERT_OBJECT] = "INSERT OR IGNORE INTO objects VALUES (?, ?, ?, ?)",
	[INSERT_FRAME] = "INSERT OR IGNORE INTO frames VALUES (?, ?, ?, ?, ?, ?)",
	[INSERT_STACK] = "INSERT OR IGNORE INTO stacks VALUES (?, ?, ?, ?)",
	[INSERT_CHAIN] = "INSERT OR IGNORE INTO chains VALUES (?, ?, ?)",
	[INSERT_HOP] = "INSERT INTO hops VALUES (?, ?, ?, ?, ?, ?, ?)",
	[INSERT_SHARE] = "INSERT INTO shares VALUES (?, ?, ?, ?, ?)",
	[INSERT_PROCESS] = "INSERT OR REPLACE INTO processes VALUES (?, ?, ?, ?, ?, ?)",
	[INSERT_THREAD] = "INSERT OR REPLACE INTO threads"
			  " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
	[INSERT_SUM] = "INSERT INTO sums" SUM_VALUES,
	[INSERT_OPEN] = "INSERT INTO open" SUM_VALUES,
	[INSERT_LOSS] = "INSERT INTO losses VALUES (?, ?, ?) ON CONFLICT(name)"
			" DO UPDATE SET count = excluded.count, ns = excluded.ns",
	[INSERT_META] = "INSERT INTO meta VALUES (?, ?) ON CONFLICT(key)"
			" DO UPDATE SET value = excluded.value",
	[INSERT_SLICE] = "INSERT OR REPLACE INTO slices VALUES (?, ?, ?)",
	[INSERT_SLICE_IF_NEW] = "INSERT OR IGNORE INTO slices VALUES (?, ?, ?)",
	[CLEAR_OPEN] = "DELETE FROM open",
	[BEGIN] = "BEGIN IMMEDIATE",
	[COMMIT] = "COMMIT",
};

/* A commit gives way to readers after COMMIT_PATIENCE_MS; the last one has more time. */
#define COMMIT_PATIENCE_MS 250
#define FINISH_PATIENCE_MS 60000

struct slice {
	uint32_t id;
	uint64_t length_ns;
};

struct recording_writer {
	sqlite3 *db;
	sqlite3_stmt *statements[STATEMENTS];
	char *path;
	int lock_fd;
	bool is_in_transaction;
	int error; /* the first, and why */
	struct why why;
	uint64_t slice_ns;        /* 0 until meta is put */
	VEC(struct slice) slices; /* put, not yet in the table: their start needs slice_ns */
	uint32_t slices_filled;   /* all below are in the table */
	uint32_t slices_wanted;
};

static void fail_with_sqlite(struct recording_writer *writer, int code)
{
	int system_error = sqlite3_system_errno(writer->db);

	if (writer->error)
		return;
	switch (code & 0xff) {
	case SQLITE_FULL:
		writer->error =
			why_set(&writer->why, -ENOSPC, "cannot write %s: disk full", writer->path);
		return;
	case SQLITE_BUSY:
		writer->error = why_set(&writer->why, -EBUSY,
			"cannot write %s: another program holds it", writer->path);
		return;
	case SQLITE_IOERR:
	case SQLITE_CANTOPEN:
		writer->error = why_set(&writer->why, system_error ? -system_error : -EIO,
			"cannot write %s: %s", writer->path,
			system_error ? strerror(system_error) : sqlite3_errstr(code));
		return;
	default:
		writer->error = why_set(&writer->why, -EIO, "cannot write %s: %s", writer->path,
			sqlite3_errmsg(writer->db));
	}
}

static void run(struct recording_writer *writer, enum insert which)
{
	sqlite3_stmt *statement = writer->statements[which];

	if (!writer->error) {
		sqlite3_step(statement);
		int code = sqlite3_reset(statement);
		if (code)
			fail_with_sqlite(writer, code);
	}
}

/* The statement with a transaction around it, or NULL after an error. */
static sqlite3_stmt *start(struct recording_writer *writer, enum insert which)
{
	if (!writer->error && !writer->is_in_transaction) {
		run(writer, BEGIN);
		writer->is_in_transaction = !writer->error;
	}
	return writer->error ? NULL : writer->statements[which];
}

/* Ids and addresses: all 64 bits. */
static void bind_id(sqlite3_stmt *statement, int column, uint64_t id)
{
	sqlite3_bind_int64(statement, column, (int64_t)id);
}

/* Times and counts: SQL must be able to add them up, so they must not turn negative. */
static void bind_number(
	struct recording_writer *writer, sqlite3_stmt *statement, int column, uint64_t number)
{
	if (number > INT64_MAX && !writer->error)
		writer->error = why_set(&writer->why, -ERANGE,
			"cannot write %s: %" PRIu64 " is too large (%s)", writer->path, number,
			sqlite3_sql(statement));
	sqlite3_bind_int64(statement, column, (int64_t)number);
}

static void bind_text(sqlite3_stmt *statement, int column, const char *text)
{
	size_t length = text ? strnlen(text, SCHEMA_MAX_TEXT_BYTES) : 0;

	sqlite3_bind_text(statement, column, text ? text : "", (int)length, SQLITE_STATIC);
}

static int open_database(struct recording_writer *writer, const char *real_path)
{
	static const char settings[] =
		"PRAGMA page_size=4096; PRAGMA journal_mode=DELETE; PRAGMA synchronous=OFF;"
		"PRAGMA cache_size=-4096; PRAGMA temp_store=MEMORY;";
	int code = sqlite3_open_v2(real_path, &writer->db,
		SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_NOFOLLOW, NULL);

	if (!code)
		code = sqlite3_extended_result_codes(writer->db, 1);
	if (!code)
		code = sqlite3_exec(writer->db, settings, NULL, NULL, NULL);
	if (!code)
		code = sqlite3_busy_timeout(writer->db, COMMIT_PATIENCE_MS);
	if (!code)
		code = schema_create(writer->db);
	for (size_t i = 0; !code && i < STATEMENTS; i++)
		code = sqlite3_prepare_v3(writer->db, statements_sql[i], -1,
			SQLITE_PREPARE_PERSISTENT, &writer->statements[i], NULL);
	if (code)
		fail_with_sqlite(writer, code);
	return writer->error;
}

int recording_writer_new(const char *path, struct recording_writer **ret, struct why *why)
{
	_cleanup_free_ char *real_path = NULL;
	int fd;
	int error = recording_file_create(path, &real_path, &fd, why);

	if (error)
		return error;
	struct recording_writer *writer = xcalloc(1, sizeof(*writer));
	writer->path = xstrdup(path);
	writer->lock_fd = fd;
	error = open_database(writer, real_path);
	if (error) {
		why_set(why, error, "%s", writer->why.text);
		recording_writer_free(writer);
		unlink(real_path);
		return error;
	}
	*ret = writer;
	return 0;
}

void recording_writer_free(struct recording_writer *writer)
{
	if (!writer)
		return;
	for (size_t i = 0; i < STATEMENTS; i++)
		sqlite3_finalize(writer->statements[i]);
	sqlite3_close(writer->db);
	mem_close_fd(&writer->lock_fd);
	vec_clear(&writer->slices);
	free(writer->path);
	free(writer);
}

void recording_writer_add_object(struct recording_writer *writer, const struct rec_object *object)
{
	sqlite3_stmt *statement = start(writer, INSERT_OBJECT);

	if (!statement)
		return;
	bind_id(statement, 1, object->id);
	sqlite3_bind_int(statement, 2, (int)object->kind);
	bind_text(statement, 3, object->path);
	bind_text(statement, 4, object->build_id);
	run(writer, INSERT_OBJECT);
}

void recording_writer_add_frame(struct recording_writer *writer, const struct rec_frame *frame)
{
	sqlite3_stmt *statement = start(writer, INSERT_FRAME);

	if (!statement)
		return;
	bind_id(statement, 1, frame->id);
	bind_id(statement, 2, frame->object);
	bind_id(statement, 3, frame->address);
	bind_text(statement, 4, frame->name);
	bind_id(statement, 5, frame->offset);
	sqlite3_bind_int(statement, 6, (int)frame->reason);
	run(writer, INSERT_FRAME);
}

void recording_writer_add_stack(struct recording_writer *writer, const struct rec_stack *stack)
{
	sqlite3_stmt *statement = start(writer, INSERT_STACK);

	if (!statement)
		return;
	bind_id(statement, 1, stack->id);
	bind_id(statement, 2, stack->parent);
	bind_id(statement, 3, stack->frame);
	sqlite3_bind_int(statement, 4, (int)stack->end);
	run(writer, INSERT_STACK);
}

static void add_hop(
	struct recording_writer *writer, const struct rec_chain *chain, uint32_t position)
{
	sqlite3_stmt *statement = start(writer, INSERT_HOP);
	const struct rec_hop *hop = &chain->hops[position];

	if (!statement)
		return;
	bind_id(statement, 1, chain->id);
	bind_id(statement, 2, position);
	sqlite3_bind_int(statement, 3, (int)hop->kind);
	bind_text(statement, 4, hop->name);
	bind_id(statement, 5, hop->kernel_stack);
	bind_id(statement, 6, hop->user_stack);
	bind_id(statement, 7, hop->waited_stack);
	run(writer, INSERT_HOP);
}

void recording_writer_add_chain(struct recording_writer *writer, const struct rec_chain *chain)
{
	sqlite3_stmt *statement = start(writer, INSERT_CHAIN);

	if (!statement)
		return;
	if (!chain->id || !recording_chain_is_sound(chain)) {
		writer->error = why_set(&writer->why, -EINVAL,
			"cannot write %s: a chain of %u hops that ends in \"%s\" cannot be",
			writer->path, chain->hop_count, chain_end_name(chain->end));
		return;
	}
	bind_id(statement, 1, chain->id);
	bind_id(statement, 2, chain->hop_count);
	sqlite3_bind_int(statement, 3, (int)chain->end);
	run(writer, INSERT_CHAIN);
	/* None if the chain was known: then its hops are there too. */
	if (!writer->error && sqlite3_changes(writer->db))
		for (uint32_t i = 0; i < chain->hop_count; i++)
			add_hop(writer, chain, i);
}

void recording_writer_put_process(
	struct recording_writer *writer, const struct rec_process *process)
{
	sqlite3_stmt *statement = start(writer, INSERT_PROCESS);

	if (!statement)
		return;
	bind_id(statement, 1, process->id);
	bind_id(statement, 2, process->pid);
	bind_text(statement, 3, process->name);
	bind_text(statement, 4, process->exe);
	bind_text(statement, 5, process->container);
	sqlite3_bind_int(statement, 6, process->is_kernel);
	run(writer, INSERT_PROCESS);
}

void recording_writer_put_thread(struct recording_writer *writer, const struct rec_thread *thread)
{
	sqlite3_stmt *statement = start(writer, INSERT_THREAD);

	if (!statement)
		return;
	bind_id(statement, 1, thread->id);
	bind_id(statement, 2, thread->tid);
	bind_id(statement, 3, thread->process);
	bind_text(statement, 4, thread->comm);
	bind_number(writer, statement, 5, thread->start_ns);
	bind_number(writer, statement, 6, thread->end_ns);
	for (int i = 0; i < TIME_STATES; i++)
		bind_number(writer, statement, 7 + i, thread->total_ns[i]);
	sqlite3_bind_int(statement, 7 + TIME_STATES, thread->is_closed);
	sqlite3_bind_int(statement, 8 + TIME_STATES, thread->is_kernel);
	run(writer, INSERT_THREAD);
}

static void want_slice(struct recording_writer *writer, uint32_t slice)
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

static void add_shares(struct recording_writer *writer, const struct rec_sum *sum)
{
	int64_t id = sqlite3_last_insert_rowid(writer->db);

	for (uint32_t i = 0; i < sum->share_count && !writer->error; i++) {
		sqlite3_stmt *statement = writer->statements[INSERT_SHARE];
		const struct rec_share *share = &sum->shares[i];
		if (!share->ran_ns && !share->no_cpu_ns && !share->earlier_ns)
			continue;
		sqlite3_bind_int64(statement, 1, id);
		bind_id(statement, 2, i);
		bind_number(writer, statement, 3, share->ran_ns);
		bind_number(writer, statement, 4, share->no_cpu_ns);
		bind_number(writer, statement, 5, share->earlier_ns);
		run(writer, INSERT_SHARE);
	}
}

static void add_sum_to(
	struct recording_writer *writer, enum insert which, const struct rec_sum *sum)
{
	sqlite3_stmt *statement = start(writer, which);

	if (!statement)
		return;
	check_parts(writer, sum);
	check_chain(writer, sum);
	want_slice(writer, sum->slice_last);
	bind_id(statement, 1, sum->thread);
	bind_id(statement, 2, sum->slice_first);
	bind_id(statement, 3, sum->slice_last);
	sqlite3_bind_int(statement, 4, (int)sum->state);
	sqlite3_bind_text(statement, 5, &sum->task_letter, sum->task_letter ? 1 : 0, SQLITE_STATIC);
	bind_id(statement, 6, sum->band);
	bind_id(statement, 7, sum->kernel_stack);
	bind_id(statement, 8, sum->user_stack);
	bind_number(writer, statement, 9, sum->count);
	bind_number(writer, statement, 10, sum->ns);
	bind_number(writer, statement, 11, sum->max_ns);
	bind_number(writer, statement, 12, sum->first_ns);
	bind_number(writer, statement, 13, sum->last_ns);
	bind_id(statement, 14, sum->chain);
	run(writer, which);
	if (which == INSERT_SUM)
		add_shares(writer, sum);
}

void recording_writer_add_sum(struct recording_writer *writer, const struct rec_sum *sum)
{
	add_sum_to(writer, INSERT_SUM, sum);
}

void recording_writer_begin_open(struct recording_writer *writer)
{
	if (start(writer, CLEAR_OPEN))
		run(writer, CLEAR_OPEN);
}

void recording_writer_add_open(struct recording_writer *writer, const struct rec_sum *sum)
{
	add_sum_to(writer, INSERT_OPEN, sum);
}

void recording_writer_put_slice(struct recording_writer *writer, uint32_t slice, uint64_t length_ns)
{
	want_slice(writer, slice);
	vec_push(&writer->slices, ((struct slice){slice, length_ns}));
}

static void write_slice(
	struct recording_writer *writer, enum insert which, uint32_t id, uint64_t length_ns)
{
	sqlite3_stmt *statement = start(writer, which);
	uint64_t start_ns;

	if (!statement)
		return;
	if (__builtin_mul_overflow(id, writer->slice_ns, &start_ns))
		start_ns = UINT64_MAX;
	bind_id(statement, 1, id);
	bind_number(writer, statement, 2, start_ns);
	bind_number(writer, statement, 3, length_ns);
	run(writer, which);
}

static void write_slices(struct recording_writer *writer)
{
	if (!writer->slice_ns || writer->error)
		return;
	vec_each (slice, &writer->slices)
		write_slice(writer, INSERT_SLICE, slice->id, slice->length_ns);
	writer->slices.count = 0;
	for (; writer->slices_filled < writer->slices_wanted; writer->slices_filled++)
		write_slice(writer, INSERT_SLICE_IF_NEW, writer->slices_filled, writer->slice_ns);
}

void recording_writer_put_loss(struct recording_writer *writer, const struct rec_loss *loss)
{
	sqlite3_stmt *statement = start(writer, INSERT_LOSS);

	if (!statement)
		return;
	bind_text(statement, 1, loss_name(loss->loss));
	bind_number(writer, statement, 2, loss->count);
	bind_number(writer, statement, 3, loss->ns);
	run(writer, INSERT_LOSS);
}

static void put_key(struct recording_writer *writer, const struct schema_key *key, const void *at)
{
	sqlite3_stmt *statement = start(writer, INSERT_META);

	if (!statement)
		return;
	bind_text(statement, 1, key->name);
	switch (key->type) {
	case SCHEMA_TEXT:
		bind_text(statement, 2, *(const char *const *)at);
		break;
	case SCHEMA_BOOL:
		sqlite3_bind_int(statement, 2, *(const bool *)at);
		break;
	case SCHEMA_U32:
		bind_id(statement, 2, *(const uint32_t *)at);
		break;
	case SCHEMA_U64:
		bind_number(writer, statement, 2, *(const uint64_t *)at);
		break;
	default:
		sqlite3_bind_int64(statement, 2, *(const int64_t *)at);
	}
	run(writer, INSERT_META);
}

void recording_writer_put_meta(struct recording_writer *writer, const struct rec_meta *meta)
{
	writer->slice_ns = meta->slice_ns;
	for (const struct schema_key *key = schema_keys; key->name; key++)
		put_key(writer, key, (const char *)meta + key->offset);
}

static int report(const struct recording_writer *writer, struct why *why)
{
	return writer->error ? why_set(why, writer->error, "%s", writer->why.text) : 0;
}

int recording_writer_commit(struct recording_writer *writer, struct why *why)
{
	write_slices(writer);
	if (writer->error || !writer->is_in_transaction)
		return report(writer, why);
	sqlite3_step(writer->statements[COMMIT]);
	int code = sqlite3_reset(writer->statements[COMMIT]);
	if ((code & 0xff) == SQLITE_BUSY)
		return 0;
	if (code)
		fail_with_sqlite(writer, code);
	writer->is_in_transaction = false;
	return report(writer, why);
}

static void set_finished(struct recording_writer *writer)
{
	static const bool is_finished = true;

	for (const struct schema_key *key = schema_keys; key->name; key++)
		if (key->offset == offsetof(struct rec_meta, is_finished))
			put_key(writer, key, &is_finished);
}

int recording_writer_finish(struct recording_writer *writer, struct why *why)
{
	if (!writer->slice_ns && !writer->error)
		writer->error = why_set(
			&writer->why, -EINVAL, "cannot finish %s: it has no meta", writer->path);
	recording_writer_begin_open(writer);
	set_finished(writer);
	sqlite3_busy_timeout(writer->db, FINISH_PATIENCE_MS);
	int error = recording_writer_commit(writer, why);
	sqlite3_busy_timeout(writer->db, COMMIT_PATIENCE_MS);
	if (!error && writer->is_in_transaction) {
		fail_with_sqlite(writer, SQLITE_BUSY);
		error = report(writer, why);
	}
	return error;
}
