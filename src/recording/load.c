// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The tables that views look at again and again, as arrays. Rows come in the order of their ids, so
 * parents of a stack node may come after it: ids become indices in a second step, which also finds
 * dangling references and cycles.
 */
#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "recording/reader_private.h"
#include "recording/schema.h"

#define BY_ROWID " ORDER BY rowid"
/* More than any dwell will have. */
#define MOST_LOSSES 1000

static void load_key(struct cursor *cursor, const struct schema_key *key)
{
	char *at = (char *)&cursor->recording->meta + key->offset;

	switch (key->type) {
	case SCHEMA_TEXT:
		*(const char **)at = cursor_text(cursor, 2);
		break;
	case SCHEMA_BOOL:
		*(bool *)at = cursor_bool(cursor, 2);
		break;
	case SCHEMA_U32:
		*(uint32_t *)at = cursor_u32(cursor, 2);
		break;
	case SCHEMA_U64:
		*(uint64_t *)at = cursor_ns(cursor, 2);
		break;
	default:
		*(int64_t *)at = (int64_t)cursor_id(cursor, 2);
	}
}

static void load_meta_row(struct cursor *cursor)
{
	const char *name = (const char *)sqlite3_column_text(cursor->statement, 1);

	for (const struct schema_key *key = schema_keys; name && key->name; key++)
		if (!strcmp(name, key->name))
			load_key(cursor, key);
}

static int load_meta(struct recording *recording, struct why *why)
{
	struct cursor cursor;

	for (const struct schema_key *key = schema_keys; key->name; key++)
		if (key->type == SCHEMA_TEXT)
			*(const char **)((char *)&recording->meta + key->offset) = "";
	cursor_open(recording, "meta", "SELECT rowid, key, value FROM meta" BY_ROWID, why, &cursor);
	while (cursor_next(&cursor))
		load_meta_row(&cursor);
	if (!cursor.error && !cursor.row)
		cursor.error = database_holds_nothing(recording->path, why);
	if (!cursor.error && !recording->meta.slice_ns)
		cursor_fail(&cursor, "no slice_ns in meta");
	return cursor_close(&cursor);
}

static int load_slices(struct recording *recording, struct why *why)
{
	struct cursor cursor;

	cursor_open(recording, "slices", "SELECT id, start_ns, length_ns FROM slices" BY_ROWID, why,
		&cursor);
	while (cursor_next(&cursor)) {
		cursor_check_room(&cursor, recording->slice_count);
		if (cursor_id(&cursor, 0) != recording->slice_count++)
			cursor_fail(&cursor, "slices are missing");
		cursor_ns(&cursor, 1);
		cursor_ns(&cursor, 2);
	}
	return cursor_close(&cursor);
}

static int load_processes(struct recording *recording, struct why *why)
{
	struct cursor cursor;

	cursor_open(recording, "processes",
		"SELECT id, pid, name, exe, container, is_kernel FROM processes" BY_ROWID, why,
		&cursor);
	while (cursor_next(&cursor)) {
		struct rec_process process = {
			.id = cursor_u32(&cursor, 0),
			.pid = cursor_u32(&cursor, 1),
			.name = cursor_text(&cursor, 2),
			.exe = cursor_text(&cursor, 3),
			.container = cursor_text(&cursor, 4),
			.is_kernel = cursor_bool(&cursor, 5),
		};
		cursor_check_room(&cursor, recording->processes.count);
		vec_push(&recording->processes, process);
	}
	return cursor_close(&cursor);
}

static void load_thread(struct cursor *cursor)
{
	struct recording *recording = cursor->recording;
	struct rec_thread thread = {
		.id = cursor_u32(cursor, 0),
		.tid = cursor_u32(cursor, 1),
		.process = cursor_u32(cursor, 2),
		.comm = cursor_text(cursor, 3),
		.start_ns = cursor_ns(cursor, 4),
		.end_ns = cursor_ns(cursor, 5),
		.is_closed = cursor_bool(cursor, 10),
		.is_kernel = cursor_bool(cursor, 11),
	};

	for (int i = 0; i < TIME_STATES; i++)
		thread.total_ns[i] = cursor_ns(cursor, 6 + i);
	cursor_check_room(cursor, recording->threads.count);
	if (thread.is_closed && thread.end_ns < thread.start_ns)
		cursor_fail(cursor, "thread %u ends before it starts", thread.id);
	if (recording_process_index(recording, thread.process) == REC_NONE)
		cursor_fail(
			cursor, "thread %u is of process %u, unknown", thread.id, thread.process);
	vec_push(&recording->threads, thread);
}

