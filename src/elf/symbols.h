/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The functions of one ELF file, or its variables, from .symtab and .dynsym of itself and of the
 * files that hold its symbols, in one table sorted by address. A function covers its own size and
 * nothing else; one without a size ends where the next function of its section begins. Of several
 * names for one address one is kept: with a size, of a function before a mere label, with the
 * fewest leading underscores (poll, not __poll), global before local before weak, then the
 * shortest, then the first by alphabet. A variable is one in memory that can be written,
 * thread-local ones left out, and covers its own size; one without a size is none: linkers leave
 * marks of that kind between variables (__TMC_END__), which would take their neighbours' addresses.
 */
#ifndef DWELL_ELF_SYMBOLS_H
#define DWELL_ELF_SYMBOLS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct elf_file;
struct elf_ranges;
struct elf_symbols;
struct elf_bytes;
struct elf_cursor;

struct elf_symbol {
	uint64_t start;
	uint64_t end;
	const char *name; /* without "@VERSION"; borrowed from the table */
};

/* 0, also for a file without symbols; -EBADMSG if tables are damaged, -E2BIG if beyond measure. */
int elf_symbols_read(const struct elf_file *file, struct elf_symbols **ret);
/*
 * The same from several files about the same code: a program, its separate debug file. A damaged
 * one does not spoil the others. Ranges (NULL: unknown) bound functions without a size.
 */
int elf_symbols_merge(const struct elf_file *const *files, size_t count,
	const struct elf_ranges *ranges, struct elf_symbols **ret);
/* The same for the variables in place of the functions. */
int elf_symbols_merge_variables(
	const struct elf_file *const *files, size_t count, struct elf_symbols **ret);
/*
 * The table as bytes behind those that are there already, and back: from a process that may have
 * been taken over by the file that it read, so all of it is checked. Taken from `at`, which is set
 * behind it. 0, -EBADMSG.
 */
void elf_symbols_pack(const struct elf_symbols *symbols, struct elf_bytes *bytes);
int elf_symbols_unpack(struct elf_cursor *at, struct elf_symbols **ret);
/* What it takes in memory. */
uint64_t elf_symbols_bytes(const struct elf_symbols *symbols);
/* NULL is allowed. */
void elf_symbols_free(struct elf_symbols *symbols);

size_t elf_symbols_count(const struct elf_symbols *symbols);
/* By position, in order of address. */
struct elf_symbol elf_symbols_at(const struct elf_symbols *symbols, size_t position);
/* The innermost function, or variable, that covers the address. */
bool elf_symbols_find(const struct elf_symbols *symbols, uint64_t address, struct elf_symbol *ret);

#endif
