/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Sorting by 64-bit keys, byte by byte of the key instead of by comparing: for millions of items,
 * whose keys may be anything. Larger things are sorted by their numbers.
 */
#ifndef DWELL_UTIL_SORT64_H
#define DWELL_UTIL_SORT64_H

#include <stddef.h>
#include <stdint.h>

struct sort64_item {
	uint64_t key;
	uint32_t number; /* the caller's */
};

/* Smallest key first; items of equal key stay in their order. */
void sort64(struct sort64_item *items, size_t count);

#endif
