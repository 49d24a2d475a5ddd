// SPDX-License-Identifier: GPL-2.0-or-later
/* Things that threads waited for: their ids, and their table as an array. */
#include <inttypes.h>

#include "recording/reader_private.h"
#include "recording/schema.h"
#include "util/hash.h"

uint64_t recording_awaited_id(const struct rec_awaited *awaited)
{
	const struct awaited *thing = &awaited->thing;
	uint64_t id = hash_add(hash_add(0, (uint64_t)thing->kind), awaited->process);

	if (thing->is_folded)
		return (uint64_t)thing->kind;
	id = hash_text(hash_text(id, thing->name), thing->place);
	id = hash_add(hash_add(id, thing->port), thing->address);
	return id < AWAITED_FIRST_ID ? id + AWAITED_FIRST_ID : id;
}

static void load_thing(struct cursor *cursor)
{
	struct recording *recording = cursor->recording;
	struct rec_awaited awaited = {
		.id = cursor_id(cursor, 0),
		.thing =
			{
				.kind = (enum awaited_kind)cursor_word(
					cursor, 1, WORD_AWAITED_KIND),
				.name = cursor_text(cursor, 2),
				.place = cursor_text(cursor, 3),
				.port = cursor_u32(cursor, 4),
				.address = cursor_id(cursor, 5),
			},
		.process = cursor_u32(cursor, 6),
	};

	awaited.thing.is_folded = awaited.id < AWAITED_FIRST_ID;
	cursor_check_room(cursor, recording->awaited.count);
	if (!awaited.id || (awaited.thing.is_folded && awaited.id != awaited.thing.kind))
		cursor_fail(cursor, "awaited id %" PRIu64 " is reserved", awaited.id);
	if (awaited.process && recording_process_index(recording, awaited.process) == REC_NONE)
		cursor_fail(
			cursor, "row %" PRIu64 " of awaited has an unknown process", cursor->row);
	*map64_put(&recording->awaited_by_id, awaited.id, NULL) = recording->awaited.count;
	vec_push(&recording->awaited, awaited);
}

int recording_load_awaited(struct recording *recording, struct why *why)
{
	struct cursor cursor;

	if (recording->database.version < RECORDING_VERSION_OF_AWAITED)
		return 0;
	cursor_open(recording, "awaited",
		"SELECT id, kind, name, place, port, address, process FROM awaited ORDER BY rowid",
		why, &cursor);
	while (cursor_next(&cursor))
		load_thing(&cursor);
	return cursor_close(&cursor);
}

uint32_t cursor_resolve_awaited(struct cursor *cursor, uint64_t id)
{
	const uint64_t *index = id ? map64_find(&cursor->recording->awaited_by_id, id) : NULL;

	if (id && !index)
		cursor_fail(cursor, "row %" PRIu64 " of %s is about an unknown thing", cursor->row,
			cursor->table);
	return index ? (uint32_t)*index : REC_NONE;
}
