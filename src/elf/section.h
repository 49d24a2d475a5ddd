/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The bytes of one section of an ELF file, found by its name. */
#ifndef DWELL_ELF_SECTION_H
#define DWELL_ELF_SECTION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct elf_file;

struct elf_section {
	const unsigned char *bytes; /* borrowed from the file */
	size_t count;
	uint64_t vaddr;
};

/* Is there one with bytes of its own? */
bool elf_section_exists(const struct elf_file *file, const char *name);
/*
 * 0, -ENOENT if there is none with bytes of its own, -E2BIG if it is larger than the limit,
 * -EBADMSG if it is damaged or compressed.
 */
int elf_section_read(
	const struct elf_file *file, const char *name, uint64_t limit, struct elf_section *ret);
/*
 * The same for one that may be compressed; the limit is on what comes out. The bytes are then the
 * caller's to free: *ret_owned, else NULL. -ENOTSUP: compressed in a way that we do not know.
 */
int elf_section_unpack(const struct elf_file *file, const char *name, uint64_t limit,
	struct elf_section *ret, void **ret_owned);

#endif
