/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Functions of a JIT compiler, in the order in which it made them: a later one takes the place of
 * what it overlaps of earlier ones. All zero is a valid empty table.
 */
#ifndef DWELL_SYMBOL_JIT_TABLE_H
#define DWELL_SYMBOL_JIT_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "util/vec.h"

/* What is left of a function: [start, end), of one that began at origin. */
struct jit_piece {
	uint64_t start;
	uint64_t end;
	uint64_t origin;
	uint32_t name; /* offset in names */
	uint32_t order;
};

struct jit_table {
	VEC(struct jit_piece) settled; /* sorted, without overlaps */
	VEC(struct jit_piece) recent;  /* later than all of those; the same unless is_dirty */
	bool is_dirty;
	uint32_t added;
	VEC(char) names;
};

/* Adds the latest function; the name is copied and need not end in NUL. */
void jit_table_add(
	struct jit_table *table, uint64_t start, uint64_t end, const char *name, size_t name_bytes);
/* The name is borrowed until the next addition. NULL: none. */
const char *jit_table_find(struct jit_table *table, uint64_t address, uint64_t *ret_offset);
void jit_table_clear(struct jit_table *table);

#endif
