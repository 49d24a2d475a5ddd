// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Texts of awaited things: paths are put together from their parts, addresses printed, names of
 * unix sockets made readable. Names are other people's: what is shown is cleaned where it is shown.
 */
#include "capture/awaited.h"

#include <arpa/inet.h>
#include <stddef.h>
#include <string.h>

#include "capture/namer_data.h"
#include "util/map64.h"
#include "util/mem.h"
#include "util/vec.h"

/* Things that are kept; what comes after so many is told by its kind. */
#define MOST_THINGS (1u << 19)

struct known_thing {
	struct rec_awaited awaited;
	char *name;
	char *place;
	uint32_t image; /* of a futex that has no name yet */
	bool is_written;
};

struct awaited_things {
	struct recording_writer *writer;
	struct namer *namer;
	struct map64 by_raw; /* raw id -> index into things */
	VEC(struct known_thing) things;
	bool is_kind_written[AWAITED_FIRST_ID];
	uint64_t unnamed;
};

struct awaited_things *awaited_new(struct recording_writer *writer, struct namer *namer)
{
	struct awaited_things *things = xcalloc(1, sizeof(*things));

	things->writer = writer;
	things->namer = namer;
	return things;
}

void awaited_free(struct awaited_things *things)
{
	if (!things)
		return;
	vec_each (thing, &things->things) {
		free(thing->name);
		free(thing->place);
	}
	vec_clear(&things->things);
	map64_clear(&things->by_raw);
	free(things);
}

/* The parts of a path, last one first, each with a NUL behind it, as one text. */
static char *join_path(const struct record_awaited *record, size_t bytes)
{
	static const char gone[] = " (deleted)";
	/* A part is one byte longer than its text, as it is with its slash. */
	char *path = xcalloc(1, bytes + sizeof("/...") + sizeof(gone));
	char *at = path;
	size_t end = bytes;

	if (record->is_cut)
		at = stpcpy(at, "...");
	while (end) {
		size_t start = end - 1;
		/* From the NUL that ends the part back to the one before it. */
		while (start && record->name[start - 1])
			start--;
		*at++ = '/';
		at = mempcpy(at, record->name + start, strnlen(record->name + start, end - start));
		end = start;
	}
	if (at == path)
		*at++ = '/';
	*at = '\0';
	if (record->is_gone)
		strcpy(at, gone);
	return path;
}

/* The kernel's word for a thing without a file, "[userfaultfd]", without its brackets. */
static char *bare_word(const struct record_awaited *record, size_t bytes)
{
	size_t length = strnlen(record->name, bytes);
	const char *word = record->name;

	if (length > 1 && word[0] == '[' && word[length - 1] == ']') {
		word++;
		length -= 2;
	}
	return xstrndup(word, length);
}

/* Abstract names begin with a NUL, and may have others. */
static char *unix_name(const struct record_awaited *record, size_t bytes)
{
	char *name;

	if (!bytes || record->name[0])
		return xstrndup(record->name, bytes);
	name = xcalloc(1, bytes + 1);
	for (size_t i = 0; i < bytes; i++)
		name[i] = record->name[i] ? record->name[i] : '@';
	return name;
}

/* IPv4 in IPv6 is IPv4. */
static char *address_text(const struct record_awaited *record)
{
	static const uint8_t mapped[] = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff};
	const uint8_t *host = record->host;
	int family = record->family;
	char text[INET6_ADDRSTRLEN] = "";

	if (family == AF_INET6 && !memcmp(host, mapped, sizeof(mapped))) {
		host += sizeof(mapped);
		family = AF_INET;
	}
	if (family == AF_INET || family == AF_INET6)
		inet_ntop(family, host, text, sizeof(text));
	return xstrdup(text);
}

static char *name_of(const struct record_awaited *record, size_t bytes)
{
	switch (record->awaited_kind) {
	case AWAITED_FILE:
	case AWAITED_DEVICE:
	case AWAITED_FAULT:
		return record->is_path ? join_path(record, bytes) : xstrndup(record->name, bytes);
	case AWAITED_PIPE:
		/* One without a name has none in any file system: no parent either. */
		return record->is_path && bytes ? join_path(record, bytes) : xstrdup("");
	case AWAITED_ANONYMOUS:
		return bare_word(record, bytes);
	case AWAITED_TCP_TO:
	case AWAITED_TCP_FROM:
	case AWAITED_UDP:
		return address_text(record);
	case AWAITED_UNIX_TO:
	case AWAITED_UNIX_FROM:
	case AWAITED_UNIX_LISTEN:
		return unix_name(record, bytes);
	default:
		return xstrdup("");
	}
}

