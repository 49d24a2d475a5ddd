/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The functions of one code object: one table from all sources of its names (.symtab, separate
 * debug file, .gnu_debugdata, .dynsym), and the bounds of its functions for where these are silent.
 * Or its variables, from the same sources but .gnu_debugdata, which has functions only.
 */
#ifndef DWELL_SYMBOL_NAMES_H
#define DWELL_SYMBOL_NAMES_H

#include <stdbool.h>
#include <stdint.h>

struct elf_file;
struct elf_bytes;
struct elf_cursor;
struct elf_symbol;
struct helpers;
struct object_names;

/* Reads all there is; debug is the separate debug file or NULL. Never NULL. */
struct object_names *object_names_read(const struct elf_file *file, const struct elf_file *debug);
struct object_names *object_names_read_variables(
	const struct elf_file *file, const struct elf_file *debug);
/*
 * As bytes and back, see elf_symbols_pack(). Names are demangled by those parsers (NULL: by us)
 * when they are first asked for.
 */
void object_names_pack(const struct object_names *names, struct elf_bytes *bytes);
int object_names_unpack(struct elf_cursor *at, struct helpers *parsers, struct object_names **ret);
/* What they take in memory, without the demangled ones. */
uint64_t object_names_bytes(const struct object_names *names);
/* NULL is allowed. */
void object_names_free(struct object_names *names);

/* Is there any name? */
bool object_names_any(const struct object_names *names);
/* The demangled name of the function at the address, and its start. Borrowed; NULL if none. */
const char *object_names_find(struct object_names *names, uint64_t address, uint64_t *ret_start);
/* The same with the end, of a function or of a variable. */
bool object_names_symbol(struct object_names *names, uint64_t address, struct elf_symbol *ret);
/* Where the function at the address begins, named or not. */
bool object_names_start(const struct object_names *names, uint64_t address, uint64_t *ret_start);

#endif
