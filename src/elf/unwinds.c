// SPDX-License-Identifier: GPL-2.0-or-later
/* Personality routines are what unwinding asks each frame: whoever has one is unwound through. */
#include "elf/unwinds.h"

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#include "elf/section.h"

#define MAX_STRING_BYTES (1ULL << 30)

static bool names_any(const struct elf_file *file, const char *section)
{
	/* With the NUL before and behind each, so that it is a whole name. */
	static const char cpp[] = "\0__gxx_personality_v0";
	static const char rust[] = "\0rust_eh_personality";
	static const char resume[] = "\0_Unwind_Resume";
	struct elf_section strings;

	if (elf_section_read(file, section, MAX_STRING_BYTES, &strings))
		return false;
	return memmem(strings.bytes, strings.count, cpp, sizeof(cpp)) ||
	       memmem(strings.bytes, strings.count, rust, sizeof(rust)) ||
	       memmem(strings.bytes, strings.count, resume, sizeof(resume));
}

enum elf_unwinds elf_unwinds(const struct elf_file *file)
{
	if (elf_section_exists(file, ".gopclntab") ||
		elf_section_exists(file, ".note.go.buildid") ||
		elf_section_exists(file, ".go.buildinfo"))
		return ELF_UNWINDS_GO;
	return names_any(file, ".dynstr") || names_any(file, ".strtab") ? ELF_UNWINDS_EXCEPTIONS
									: ELF_UNWINDS_NOT;
}
