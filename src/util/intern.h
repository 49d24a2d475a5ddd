/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Each distinct string once, known by a small number. Number 0 is the empty string. Texts stay
 * where they are until the table is cleared. All zero is a valid empty table.
 */
#ifndef DWELL_UTIL_INTERN_H
#define DWELL_UTIL_INTERN_H

#include <stdbool.h>
#include <stdint.h>

#include "util/arena.h"
#include "util/vec.h"

struct intern_entry {
	const char *text;
	uint32_t length;
	uint32_t hash;
};

struct intern {
	VEC(struct intern_entry) texts; /* by number */
	struct arena arena;             /* holds them */
	uint64_t *slots;                /* hash << 32 | number + 1; 0: free */
	size_t room;                    /* of slots: a power of two, or 0 */
};

uint32_t intern(struct intern *table, const char *text);
/* Up to `length` bytes, less if there is a NUL. */
uint32_t intern_bytes(struct intern *table, const char *text, size_t length);
/* False if there is no such text; `length` bytes without NUL. */
bool intern_find(const struct intern *table, const char *text, size_t length, uint32_t *ret);
/* Borrowed, lives as long as the table. */
const char *intern_text(const struct intern *table, uint32_t number);
void intern_clear(struct intern *table);

#endif
