/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Where the functions of a file begin and end, without their names: from its call frame
 * information, which stripped programs keep. One sorted table; only ranges inside executable
 * segments.
 */
#ifndef DWELL_ELF_RANGES_H
#define DWELL_ELF_RANGES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct elf_file;
struct elf_ranges;
struct elf_bytes;
struct elf_cursor;

struct elf_range {
	uint64_t start;
	uint64_t end;
};

/*
 * Reads .eh_frame and .debug_frame of the file and of its separate debug file (NULL: there is
 * none). Never NULL: a file that has neither, or a damaged one, has few ranges.
 */
struct elf_ranges *elf_ranges_read(const struct elf_file *file, const struct elf_file *debug);
/* Only those into whose middle the unwinder may lead: functions that catch or clean up. */
struct elf_ranges *elf_ranges_read_catching(const struct elf_file *file);
/* Without any range, for tables that are not of functions. */
struct elf_ranges *elf_ranges_new(void);
/* As bytes and back, see elf_symbols_pack(). */
void elf_ranges_pack(const struct elf_ranges *ranges, struct elf_bytes *bytes);
int elf_ranges_unpack(struct elf_cursor *at, struct elf_ranges **ret);
uint64_t elf_ranges_bytes(const struct elf_ranges *ranges);
/* NULL is allowed. */
void elf_ranges_free(struct elf_ranges *ranges);

size_t elf_ranges_count(const struct elf_ranges *ranges);
/* The range around the address. */
bool elf_ranges_find(const struct elf_ranges *ranges, uint64_t address, struct elf_range *ret);
/* The first address after this one at which a range starts, or UINT64_MAX. */
uint64_t elf_ranges_next_start(const struct elf_ranges *ranges, uint64_t address);

#endif
