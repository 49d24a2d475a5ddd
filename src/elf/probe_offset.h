/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * May a place within a function be probed? A breakpoint goes into the program's code: one that is
 * not where an instruction begins changes an instruction, and the program with it. So a function is
 * read from its beginning up to the place, which is refused unless that leads to it exactly.
 */
#ifndef DWELL_ELF_PROBE_OFFSET_H
#define DWELL_ELF_PROBE_OFFSET_H

#include <stdbool.h>
#include <stdint.h>

struct elf_file;

enum elf_offset_kind {
	ELF_OFFSET_FITS,
	ELF_OFFSET_BEHIND,  /* the function, or the code that is there, ends before it */
	ELF_OFFSET_WITHIN,  /* an instruction begins before and ends behind it */
	ELF_OFFSET_UNKNOWN, /* what is before it, or there, is not understood */
	ELF_OFFSET_NOP5,    /* a nop that must not be probed: elf/x86_length.h */
	ELF_OFFSET_MACHINE, /* the code is not that of x86-64 */
	ELF_OFFSET_KINDS,
};

/* Plain data, so that it can be sent as bytes. Counted from the function's beginning. */
struct elf_offset {
	uint64_t kind;
	uint64_t bytes;  /* ELF_OFFSET_BEHIND: of the function */
	uint64_t before; /* WITHIN: where that instruction begins; UNKNOWN: where it is not known */
	uint64_t behind; /* WITHIN: where the next one begins; 0: none of the function does */
};

/* The function begins at an offset in the file, and has so many bytes; 0: that is not known. */
struct elf_offset elf_offset_check(
	const struct elf_file *file, uint64_t begin, uint64_t bytes, uint64_t wanted);
/* Is it what elf_offset_check() makes of some function for this offset? */
bool elf_offset_is_sound(const struct elf_offset *offset, uint64_t wanted);

#endif
