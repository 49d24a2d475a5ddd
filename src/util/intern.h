/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Each distinct string once, known by a small number. Number 0 is the empty string. Texts stay
 * where they are until the table is cleared. All zero is a valid empty table.
 */
#ifndef DWELL_UTIL_INTERN_H
#define DWELL_UTIL_INTERN_H

#include "util/map64.h"
#include "util/vec.h"

struct intern {
	VEC(char *) texts;
	struct map64 by_hash; /* hash -> number + 1; clashes go on at hash + 1 */
};

uint32_t intern(struct intern *table, const char *text);
uint32_t intern_bytes(struct intern *table, const char *text, size_t length);
/* Borrowed, lives as long as the table. */
const char *intern_text(const struct intern *table, uint32_t number);
void intern_clear(struct intern *table);

#endif
