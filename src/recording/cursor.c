// SPDX-License-Identifier: GPL-2.0-or-later
/* Stepping through rows of which nothing is certain: every type, range and length is checked. */
#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>

#include "recording/reader_private.h"
#include "recording/schema.h"

static int damaged_v(
	const struct recording *recording, struct why *why, const char *format, va_list args)
{
	char text[256];

	vsnprintf(text, sizeof(text), format, args);
	return why_set(why, -EIO, "damaged recording: %s (%s)", text, recording->path);
}

int recording_damaged(const struct recording *recording, struct why *why, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	int error = damaged_v(recording, why, format, args);
	va_end(args);
	return error;
}

void cursor_fail(struct cursor *cursor, const char *format, ...)
{
	va_list args;

	if (cursor->error)
		return;
	va_start(args, format);
	cursor->error = damaged_v(cursor->recording, cursor->why, format, args);
	va_end(args);
}

int cursor_open(struct recording *recording, const char *table, const char *sql, struct why *why,
	struct cursor *ret)
{
	*ret = (struct cursor){
		.recording = recording, .table = table, .why = why, .last_key = INT64_MIN};
	if (sqlite3_prepare_v2(recording->database.db, sql, -1, &ret->statement, NULL))
		ret->error = recording_damaged(recording, why, "table %s: %s", table,
			sqlite3_errmsg(recording->database.db));
	return ret->error;
}

static void check_key(struct cursor *cursor)
{
	int64_t key = sqlite3_column_int64(cursor->statement, 0);

	if (sqlite3_column_type(cursor->statement, 0) != SQLITE_INTEGER ||
		(cursor->row && key <= cursor->last_key))
		cursor_fail(cursor, "rows of %s are out of order", cursor->table);
	cursor->last_key = key;
	cursor->row++;
}

bool cursor_next(struct cursor *cursor)
{
	if (cursor->error)
		return false;
	int code = sqlite3_step(cursor->statement);
	if (code == SQLITE_ROW)
		check_key(cursor);
	else if (code != SQLITE_DONE)
		cursor_fail(cursor, "table %s: %s", cursor->table, sqlite3_errstr(code));
	return code == SQLITE_ROW && !cursor->error;
}

int cursor_close(struct cursor *cursor)
{
	sqlite3_finalize(cursor->statement);
	cursor->statement = NULL;
	return cursor->error;
}

static void fail_column(struct cursor *cursor, int column)
{
	cursor_fail(cursor, "bad %s in row %" PRIu64 " of %s",
		sqlite3_column_name(cursor->statement, column), cursor->row, cursor->table);
}

uint64_t cursor_id(struct cursor *cursor, int column)
{
	if (sqlite3_column_type(cursor->statement, column) != SQLITE_INTEGER)
		fail_column(cursor, column);
	return (uint64_t)sqlite3_column_int64(cursor->statement, column);
}

uint64_t cursor_number(struct cursor *cursor, int column, uint64_t limit)
{
	uint64_t number = cursor_id(cursor, column);

	if (number <= limit)
		return number;
	fail_column(cursor, column);
	return 0;
}

unsigned int cursor_word(struct cursor *cursor, int column, enum word_kind kind)
{
	unsigned int number = (unsigned int)cursor_number(cursor, column, WORDS_MOST - 1);

	if (!words_is_own(kind, number))
		words_meet(cursor->recording->words, kind, number);
	return number;
}

uint64_t cursor_ns(struct cursor *cursor, int column)
{
	return cursor_number(cursor, column, INT64_MAX);
}

uint32_t cursor_u32(struct cursor *cursor, int column)
{
	return (uint32_t)cursor_number(cursor, column, UINT32_MAX);
}

bool cursor_bool(struct cursor *cursor, int column)
{
	return cursor_number(cursor, column, 1);
}

const char *cursor_text(struct cursor *cursor, int column)
{
	struct recording *recording = cursor->recording;
	size_t length;

	if (sqlite3_column_type(cursor->statement, column) != SQLITE_TEXT) {
		fail_column(cursor, column);
		return "";
	}
	const char *text = (const char *)sqlite3_column_text(cursor->statement, column);
	length = (size_t)sqlite3_column_bytes(cursor->statement, column);
	if (length > SCHEMA_MAX_TEXT_BYTES)
		length = SCHEMA_MAX_TEXT_BYTES;

	/* Rows can share pages in a hostile file, but honest texts fit into it side by side. */
	size_t known = recording->texts.texts.count;
	uint32_t number = text ? intern_bytes(&recording->texts, text, length) : 0;
	if (recording->texts.texts.count > known) {
		if (length > recording->text_budget_bytes)
			cursor_fail(cursor, "texts larger than the file");
		else
			recording->text_budget_bytes -= length;
	}
	return intern_text(&recording->texts, number);
}

void cursor_check_room(struct cursor *cursor, size_t count)
{
	if (count >= SCHEMA_MAX_ROWS)
		cursor_fail(cursor, "more than %u rows in %s", SCHEMA_MAX_ROWS, cursor->table);
}

void cursor_resolve_stacks(
	struct cursor *cursor, uint64_t kernel_id, uint64_t user_id, struct rec_stacks *ret)
{
	cursor_resolve_stack(cursor, kernel_id, &ret->kernel_node, &ret->kernel_end);
	cursor_resolve_stack(cursor, user_id, &ret->user_node, &ret->user_end);
}

void cursor_resolve_stack(
	struct cursor *cursor, uint64_t id, uint32_t *ret_node, enum unwind_end *ret_end)
{
	const struct recording *recording = cursor->recording;

	*ret_node = REC_NONE;
	*ret_end = UNWIND_NONE;
	if (schema_end_of_no_stack(id, ret_end))
		return;
	if (id < STACK_FIRST_ID) {
		words_meet(recording->words, WORD_NO_STACK, (unsigned int)id);
		*ret_end = UNWIND_OF_NO_STACK(id);
		return;
	}
	const uint64_t *node = map64_find(&recording->node_by_id, id);
	if (!node) {
		cursor_fail(cursor, "row %" PRIu64 " of %s has an unknown stack", cursor->row,
			cursor->table);
		return;
	}
	*ret_node = (uint32_t)*node;
	*ret_end = recording->nodes.at[*node].end;
}
