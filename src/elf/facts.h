/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What is known of an ELF file once its headers were read: plain data, which may come from another
 * process that read them, and is checked then.
 */
#ifndef DWELL_ELF_FACTS_H
#define DWELL_ELF_FACTS_H

#include "elf/debug_link.h"
#include "elf/file.h"

#define ELF_BUILD_ID_ROOM 129

struct elf_facts {
	char build_id[ELF_BUILD_ID_ROOM]; /* lower-case hex, or "" */
	bool has_symbols;                 /* a .symtab: no separate debug file is needed */
	bool has_link;
	struct debug_link link;
	uint64_t java_flag; /* hotspot_find_flag(), 0: none */
	struct elf_extent extent;
	uint32_t segment_count;
	struct elf_segment segments[ELF_MAX_SEGMENTS];
};

void elf_facts_take(const struct elf_file *file, struct elf_facts *ret);
/* Is it what elf_facts_take() makes of some file? */
bool elf_facts_are_sound(const struct elf_facts *facts);

#endif
