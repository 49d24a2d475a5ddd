// SPDX-License-Identifier: GPL-2.0-or-later
/* Who had the CPUs that threads were ready for: rows, one at a time. */
#include <inttypes.h>

#include "recording/reader_private.h"

static void fail_row(struct cursor *cursor, const char *what)
{
	cursor_fail(cursor, "row %" PRIu64 " of queues %s", cursor->row, what);
}

static struct rec_queued read_queue(struct cursor *cursor)
{
	const struct recording *recording = cursor->recording;
	struct rec_queued row = {
		.queue = {
			.thread = cursor_u32(cursor, 1),
			.slice = cursor_u32(cursor, 2),
			.kind = (enum queue_kind)cursor_word(cursor, 3, WORD_QUEUE_KIND),
			.name = cursor_text(cursor, 4),
			.count = cursor_ns(cursor, 5),
			.ns = cursor_ns(cursor, 6),
			.max_ns = cursor_ns(cursor, 7),
		}};

	row.thread_index = recording_thread_index(recording, row.queue.thread);
	if (row.thread_index == REC_NONE)
		fail_row(cursor, "has an unknown thread");
	if (row.queue.slice >= recording->slice_count)
		fail_row(cursor, "has an unknown slice");
	if (!rec_queue_is_sound(&row.queue))
		fail_row(cursor, "does not add up");
	return row;
}

int recording_each_queue(
	struct recording *recording, recording_queue_fn each, void *context, struct why *why)
{
	struct cursor cursor;
	uint64_t total = 0;
	int result = 0, error;

	if (recording->database.version < RECORDING_VERSION_OF_QUEUES)
		return 0;
	cursor_open(recording, "queues",
		"SELECT id, thread, slice, kind, name, count, ns, max_ns FROM queues"
		" ORDER BY rowid",
		why, &cursor);
	while (!result && cursor_next(&cursor)) {
		struct rec_queued row = read_queue(&cursor);
		if (__builtin_add_overflow(total, row.queue.ns, &total) || total > INT64_MAX)
			fail_row(&cursor, "makes more time than there can be");
		if (!cursor.error)
			result = each(&row, context);
	}
	error = cursor_close(&cursor);
	return error ? error : result;
}
