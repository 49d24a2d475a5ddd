// SPDX-License-Identifier: GPL-2.0-or-later
/* The rows of sums, one at a time, and of the open intervals if the recording was cut short. */
#include <inttypes.h>

#include "recording/reader_private.h"
#include "recording/schema.h"

#define SELECT_ROWS(table)                                                                         \
	"SELECT rowid, thread, slice_first, slice_last, state, letter, band, kernel_stack,"        \
	" user_stack, count, ns, max_ns, first_ns, last_ns FROM " table " ORDER BY rowid"

/* The letter is one printable character for a blocked row, else nothing. */
static char read_letter(struct cursor *cursor, enum time_state state)
{
	/* Before column_text(), which turns other types into text. */
	bool is_text = sqlite3_column_type(cursor->statement, 5) == SQLITE_TEXT;
	const char *text = (const char *)sqlite3_column_text(cursor->statement, 5);
	int length = sqlite3_column_bytes(cursor->statement, 5);

	if (!is_text || !text || length > 1 ||
		(length && (state != TIME_BLOCKED || *text <= ' ' || *text > '~')))
		cursor_fail(
			cursor, "bad letter in row %" PRIu64 " of %s", cursor->row, cursor->table);
	return text && length ? *text : 0;
}

static struct rec_sum read_sum(struct cursor *cursor)
{
	struct rec_sum sum = {
		.thread = cursor_u32(cursor, 1),
		.slice_first = cursor_u32(cursor, 2),
		.slice_last = cursor_u32(cursor, 3),
		.state = (enum time_state)cursor_number(cursor, 4, TIME_SAMPLE),
		.band = (unsigned int)cursor_number(cursor, 6, CONTRACT_BANDS - 1),
		.kernel_stack = cursor_id(cursor, 7),
		.user_stack = cursor_id(cursor, 8),
		.count = cursor_ns(cursor, 9),
		.ns = cursor_ns(cursor, 10),
		.max_ns = cursor_ns(cursor, 11),
		.first_ns = cursor_ns(cursor, 12),
		.last_ns = cursor_ns(cursor, 13),
	};

	sum.task_letter = read_letter(cursor, sum.state);
	return sum;
}

static void resolve_stack(
	struct cursor *cursor, uint64_t id, uint32_t *ret_node, enum unwind_end *ret_end)
{
	const struct recording *recording = cursor->recording;

	*ret_node = REC_NONE;
	*ret_end = UNWIND_NONE;
	if (schema_end_of_no_stack(id, ret_end))
		return;
	const uint64_t *node = map64_find(&recording->node_by_id, id);
	if (!node) {
		cursor_fail(cursor, "row %" PRIu64 " of %s has an unknown stack", cursor->row,
			cursor->table);
		return;
	}
	*ret_node = (uint32_t)*node;
	*ret_end = recording->nodes.at[*node].end;
}

static struct rec_row read_row(struct cursor *cursor)
{
	const struct recording *recording = cursor->recording;
	struct rec_row row = {.sum = read_sum(cursor)};
	const uint64_t *thread = map64_find(&recording->thread_by_id, row.sum.thread);

	if (!thread)
		cursor_fail(cursor, "row %" PRIu64 " of %s has an unknown thread", cursor->row,
			cursor->table);
	row.thread_index = thread ? (uint32_t)*thread : 0;
	if (row.sum.slice_last >= recording->slice_count)
		cursor_fail(cursor, "row %" PRIu64 " of %s has an unknown slice", cursor->row,
			cursor->table);
	if (!schema_parts_add_up(&row.sum, recording->meta.slice_ns))
		cursor_fail(cursor, "row %" PRIu64 " of %s does not add up", cursor->row,
			cursor->table);
	resolve_stack(cursor, row.sum.kernel_stack, &row.kernel_node, &row.kernel_end);
	resolve_stack(cursor, row.sum.user_stack, &row.user_node, &row.user_end);
	return row;
}

static int walk(struct recording *recording, const char *table, const char *sql,
	recording_row_fn each, void *context, struct why *why)
{
	struct cursor cursor;
	int result = 0;

	cursor_open(recording, table, sql, why, &cursor);
	while (!result && cursor_next(&cursor)) {
		struct rec_row row = read_row(&cursor);
		if (!cursor.error)
			result = each(&row, context);
	}
	int error = cursor_close(&cursor);
	return error ? error : result;
}

int recording_each_row(
	struct recording *recording, recording_row_fn each, void *context, struct why *why)
{
	int result = walk(recording, "sums", SELECT_ROWS("sums"), each, context, why);

	if (!result && !recording->meta.is_finished)
		result = walk(recording, "open", SELECT_ROWS("open"), each, context, why);
	return result;
}

static int add_to_thread(const struct rec_row *row, void *context)
{
	struct recording *recording = context;
	struct rec_thread *thread = &recording->threads.at[row->thread_index];

	if (!thread->is_closed && row->sum.state < TIME_STATES)
		thread->total_ns[row->sum.state] += row->sum.ns;
	return 0;
}

int recording_close_threads(struct recording *recording, struct why *why)
{
	size_t unclosed = 0;

	if (recording->meta.is_finished)
		return 0;
	vec_each (thread, &recording->threads) {
		if (thread->is_closed)
			continue;
		unclosed++;
		thread->end_ns = recording->meta.window_ns > thread->start_ns
					 ? recording->meta.window_ns
					 : thread->start_ns;
		for (size_t i = 0; i < TIME_STATES; i++)
			thread->total_ns[i] = 0;
	}
	return unclosed ? recording_each_row(recording, add_to_thread, recording, why) : 0;
}