static int load_threads(struct recording *recording, struct why *why)
{
	struct cursor cursor;

	cursor_open(recording, "threads",
		"SELECT id, tid, process, comm, start_ns, end_ns, running_ns, woken_ns,"
		" preempted_ns, blocked_ns, is_closed, is_kernel FROM threads" BY_ROWID,
		why, &cursor);
	while (cursor_next(&cursor))
		load_thread(&cursor);
	return cursor_close(&cursor);
}

static int load_objects(struct recording *recording, struct map64 *by_id, struct why *why)
{
	struct cursor cursor;

	cursor_open(recording, "objects", "SELECT id, kind, path, build_id FROM objects" BY_ROWID,
		why, &cursor);
	while (cursor_next(&cursor)) {
		struct rec_object object = {
			.id = cursor_id(&cursor, 0),
			.kind = (enum object_kind)cursor_word(&cursor, 1, WORD_OBJECT_KIND),
			.path = cursor_text(&cursor, 2),
			.build_id = cursor_text(&cursor, 3),
		};
		cursor_check_room(&cursor, recording->objects.count);
		*map64_put(by_id, object.id, NULL) = recording->objects.count;
		vec_push(&recording->objects, object);
	}
	return cursor_close(&cursor);
}

static int load_frames(struct recording *recording, const struct map64 *objects,
	struct map64 *by_id, struct why *why)
{
	struct cursor cursor;

	cursor_open(recording, "frames",
		"SELECT id, object, address, name, offset, reason FROM frames" BY_ROWID, why,
		&cursor);
	while (cursor_next(&cursor)) {
		const uint64_t *object = map64_find(objects, cursor_id(&cursor, 1));
		struct rec_named_frame frame = {
			.object = object ? (uint32_t)*object : 0,
			.address = cursor_id(&cursor, 2),
			.name = cursor_text(&cursor, 3),
			.offset = cursor_id(&cursor, 4),
			.reason = (enum name_reason)cursor_word(&cursor, 5, WORD_NAME_REASON),
		};
		cursor_check_room(&cursor, recording->frames.count);
		if (!object)
			cursor_fail(&cursor, "frame %" PRId64 " is of an unknown object",
				cursor.last_key);
		*map64_put(by_id, cursor_id(&cursor, 0), NULL) = recording->frames.count;
		vec_push(&recording->frames, frame);
	}
	return cursor_close(&cursor);
}

/* Parents are kept as ids, beside the nodes, until all nodes are there. */
struct parents {
	VEC(uint64_t) ids;
};

static void load_node(struct cursor *cursor, const struct map64 *frames, struct parents *parents)
{
	struct recording *recording = cursor->recording;
	uint64_t id = cursor_id(cursor, 0);
	const uint64_t *frame = map64_find(frames, cursor_id(cursor, 2));
	struct rec_node node = {
		.parent = REC_NONE,
		.frame = frame ? (uint32_t)*frame : 0,
		.end = (enum unwind_end)cursor_word(cursor, 3, WORD_UNWIND_END),
	};

	cursor_check_room(cursor, recording->nodes.count);
	if (!frame)
		cursor_fail(cursor, "stack %" PRId64 " has an unknown frame", (int64_t)id);
	if (id < STACK_FIRST_ID)
		cursor_fail(cursor, "stack id %" PRIu64 " is reserved", id);
	vec_push(&parents->ids, cursor_id(cursor, 1));
	*map64_put(&recording->node_by_id, id, NULL) = recording->nodes.count;
	vec_push(&recording->nodes, node);
}

