/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The symbols behind elf/function.h, as its parts go through them. */
#ifndef DWELL_ELF_FUNCTION_PRIVATE_H
#define DWELL_ELF_FUNCTION_PRIVATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct elf_file;

struct elf_function_symbol {
	const char *name; /* maybe with "@VERSION" or "@@VERSION" behind it */
	size_t room;      /* bytes from there to the table's end: nothing else bounds the name */
	uint64_t address;
	uint64_t bytes;
	bool is_choice; /* an IFUNC: where it leads is decided when the program starts */
	bool is_hidden; /* an old version, which programs linked today do not call */
};

/*
 * Every function that the file defines, those of .symtab first; many are in .dynsym, too. 0,
 * -EBADMSG or -E2BIG.
 */
int elf_function_each(const struct elf_file *file,
	void (*each)(void *context, const struct elf_function_symbol *symbol), void *context);
/* The offset in the file of code at this address; -EBADMSG if it is in no executable segment. */
int elf_function_place(const struct elf_file *file, uint64_t address, uint64_t *ret);

#endif
