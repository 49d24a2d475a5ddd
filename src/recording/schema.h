/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The tables and SQL views of a recording, the words behind its small numbers and the keys of its
 * meta table: written once, here, for the writer, the reader and the man page's test. Numbers that
 * are unsigned in C (ids, addresses) are stored as SQLite's signed 64-bit integers, bit for bit.
 * Private to src/recording/.
 */
#ifndef DWELL_RECORDING_SCHEMA_H
#define DWELL_RECORDING_SCHEMA_H

#include <stddef.h>

#include <sqlite3.h>

#include "recording/recording.h"

/* More rows than this in a table that is loaded, or more slices, is no honest recording. */
#define SCHEMA_MAX_ROWS 50000000u
#define SCHEMA_MAX_TEXT_BYTES 65535
#define SCHEMA_MAX_DEPTH 4096

/* Names of the tables that a reader needs, NULL at the end. */
extern const char *const schema_tables[];
/* And from version 2 on. */
extern const char *const schema_chain_tables[];
/* And from version 4 on. */
extern const char *const schema_measure_tables[];
extern const char *const schema_queue_tables[];
extern const char *const schema_awaited_tables[];
extern const char *const schema_memory_tables[];
extern const char *const schema_call_tables[];

enum schema_type {
	SCHEMA_TEXT,  /* const char * */
	SCHEMA_BOOL,  /* bool */
	SCHEMA_U32,   /* uint32_t */
	SCHEMA_U64,   /* uint64_t */
	SCHEMA_I64,   /* int64_t */
	SCHEMA_TYPES, /* */
};

/* One key of the meta table and its place in struct rec_meta. */
struct schema_key {
	const char *name;
	enum schema_type type;
	size_t offset;
};

/* NULL name at the end. */
extern const struct schema_key schema_keys[];

/* What a stack id below STACK_FIRST_ID (enum stack_none) means; false if it means nothing. */
bool schema_end_of_no_stack(uint64_t id, enum unwind_end *ret);

/* The invariant of struct rec_sum. */
bool schema_parts_add_up(const struct rec_sum *sum, uint64_t slice_ns);

/* Creates tables, words and views in an empty database, in one transaction. A SQLite code. */
int schema_create(sqlite3 *db);

#endif
