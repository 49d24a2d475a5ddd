// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A radix sort from the lowest byte on: each pass puts items in the order of one byte and leaves
 * those with the same byte in the order of the passes before.
 */
#include "util/sort64.h"

#include <stdbool.h>
#include <string.h>

#include "util/mem.h"

#define KEY_BYTES 8
#define VALUES 256

static unsigned int byte_of(uint64_t key, unsigned int byte)
{
	return key >> byte * 8 & 0xff;
}

/* How often each byte has each value. */
static void count_values(
	const struct sort64_item *items, size_t count, size_t counts[KEY_BYTES][VALUES])
{
	memset(counts, 0, KEY_BYTES * sizeof(counts[0]));
	for (size_t i = 0; i < count; i++)
		for (unsigned int byte = 0; byte < KEY_BYTES; byte++)
			counts[byte][byte_of(items[i].key, byte)]++;
}

static void put_in_order(const struct sort64_item *from, struct sort64_item *to, size_t count,
	unsigned int byte, size_t *counts)
{
	size_t start = 0;

	for (size_t value = 0; value < VALUES; value++) {
		size_t here = counts[value];
		counts[value] = start;
		start += here;
	}
	for (size_t i = 0; i < count; i++)
		to[counts[byte_of(from[i].key, byte)]++] = from[i];
}

void sort64(struct sort64_item *items, size_t count)
{
	_cleanup_free_ struct sort64_item *spare = xcalloc(count, sizeof(*spare));
	struct sort64_item *from = items, *to = spare;
	size_t counts[KEY_BYTES][VALUES];

	count_values(items, count, counts);
	for (unsigned int byte = 0; count && byte < KEY_BYTES; byte++) {
		bool is_same_in_all = counts[byte][byte_of(items[0].key, byte)] == count;
		if (is_same_in_all)
			continue;
		put_in_order(from, to, count, byte, counts[byte]);
		struct sort64_item *swapped = from;
		from = to;
		to = swapped;
	}
	if (from != items)
		memcpy(items, from, count * sizeof(*items));
}