static int link_parents(struct recording *recording, const struct parents *parents, struct why *why)
{
	for (size_t i = 0; i < parents->ids.count; i++) {
		if (!parents->ids.at[i])
			continue;
		const uint64_t *parent = map64_find(&recording->node_by_id, parents->ids.at[i]);
		if (!parent)
			return recording_damaged(recording, why, "a stack has an unknown parent");
		recording->nodes.at[i].parent = (uint32_t)*parent;
	}
	return 0;
}

/* Walks up to a node of known depth, then down again; more than the limit is a cycle, or as bad. */
static int measure_node(struct recording *recording, uint32_t node, struct why *why)
{
	struct rec_node *nodes = recording->nodes.at;
	uint32_t way[SCHEMA_MAX_DEPTH];
	size_t length = 0;
	size_t depth = 0;

	for (; node != REC_NONE && !nodes[node].depth; node = nodes[node].parent) {
		if (length == SCHEMA_MAX_DEPTH)
			return recording_damaged(recording, why, "a stack is endless");
		way[length++] = node;
	}
	if (node != REC_NONE)
		depth = nodes[node].depth;
	if (depth + length > SCHEMA_MAX_DEPTH)
		return recording_damaged(recording, why, "a stack is endless");
	while (length)
		nodes[way[--length]].depth = (uint16_t)++depth;
	return 0;
}

static int load_nodes(struct recording *recording, const struct map64 *frames, struct why *why)
{
	struct cursor cursor;
	struct parents parents = {0};
	int error;

	cursor_open(recording, "stacks",
		"SELECT id, parent, frame, unwind_end FROM stacks" BY_ROWID, why, &cursor);
	while (cursor_next(&cursor))
		load_node(&cursor, frames, &parents);
	error = cursor_close(&cursor);
	if (!error)
		error = link_parents(recording, &parents, why);
	for (size_t i = 0; !error && i < recording->nodes.count; i++)
		error = measure_node(recording, (uint32_t)i, why);
	vec_clear(&parents.ids);
	return error;
}

static int load_code(struct recording *recording, struct why *why)
{
	_cleanup_(map64_clear) struct map64 objects = {0};
	_cleanup_(map64_clear) struct map64 frames = {0};
	int error = load_objects(recording, &objects, why);

	if (!error)
		error = load_frames(recording, &objects, &frames, why);
	if (!error)
		error = load_nodes(recording, &frames, why);
	return error;
}

/* Names that dwell gives are made of small letters; those of a newer one, too. */
static bool is_plain_word(const char *text)
{
	return text[0] && !text[strspn(text, "abcdefghijklmnopqrstuvwxyz0123456789_")] &&
	       strlen(text) <= WORDS_MOST_BYTES;
}

static int load_losses(struct recording *recording, struct why *why)
{
	struct cursor cursor;

	cursor_open(recording, "losses", "SELECT rowid, name, count, ns FROM losses" BY_ROWID, why,
		&cursor);
	while (cursor_next(&cursor)) {
		struct rec_loss loss = {
			.loss = LOSSES,
			.name = cursor_text(&cursor, 1),
			.count = cursor_ns(&cursor, 2),
			.ns = cursor_ns(&cursor, 3),
		};
		loss_from_name(loss.name, &loss.loss);
		if (!is_plain_word(loss.name) || cursor.row > MOST_LOSSES)
			cursor_fail(&cursor, "bad name in row %" PRIu64 " of losses", cursor.row);
		vec_push(&recording->losses, loss);
	}
	/* The array is borrowed before rows are walked over: it must not move then. */
	vec_reserve(&recording->losses, recording->losses.count + UNKNOWN_ROWS_LINES);
	return cursor_close(&cursor);
}

int recording_load(struct recording *recording, struct why *why)
{
	int error = load_meta(recording, why);

	if (!error)
		error = recording_load_words(recording, why);
	if (!error)
		error = load_slices(recording, why);
	if (!error)
		error = load_processes(recording, why);
	if (!error)
		error = load_threads(recording, why);
	if (!error)
		error = recording_load_awaited(recording, why);
	if (!error)
		error = load_code(recording, why);
	if (!error)
		error = recording_load_chains(recording, why);
	if (!error)
		error = recording_load_measures(recording, why);
	if (!error)
		error = recording_load_functions(recording, why);
	if (!error)
		error = load_losses(recording, why);
	return error;
}
