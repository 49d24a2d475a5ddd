// SPDX-License-Identifier: GPL-2.0-or-later
/* What memory of processes was resident, slice by slice: rows, one at a time. */
#include <inttypes.h>

#include "recording/reader_private.h"

static void fail_row(struct cursor *cursor, const char *what)
{
	cursor_fail(cursor, "row %" PRIu64 " of memory %s", cursor->row, what);
}

static struct rec_resident read_memory(struct cursor *cursor)
{
	const struct recording *recording = cursor->recording;
	struct rec_resident row = {.memory = {
					   .process = cursor_u32(cursor, 1),
					   .slice = cursor_u32(cursor, 2),
					   .rss_bytes = cursor_ns(cursor, 3),
					   .anonymous_bytes = cursor_ns(cursor, 4),
				   }};

	row.process_index = recording_process_index(recording, row.memory.process);
	if (row.process_index == REC_NONE)
		fail_row(cursor, "has an unknown process");
	if (row.memory.slice >= recording->slice_count)
		fail_row(cursor, "has an unknown slice");
	if (!rec_memory_is_sound(&row.memory))
		fail_row(cursor, "does not add up");
	return row;
}

int recording_each_memory(
	struct recording *recording, recording_memory_fn each, void *context, struct why *why)
{
	struct cursor cursor;
	int result = 0, error;

	if (recording->database.version < RECORDING_VERSION_OF_MEMORY)
		return 0;
	/* Its key in one number; honest numbers of processes are far below 2^31. */
	cursor_open(recording, "memory",
		"SELECT process << 32 | slice, process, slice, rss, anonymous FROM memory"
		" ORDER BY process, slice",
		why, &cursor);
	while (!result && cursor_next(&cursor)) {
		struct rec_resident row = read_memory(&cursor);
		if (!cursor.error)
			result = each(&row, context);
	}
	error = cursor_close(&cursor);
	return error ? error : result;
}
