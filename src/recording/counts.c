// SPDX-License-Identifier: GPL-2.0-or-later
/* Reading what is counted beside thread time: measures as an array, their rows one at a time. */
#include <inttypes.h>

#include "model/measure.h"
#include "recording/reader_private.h"

/* More than any dwell will have; record counts sixteen events at most. */
#define MOST_MEASURES REC_MOST_MEASURES

int recording_load_measures(struct recording *recording, struct why *why)
{
	uint32_t version = recording->database.version;
	struct cursor cursor;

	if (version < RECORDING_VERSION_OF_MEASURES)
		return 0;
	cursor_open(recording, "measures",
		version < RECORDING_VERSION_OF_MEMORY
			? "SELECT id, name, unit, event, about, 'event' FROM measures"
			  " ORDER BY rowid"
			: "SELECT id, name, unit, event, about, kind FROM measures"
			  " ORDER BY rowid",
		why, &cursor);
	while (cursor_next(&cursor)) {
		struct rec_measure measure = {
			.id = cursor_u32(&cursor, 0),
			.name = cursor_text(&cursor, 1),
			.unit = cursor_text(&cursor, 2),
			.event = cursor_text(&cursor, 3),
			.about = cursor_text(&cursor, 4),
			.kind = cursor_text(&cursor, 5),
		};
		if (cursor.row > MOST_MEASURES)
			cursor_fail(&cursor, "more than %d measures", MOST_MEASURES);
		vec_push(&recording->measures, measure);
	}
	return cursor_close(&cursor);
}

static void fail_row(struct cursor *cursor, const char *what)
{
	cursor_fail(cursor, "row %" PRIu64 " of counts %s", cursor->row, what);
}

/* Before it was told how many events those that were looked at stand for. */
static uint64_t events_of_old(const struct rec_measure *measure, const struct rec_count *count)
{
	bool is_told = unit_from_name(measure->unit) == UNIT_COUNT && count->value > count->count;

	return is_told ? count->value : count->count;
}

static struct rec_counted read_count(struct cursor *cursor)
{
	const struct recording *recording = cursor->recording;
	struct rec_counted row = {.count = {
					  .measure = cursor_u32(cursor, 1),
					  .thread = cursor_u32(cursor, 2),
					  .slice = cursor_u32(cursor, 3),
					  .kernel_stack = cursor_id(cursor, 4),
					  .user_stack = cursor_id(cursor, 5),
					  .count = cursor_ns(cursor, 6),
					  .value = cursor_ns(cursor, 7),
					  .max_value = cursor_ns(cursor, 8),
					  .events = cursor_ns(cursor, 9),
					  .awaited = cursor_id(cursor, 10),
				  }};

	row.measure_index = recording_measure_index(recording, row.count.measure);
	row.thread_index = recording_thread_index(recording, row.count.thread);
	if (row.measure_index == REC_NONE)
		fail_row(cursor, "has an unknown measure");
	else if (recording->database.version < RECORDING_VERSION_OF_MEMORY)
		row.count.events =
			events_of_old(&recording->measures.at[row.measure_index], &row.count);
	if (row.thread_index == REC_NONE)
		fail_row(cursor, "has an unknown thread");
	if (row.count.slice >= recording->slice_count)
		fail_row(cursor, "has an unknown slice");
	if (!rec_count_is_sound(&row.count))
		fail_row(cursor, "does not add up");
	cursor_resolve_stacks(cursor, row.count.kernel_stack, row.count.user_stack, &row.stacks);
	row.awaited = cursor_resolve_awaited(cursor, row.count.awaited);
	return row;
}

#define SELECT_COUNTS(last)                                                                        \
	"SELECT id, measure, thread, slice, kernel_stack, user_stack, count, value, "              \
	"max_value, " last " FROM counts ORDER BY rowid"

int recording_each_count(
	struct recording *recording, recording_count_fn each, void *context, struct why *why)
{
	uint32_t version = recording->database.version;
	struct cursor cursor;
	uint64_t total = 0, events = 0;
	int result = 0, error;

	if (version < RECORDING_VERSION_OF_MEASURES)
		return 0;
	cursor_open(recording, "counts",
		version < RECORDING_VERSION_OF_MEMORY ? SELECT_COUNTS("0, 0")
						      : SELECT_COUNTS("events, awaited"),
		why, &cursor);
	while (!result && cursor_next(&cursor)) {
		struct rec_counted row = read_count(&cursor);
		total += row.count.value + row.count.count;
		events += row.count.events;
		if (row.count.value > REC_MOST_COUNTED || row.count.events > REC_MOST_COUNTED ||
			total > REC_MOST_COUNTED || events > REC_MOST_COUNTED)
			cursor_fail(&cursor, "counts add up to more than 2^62");
		if (!cursor.error)
			result = each(&row, context);
	}
	error = cursor_close(&cursor);
	return error ? error : result;
}
