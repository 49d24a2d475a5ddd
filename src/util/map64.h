/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A hash map from 64-bit keys to 64-bit values, open addressing with linear probing, at most 3/4
 * full. Key 0 is allowed. All zero is a valid empty map. Values are found by pointer, which dies
 * with the next insertion or removal.
 */
#ifndef DWELL_UTIL_MAP64_H
#define DWELL_UTIL_MAP64_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct map64_slot {
	uint64_t key;
	uint64_t value;
	bool is_used;
};

struct map64 {
	struct map64_slot *slots;
	size_t room; /* a power of two, or 0 */
	size_t count;
};

/* The value of key, or NULL. */
uint64_t *map64_find(const struct map64 *map, uint64_t key);
/* The value of key; a new one is 0 and, if is_new is given, reported there. */
uint64_t *map64_put(struct map64 *map, uint64_t key, bool *is_new);
/* Forgets key; false if it was not there. */
bool map64_remove(struct map64 *map, uint64_t key);
void map64_clear(struct map64 *map);

#endif
