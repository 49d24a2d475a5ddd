// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The timeline: raw records that still have to wait, and parsed events that are due, sorted. Due
 * events borrow their paths from `due_records`, which lives until the next records are added.
 */
#include "capture/timeline.h"

#include "kernel/drain.h"

struct timeline {
	VEC(char) waiting;
	VEC(char) due_records;
	VEC(struct map_event) due;
	size_t next;
};

struct timeline *timeline_new(void)
{
	return xcalloc(1, sizeof(struct timeline));
}

void timeline_free(struct timeline *timeline)
{
	if (!timeline)
		return;
	vec_clear(&timeline->waiting);
	vec_clear(&timeline->due_records);
	vec_clear(&timeline->due);
	free(timeline);
}

static int by_time(const void *a, const void *b)
{
	const struct map_event *first = a, *second = b;

	return (first->time_ns > second->time_ns) - (first->time_ns < second->time_ns);
}

void timeline_add(struct timeline *timeline, const char *records, size_t count, uint64_t until_ns)
{
	size_t offset = 0, begin = 0, kept = 0, length;
	const void *record;

	vec_append(&timeline->waiting, records, count);
	timeline->due_records.count = 0;
	vec_append(&timeline->due_records, timeline->waiting.at, timeline->waiting.count);
	timeline->due.count = 0;
	timeline->next = 0;
	while ((record = batch_next_record(
			timeline->due_records.at, timeline->due_records.count, &offset, &length))) {
		struct map_event event;
		bool is_event = map_event_parse(record, length, &event);

		if (is_event && event.time_ns <= until_ns) {
			vec_push(&timeline->due, event);
		} else if (is_event) {
			__builtin_memcpy(timeline->waiting.at + kept,
				timeline->due_records.at + begin, offset - begin);
			kept += offset - begin;
		}
		begin = offset;
	}
	timeline->waiting.count = kept;
	vec_sort(&timeline->due, by_time);
}

void timeline_tell(struct timeline *timeline, struct namer *namer, uint64_t until_ns)
{
	while (timeline->next < timeline->due.count &&
		timeline->due.at[timeline->next].time_ns <= until_ns)
		namer_apply(namer, &timeline->due.at[timeline->next++]);
}
