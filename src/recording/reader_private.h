/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the parts of the reader share: database.c opens the file and steps through it, load.c fills
 * the arrays, rows.c streams sums and rows of slow calls, counts.c events, calls.c calls, reader.c
 * is the outside. Private to src/recording/.
 */
#ifndef DWELL_RECORDING_READER_PRIVATE_H
#define DWELL_RECORDING_READER_PRIVATE_H

#include <sqlite3.h>

#include "model/words.h"
#include "recording/file.h"
#include "recording/kept_rows.h"
#include "recording/reader.h"
#include "util/intern.h"
#include "util/map64.h"
#include "util/vec.h"

struct database {
	struct recording_file file;
	sqlite3 *db;
	uint32_t version; /* of the file's format */
	bool is_live;     /* somebody was writing it when it was opened */
	struct privacy privacy;
};

/* Rows by numbers that this dwell does not have, counted in the first whole walk over the rows. */
struct unknown_rows {
	uint64_t by_state[WORDS_MOST]; /* left out */
	uint64_t by_band[WORDS_MOST];
	bool is_told; /* they are among the losses */
};
/* As many losses as they can become, those of slow calls included. */
#define UNKNOWN_ROWS_LINES (4 * WORDS_MOST)

/* What walks over rows leave behind. */
struct row_walks {
	struct kept_rows kept;
	struct unknown_rows unknown;
};

struct recording {
	char *path; /* as the user gave it, for messages */
	struct database database;
	uint64_t text_budget_bytes; /* texts that may still be kept; starts as the file's size */
	struct rec_meta meta;
	uint32_t slice_count;
	struct intern texts;
	VEC(struct rec_thread) threads;
	VEC(struct rec_process) processes;
	VEC(struct rec_object) objects;
	VEC(struct rec_named_frame) frames;
	VEC(struct rec_node) nodes;
	VEC(struct rec_chain_hop) hops;
	VEC(struct rec_linked_chain) chains;
	VEC(struct rec_awaited) awaited;
	VEC(struct rec_measure) measures;
	VEC(struct rec_function) functions;
	VEC(struct rec_loss) losses;
	struct words *words;
	uint32_t slow_function; /* whose rows are walked over; REC_NONE: those of all threads */
	struct row_walks of_all;
	struct row_walks of_slow;
	uint32_t kept_function; /* whose rows are kept there */
	/* Id in the file to index in the array. */
	struct map64 node_by_id;
	struct map64 chain_by_id;
	struct map64 awaited_by_id;
};

/*
 * Opens the file read-only, or a rolled back private copy if a crash left it in mid-commit, checks
 * that it is a recording of a known format and begins a read transaction that lasts until
 * database_close(): everything read afterwards is of one moment. 0 or -errno.
 */
int database_open(
	const char *path, struct database *ret, uint64_t *ret_file_bytes, struct why *why);
/* Says whether it has just begun or was cut short before there was anything in it. -ENODATA. */
int database_holds_nothing(const char *path, struct why *why);
/* One that was never opened is allowed, if its file is RECORDING_FILE_NONE. */
void database_close(struct database *database);

/* Fills why with "damaged recording: ..." and returns -EIO. */
__attribute__((format(printf, 3, 4))) int recording_damaged(
	const struct recording *recording, struct why *why, const char *format, ...);

/*
 * A walk through the rows of one statement, whose first column must be strictly increasing, as
 * rowids are: a damaged tree that leads back into itself is found out, not followed for ever.
 * A column that does not hold what it should marks the cursor as bad and reads as 0.
 */
struct cursor {
	struct recording *recording;
	const char *table;
	sqlite3_stmt *statement;
	struct why *why;
	int64_t last_key;
	uint64_t row;
	int error;
};

int cursor_open(struct recording *recording, const char *table, const char *sql, struct why *why,
	struct cursor *ret);
/* True if there is a row; false at the end or after an error. */
bool cursor_next(struct cursor *cursor);
/* Ends the walk: 0, or the -errno that ended it, with why. */
int cursor_close(struct cursor *cursor);

uint64_t cursor_id(struct cursor *cursor, int column);
/* 0 to limit. */
uint64_t cursor_number(struct cursor *cursor, int column, uint64_t limit);
/* A number of `words`: one that this dwell does not have is met. More than there can be is damage.
 */
unsigned int cursor_word(struct cursor *cursor, int column, enum word_kind kind);
/* 0 to INT64_MAX. */
uint64_t cursor_ns(struct cursor *cursor, int column);
uint32_t cursor_u32(struct cursor *cursor, int column);
bool cursor_bool(struct cursor *cursor, int column);
/* Borrowed from the recording's texts; cut at SCHEMA_MAX_TEXT_BYTES and at an embedded NUL. */
const char *cursor_text(struct cursor *cursor, int column);
/* Ends the walk with "damaged recording: ..."; the first call decides. */
__attribute__((format(printf, 2, 3))) void cursor_fail(
	struct cursor *cursor, const char *format, ...);

/* By its number within the recording; REC_NONE if there is none. */
uint32_t recording_thread_index(const struct recording *recording, uint32_t id);
uint32_t recording_process_index(const struct recording *recording, uint32_t id);
uint32_t recording_measure_index(const struct recording *recording, uint32_t id);
uint32_t recording_function_index(const struct recording *recording, uint32_t id);

/*
 * The node of a stack id, or REC_NONE and why there is none. An id that is neither a stack's nor a
 * small number ends the walk.
 */
void cursor_resolve_stack(
	struct cursor *cursor, uint64_t id, uint32_t *ret_node, enum unwind_end *ret_end);
/* Both stacks of a row. */
void cursor_resolve_stacks(
	struct cursor *cursor, uint64_t kernel_id, uint64_t user_id, struct rec_stacks *ret);
/* Ends the walk if there are more rows than an honest recording has. */
void cursor_check_room(struct cursor *cursor, size_t count);

/* What numbers mean that this dwell does not have, before all that holds numbers. 0 or -errno. */
int recording_load_words(struct recording *recording, struct why *why);
/* After a whole walk over the rows: adds what was met there to the losses, once. */
void recording_tell_unknown_rows(struct recording *recording, struct row_walks *walks);
/* Things that were waited for, after the processes; nothing in a file that has none. 0 or -errno.
 */
int recording_load_awaited(struct recording *recording, struct why *why);
/* Its index, or REC_NONE for 0. An unknown one ends the walk. */
uint32_t cursor_resolve_awaited(struct cursor *cursor, uint64_t id);
/* Chains and hops, after the stacks; nothing in a file of version 1. 0 or -errno. */
int recording_load_chains(struct recording *recording, struct why *why);
/* Measures; nothing in a file that has none. 0 or -errno. */
int recording_load_measures(struct recording *recording, struct why *why);
/* Functions; nothing in a file that has none. 0 or -errno. */
int recording_load_functions(struct recording *recording, struct why *why);
/* Fills the arrays. 0 or -errno. */
int recording_load(struct recording *recording, struct why *why);
/* Totals of threads that a crash kept from being closed, from their rows. 0 or -errno. */
int recording_close_threads(struct recording *recording, struct why *why);

#endif
