/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the reader of process mappings needs from the object table; symbol/object.h is for others.
 */
#ifndef DWELL_SYMBOL_OBJECT_TABLE_H
#define DWELL_SYMBOL_OBJECT_TABLE_H

#include "symbol/maps.h"
#include "symbol/object.h"

/* How the table gets at files of others. Borrowed. */
struct outside *object_table_outside(struct object_table *table);

/* The object that an executable mapping shows; never NULL, owned by the table. */
struct code_object *object_table_get(
	struct object_table *table, uint32_t pid, const struct map_line *line);

/*
 * The same for a mapping that the kernel has told of. The process may be gone if a relative of its
 * (0: none) or we see the file at its path; one that could not be found is looked for again with
 * each mapping.
 */
struct code_object *object_table_get_told(
	struct object_table *table, uint32_t pid, uint32_t relative, const struct map_line *line);

/* The object's own address of an offset in its file; the offset itself where the file is unknown.
 */
uint64_t code_object_address(const struct code_object *object, uint64_t offset);
/*
 * The object's own address of what lies so far (modulo 2^64) from where that offset of its code is
 * mapped. false: the object takes no such address in memory.
 */
bool code_object_data_address(
	const struct code_object *object, uint64_t code_offset, uint64_t distance, uint64_t *ret);

#endif