/* Is such a thing one process's own? */
static bool has_process(enum awaited_kind kind)
{
	return kind == AWAITED_FUTEX || kind == AWAITED_MMAP_LOCK || kind == AWAITED_CHILD;
}

uint32_t awaited_image(const void *data, size_t length)
{
	const struct record_awaited *record = data;

	return length < offsetof(struct record_awaited, name) ? 0 : record->image;
}

void awaited_add(struct awaited_things *things, const void *data, size_t length, uint32_t process)
{
	const struct record_awaited *record = data;
	bool is_new;

	if (length < offsetof(struct record_awaited, name) ||
		length - offsetof(struct record_awaited, name) < record->name_bytes ||
		record->awaited_kind >= AWAITED_KINDS || things->things.count == MOST_THINGS)
		return;
	uint64_t *index = map64_put(&things->by_raw, record->id, &is_new);
	if (!is_new)
		return;
	struct known_thing thing = {.name = name_of(record, record->name_bytes),
		.place = xstrndup(record->place, sizeof(record->place))};
	thing.awaited = (struct rec_awaited){
		.thing = {.kind = (enum awaited_kind)record->awaited_kind,
			.name = thing.name,
			.place = thing.place,
			.port = record->port,
			.address = record->address},
		.process = has_process((enum awaited_kind)record->awaited_kind) ? process : 0};
	if (record->awaited_kind == AWAITED_FUTEX)
		thing.image = record->image;
	*index = things->things.count;
	vec_push(&things->things, thing);
}

/*
 * What lies at the address of a futex. Asked for when a row has it: of most futexes none does, if
 * the process is not recorded itself. The path of shared memory is a name: it may be a secret.
 */
static void name_futex(struct awaited_things *things, struct known_thing *thing)
{
	struct data_name data;
	bool is_path;

	namer_data(things->namer, thing->image, thing->awaited.thing.address, &data);
	is_path = data.kind == DATA_SHARED && data.place[0] == '/';
	free(thing->name);
	free(thing->place);
	thing->name = xstrdup(is_path ? data.place : data.symbol);
	thing->place = xstrdup(is_path ? "shared memory" : data.place);
	thing->awaited.thing.name = thing->name;
	thing->awaited.thing.place = thing->place;
	data_name_clear(&data);
}

/* All things of a kind that are not told apart. */
static uint64_t id_of_kind(struct awaited_things *things, uint64_t kind)
{
	struct rec_awaited awaited = {.id = kind,
		.thing = {.kind = (enum awaited_kind)kind,
			.is_folded = true,
			.name = "",
			.place = ""}};

	if (kind && !things->is_kind_written[kind]) {
		recording_writer_add_awaited(things->writer, &awaited);
		things->is_kind_written[kind] = true;
	}
	return kind;
}

uint64_t awaited_id(struct awaited_things *things, uint64_t raw_id)
{
	const uint64_t *index;

	if (raw_id < AWAITED_FIRST_ID)
		return id_of_kind(things, raw_id);
	index = map64_find(&things->by_raw, raw_id);
	if (!index) {
		things->unnamed++;
		return id_of_kind(things, raw_id & (AWAITED_FIRST_ID - 1));
	}
	struct known_thing *thing = &things->things.at[*index];
	if (!thing->is_written) {
		if (thing->image)
			name_futex(things, thing);
		thing->awaited.id = recording_awaited_id(&thing->awaited);
		recording_writer_add_awaited(things->writer, &thing->awaited);
		thing->is_written = true;
	}
	return thing->awaited.id;
}

static const struct awaited *known_of_kind(
	const struct awaited_things *things, uint64_t raw_id, enum awaited_kind kind)
{
	const uint64_t *index = map64_find(&things->by_raw, raw_id);

	return index && (raw_id & (AWAITED_FIRST_ID - 1)) == kind
		       ? &things->things.at[*index].awaited.thing
		       : NULL;
}

uint64_t awaited_address(const struct awaited_things *things, uint64_t raw_id)
{
	const struct awaited *futex = known_of_kind(things, raw_id, AWAITED_FUTEX);

	return futex ? futex->address : 0;
}

uint64_t awaited_pipe(const struct awaited_things *things, uint64_t raw_id)
{
	const struct awaited *pipe = known_of_kind(things, raw_id, AWAITED_PIPE);

	return pipe && !*pipe->name ? pipe->address : 0;
}

uint64_t awaited_unnamed(const struct awaited_things *things)
{
	return things->unnamed;
}
