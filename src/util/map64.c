// SPDX-License-Identifier: GPL-2.0-or-later
/* Open addressing with linear probing; removal shifts later entries back, so there are no
 * tombstones. */
#include "util/map64.h"

#include "util/hash.h"
#include "util/mem.h"

static size_t home_of(const struct map64 *map, uint64_t key)
{
	return hash_mix(key) & (map->room - 1);
}

static struct map64_slot *slot_of(const struct map64 *map, uint64_t key)
{
	size_t at = home_of(map, key);

	while (map->slots[at].is_used && map->slots[at].key != key)
		at = (at + 1) & (map->room - 1);
	return &map->slots[at];
}

static void grow(struct map64 *map)
{
	struct map64 bigger = {.room = map->room ? map->room * 2 : 64, .count = map->count};

	bigger.slots = xcalloc(bigger.room, sizeof(*bigger.slots));
	for (size_t i = 0; i < map->room; i++)
		if (map->slots[i].is_used)
			*slot_of(&bigger, map->slots[i].key) = map->slots[i];
	free(map->slots);
	*map = bigger;
}

uint64_t *map64_find(const struct map64 *map, uint64_t key)
{
	if (!map->count)
		return NULL;
	struct map64_slot *slot = slot_of(map, key);
	return slot->is_used ? &slot->value : NULL;
}

uint64_t *map64_put(struct map64 *map, uint64_t key, bool *is_new)
{
	if ((map->count + 1) * 4 > map->room * 3)
		grow(map);
	struct map64_slot *slot = slot_of(map, key);
	if (is_new)
		*is_new = !slot->is_used;
	if (!slot->is_used) {
		*slot = (struct map64_slot){.key = key, .is_used = true};
		map->count++;
	}
	return &slot->value;
}

bool map64_remove(struct map64 *map, uint64_t key)
{
	if (!map->count)
		return false;
	size_t hole = (size_t)(slot_of(map, key) - map->slots);
	if (!map->slots[hole].is_used)
		return false;

	/* Move back every later entry of the run whose home does not lie behind the hole. */
	for (size_t at = (hole + 1) & (map->room - 1); map->slots[at].is_used;
		at = (at + 1) & (map->room - 1)) {
		size_t home = home_of(map, map->slots[at].key);
		if (((at - home) & (map->room - 1)) >= ((at - hole) & (map->room - 1))) {
			map->slots[hole] = map->slots[at];
			hole = at;
		}
	}
	map->slots[hole].is_used = false;
	map->count--;
	return true;
}

void map64_clear(struct map64 *map)
{
	free(map->slots);
	*map = (struct map64){0};
}
