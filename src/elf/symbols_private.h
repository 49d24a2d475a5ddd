/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The table of elf/symbols.h, for those who build it and who send it. */
#ifndef DWELL_ELF_SYMBOLS_PRIVATE_H
#define DWELL_ELF_SYMBOLS_PRIVATE_H

#include "elf/symbols.h"
#include "util/vec.h"

#define ELF_SYMBOLS_MAX_NAMES_BYTES (512U << 20)
#define ELF_SYMBOLS_NO_PARENT UINT32_MAX

struct elf_symbols_entry {
	uint64_t start;
	uint64_t end;
	uint32_t name;   /* offset in names */
	uint32_t parent; /* the last entry before this one that covers its start, or
			    ELF_SYMBOLS_NO_PARENT */
};

struct elf_symbols {
	VEC(struct elf_symbols_entry) entries;
	VEC(char) names;
};

#endif
