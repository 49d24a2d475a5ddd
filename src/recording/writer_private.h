/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the parts of the writer share: writer.c opens the file, keeps transactions and the first
 * error, writer_batch.c collects rows of the two large tables, writer_names.c writes what rows
 * refer to, writer_sums.c the rows of time and their slices, writer_counts.c those of events,
 * writer_calls.c calls and writer_slow.c what slow ones waited in. Private to src/recording/.
 */
#ifndef DWELL_RECORDING_WRITER_PRIVATE_H
#define DWELL_RECORDING_WRITER_PRIVATE_H

#include <sqlite3.h>

#include "recording/file.h"
#include "recording/writer.h"
#include "util/vec.h"

enum writer_statement {
	WRITER_INSERT_OBJECT,
	WRITER_INSERT_FRAME,
	WRITER_INSERT_STACK,
	WRITER_INSERT_STACKS,
	WRITER_INSERT_CHAIN,
	WRITER_INSERT_HOP,
	WRITER_INSERT_AWAITED,
	WRITER_INSERT_SHARE,
	WRITER_INSERT_PROCESS,
	WRITER_INSERT_THREAD,
	WRITER_INSERT_SUM,
	WRITER_INSERT_SUMS,
	WRITER_INSERT_OPEN,
	WRITER_INSERT_MEASURE,
	WRITER_INSERT_COUNT,
	WRITER_INSERT_MEMORY,
	WRITER_INSERT_QUEUE,
	WRITER_INSERT_FUNCTION,
	WRITER_INSERT_CALL,
	WRITER_INSERT_OPEN_CALL,
	WRITER_INSERT_SLOW,
	WRITER_INSERT_SLOW_SHARE,
	WRITER_INSERT_LOSS,
	WRITER_INSERT_META,
	WRITER_INSERT_SLICE,
	WRITER_INSERT_SLICE_IF_NEW,
	WRITER_CLEAR_OPEN,
	WRITER_CLEAR_OPEN_CALLS,
	WRITER_BEGIN,
	WRITER_COMMIT,
	WRITER_STATEMENTS,
};

/* Rows that go into the file with one statement. */
#define WRITER_BATCH 32

struct writer_batch {
	struct rec_stack stacks[WRITER_BATCH];
	size_t stack_count;
	struct rec_sum sums[WRITER_BATCH]; /* their shares stand one behind the other below */
	size_t sum_count;
	VEC(struct rec_share) shares;
};

/* Of one function, by state: what slow calls took, and what rows explain of it. */
struct writer_slow_time {
	unsigned __int128 calls_ns[TIME_STATES];
	unsigned __int128 open_ns[TIME_STATES]; /* of calls that have not ended */
	unsigned __int128 rows_ns[TIME_STATES];
};

struct writer_slice {
	uint32_t id;
	uint64_t length_ns;
};

struct recording_writer {
	sqlite3 *db;
	sqlite3_stmt *statements[WRITER_STATEMENTS];
	char *path;
	struct recording_file file;
	bool is_in_transaction;
	int error; /* the first, and why */
	struct why why;
	uint64_t slice_ns; /* 0 until meta is put */
	struct writer_batch batch;
	struct writer_slow_time *slow_times; /* by function, NULL before the first slow call */
	VEC(struct writer_slice) slices; /* put, not yet in the table: their start needs slice_ns */
	uint32_t slices_filled;          /* all below are in the table */
	uint32_t slices_wanted;
	uint32_t slices_kept; /* of those in the table: committed */
};

/* The statement with a transaction around it, or NULL after an error. */
sqlite3_stmt *writer_start(struct recording_writer *writer, enum writer_statement which);
/* Runs the statement with what is bound to it; does nothing after an error. */
void writer_run(struct recording_writer *writer, enum writer_statement which);

/* Ids and addresses: all 64 bits. */
void writer_bind_id(sqlite3_stmt *statement, int column, uint64_t id);
/* Times and counts: SQL must be able to add them up, so they must not turn negative. */
void writer_bind_number(
	struct recording_writer *writer, sqlite3_stmt *statement, int column, uint64_t number);
/* Cut at SCHEMA_MAX_TEXT_BYTES; must live until the statement has run. NULL is "". */
void writer_bind_text(sqlite3_stmt *statement, int column, const char *text);

/* A row of sums that adds up, in slices that there will be: if not, that is the error. */
void writer_check_sum(struct recording_writer *writer, const struct rec_sum *sum);
/* The shares of the row of that id. */
void writer_insert_shares(struct recording_writer *writer, enum writer_statement which, int64_t row,
	const struct rec_share *shares, uint32_t count);

/* Of a function by its number, or NULL after an error: also that it is none. */
struct writer_slow_time *writer_slow_time(struct recording_writer *writer, uint32_t function);
/* Rows of slow calls may not have more time than these: else that is the error. */
void writer_check_slow_times(struct recording_writer *writer);

/* A row that was checked; it waits in the batch until that is full. */
void writer_batch_sum(struct recording_writer *writer, const struct rec_sum *sum);
/* Writes what waits there. */
void writer_batch_flush(struct recording_writer *writer);
/* A row of sums, from parameter `first` on. */
void writer_bind_sum(struct recording_writer *writer, sqlite3_stmt *statement, int first,
	const struct rec_sum *sum);

/* A row is in that slice, which has to be there when the row is committed. */
void writer_want_slice(struct recording_writer *writer, uint32_t slice);
/* Slices that were put, and those that rows are in, once the length of a slice is known. */
void writer_write_slices(struct recording_writer *writer);
/* Marks the recording as finished in its meta. */
void writer_set_finished(struct recording_writer *writer);

#endif
