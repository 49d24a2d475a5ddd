// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Strings by number: open addressing with linear probing, at most half full. A slot holds the hash
 * too, so that a text is only looked at if it is the one that is asked for, or nearly always.
 */
#include "util/intern.h"

#include <string.h>

#define SMALLEST_ROOM 64

static uint64_t load64(const char *at)
{
	uint64_t word;

	memcpy(&word, at, sizeof(word));
	return word;
}

static uint32_t load32(const char *at)
{
	uint32_t word;

	memcpy(&word, at, sizeof(word));
	return word;
}

static uint64_t fold(uint64_t word)
{
	__extension__ unsigned __int128 product = (unsigned __int128)word * 0x9fb21c651e98df25ULL;

	return (uint64_t)product ^ (uint64_t)(product >> 64);
}

/*
 * Not hash_bytes(): that one is part of the recording's format and does more than a table in memory
 * needs. The last word overlaps the one before it instead of being put together from bytes.
 */
static uint32_t hash_of(const char *text, size_t length)
{
	uint64_t hash = length + 0x9e3779b97f4a7c15ULL, last;
	size_t i = 0;

	for (; i + 8 < length; i += 8)
		hash = fold(hash ^ load64(text + i));
	if (length >= 8)
		last = load64(text + length - 8);
	else if (length >= 4)
		last = (uint64_t)load32(text + length - 4) << 32 | load32(text);
	else if (length)
		last = (uint64_t)(unsigned char)text[length - 1] << 16 |
		       (uint64_t)(unsigned char)text[length / 2] << 8 | (unsigned char)text[0];
	else
		last = 0;
	hash = fold(hash ^ last);
	return (uint32_t)(hash ^ hash >> 32);
}

static void grow(struct intern *table)
{
	size_t room = table->room ? table->room * 2 : SMALLEST_ROOM;

	free(table->slots);
	table->slots = xcalloc(room, sizeof(*table->slots));
	table->room = room;
	for (size_t number = 0; number < table->texts.count; number++) {
		uint32_t hash = table->texts.at[number].hash;
		size_t at = hash & (room - 1);
		while (table->slots[at])
			at = (at + 1) & (room - 1);
		table->slots[at] = (uint64_t)hash << 32 | (number + 1);
	}
}

/* The slot of the text, or the free one where it belongs. The table has a free one. */
static uint64_t *slot_of(const struct intern *table, const char *text, size_t length, uint32_t hash)
{
	size_t at = hash & (table->room - 1);

	for (; table->slots[at]; at = (at + 1) & (table->room - 1)) {
		const struct intern_entry *known = &table->texts.at[(uint32_t)table->slots[at] - 1];
		if (table->slots[at] >> 32 == hash && known->length == length &&
			!memcmp(known->text, text, length))
			break;
	}
	return &table->slots[at];
}

static uint32_t add(struct intern *table, const char *text, size_t length)
{
	uint32_t hash = hash_of(text, length);

	if ((table->texts.count + 1) * 2 > table->room)
		grow(table);
	uint64_t *slot = slot_of(table, text, length, hash);
	if (!*slot) {
		struct intern_entry made = {
			arena_text(&table->arena, text, length), (uint32_t)length, hash};
		vec_push(&table->texts, made);
		*slot = (uint64_t)hash << 32 | table->texts.count;
	}
	return (uint32_t)*slot - 1;
}

bool intern_find(const struct intern *table, const char *text, size_t length, uint32_t *ret)
{
	if (!table->room)
		return false;
	uint64_t slot = *slot_of(table, text, length, hash_of(text, length));
	if (slot)
		*ret = (uint32_t)slot - 1;
	return slot;
}

uint32_t intern_bytes(struct intern *table, const char *text, size_t length)
{
	if (!table->texts.count)
		add(table, "", 0);
	return add(table, text, strnlen(text, length));
}

uint32_t intern(struct intern *table, const char *text)
{
	return intern_bytes(table, text, strlen(text));
}

const char *intern_text(const struct intern *table, uint32_t number)
{
	return number < table->texts.count ? table->texts.at[number].text : "";
}

void intern_clear(struct intern *table)
{
	arena_clear(&table->arena);
	vec_clear(&table->texts);
	free(table->slots);
	table->slots = NULL;
	table->room = 0;
}
