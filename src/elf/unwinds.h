/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * May functions of a file be left without returning, or have their stacks moved or exchanged while
 * they run? A return address that a probe has taken would then end the program: exceptions of C++
 * and panics of Rust find no way through it, Go's stacks grow, and where stacks take turns the
 * kernel finds another return than the one that it expects.
 */
#ifndef DWELL_ELF_UNWINDS_H
#define DWELL_ELF_UNWINDS_H

#include <stdbool.h>

struct elf_file;

enum elf_unwinds {
	ELF_UNWINDS_NOT,
	ELF_UNWINDS_EXCEPTIONS,
	ELF_UNWINDS_GO,
	ELF_UNWINDS_SWITCHES, /* stacks take turns: coroutines, fibres */
	ELF_UNWINDS_KINDS,
};

/*
 * By the names that a file defines or asks for, by the personality routines of its call frame
 * information, and by Go's own sections.
 */
enum elf_unwinds elf_unwinds(const struct elf_file *file);
/* Does it ask for the function by which programs load other code while they run? */
bool elf_loads_code(const struct elf_file *file);

#endif
