// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Personality routines are what unwinding asks each frame: whoever has one is unwound through.
 * Their names are in a file that shares its language's runtime; in one that holds the runtime
 * itself, and has no symbols left, only the call frame information says that there is one. C has a
 * routine of its own, for clean-ups of threads that are cancelled; the C library has it under no
 * name.
 */
#include "elf/unwinds.h"

#include <gelf.h>
#include <libelf.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#include "elf/eh_frame.h"
#include "elf/file.h"
#include "elf/section.h"
#include "util/mem.h"

#define MAX_STRING_BYTES (1ULL << 30)
#define MAX_FRAME_BYTES (1ULL << 30)
#define MAX_DYNAMIC_BYTES (1ULL << 20)

/* With the NUL before and behind each, so that it is a whole name. */
static const char cpp[] = "\0__gxx_personality_v0";
static const char rust[] = "\0rust_eh_personality";
static const char resume[] = "\0_Unwind_Resume";
static const char of_c[] = "\0__gcc_personality_v0";

/* What exchanges stacks: the C library's functions, and those of what runs coroutines. */
static const char *const switchers[] = {"swapcontext", "makecontext", "setcontext", "jump_fcontext",
	"ontop_fcontext", "coroutine_transfer", "slp_switch", "g_switchstack", "co_switch",
	"coro_transfer", "aco_resume", "qemu_coroutine_new"};

static bool names(const struct elf_section *strings, const char *name, size_t bytes)
{
	return memmem(strings->bytes, strings->count, name, bytes) != NULL;
}

static bool names_any(const struct elf_file *file, const char *section)
{
	struct elf_section strings;

	return !elf_section_read(file, section, MAX_STRING_BYTES, &strings) &&
	       (names(&strings, cpp, sizeof(cpp)) || names(&strings, rust, sizeof(rust)) ||
		       names(&strings, resume, sizeof(resume)));
}

static bool names_that_of_c(const struct elf_file *file, const char *section)
{
	struct elf_section strings;

	return !elf_section_read(file, section, MAX_STRING_BYTES, &strings) &&
	       names(&strings, of_c, sizeof(of_c));
}

/* The name by which programs ask for a library, borrowed; NULL: it has none. */
static const char *name_of_library(const struct elf_file *file)
{
	struct elf_section strings, dynamic;

	if (elf_section_read(file, ".dynstr", MAX_STRING_BYTES, &strings) ||
		elf_section_read(file, ".dynamic", MAX_DYNAMIC_BYTES, &dynamic))
		return NULL;
	for (size_t i = 0; i < dynamic.count / sizeof(Elf64_Dyn); i++) {
		Elf64_Dyn entry;
		memcpy(&entry, dynamic.bytes + i * sizeof(entry), sizeof(entry));
		uint64_t at = entry.d_un.d_val;
		if (entry.d_tag == DT_SONAME && at < strings.count &&
			memchr(strings.bytes + at, '\0', strings.count - at))
			return (const char *)strings.bytes + at;
	}
	return NULL;
}

/* glibc and musl, and what glibc had in files of their own before 2.34. */
static bool is_runtime_of_c(const struct elf_file *file)
{
	static const char *const runtimes[] = {"libc.so.", "libc.musl-", "libpthread.so.",
		"librt.so.", "libanl.so.", "libthread_db.so.", "ld-linux", "ld-musl-", "ld64.so."};
	const char *name = name_of_library(file);

	for (size_t i = 0; name && i < ARRAY_SIZE(runtimes); i++)
		if (!strncmp(name, runtimes[i], strlen(runtimes[i])))
			return true;
	return false;
}

/* How many different routines frames have; 2 stands for more. */
static unsigned int count_personalities(const struct elf_file *file)
{
	struct elf_section section;
	struct eh_frame frames;
	struct eh_fde fde;
	unsigned int count = 0;
	uint64_t first = 0;

	if (elf_section_read(file, ".eh_frame", MAX_FRAME_BYTES, &section))
		return 0;
	eh_frame_init(&frames, EH_FRAME_RUNTIME, section.bytes, section.count, section.vaddr);
	while (count < 2 && eh_frame_next(&frames, &fde)) {
		if (!fde.cie.has_personality || (count && fde.cie.personality == first))
			continue;
		first = fde.cie.personality;
		count++;
	}
	return count;
}

static bool has_exceptions(const struct elf_file *file)
{
	if (names_any(file, ".dynstr") || names_any(file, ".strtab"))
		return true;
	unsigned int count = count_personalities(file);
	if (!count || is_runtime_of_c(file))
		return false;
	bool is_of_c = names_that_of_c(file, ".dynstr") || names_that_of_c(file, ".strtab");
	return count > 1 || !is_of_c;
}

bool elf_loads_code(const struct elf_file *file)
{
	static const char loader[] = "\0dlopen", by_name[] = "\0dlmopen";
	struct elf_section strings;

	return !elf_section_read(file, ".dynstr", MAX_STRING_BYTES, &strings) &&
	       (names(&strings, loader, sizeof(loader)) ||
		       names(&strings, by_name, sizeof(by_name)));
}

static bool names_switcher(const struct elf_file *file, const char *section)
{
	struct elf_section strings;

	if (elf_section_read(file, section, MAX_STRING_BYTES, &strings))
		return false;
	for (size_t i = 0; i < ARRAY_SIZE(switchers); i++) {
		/* With the NUL before and behind. */
		char name[32] = "";
		size_t bytes = strlen(switchers[i]) + 2;
		memcpy(name + 1, switchers[i], bytes - 1);
		if (names(&strings, name, bytes))
			return true;
	}
	return false;
}

enum elf_unwinds elf_unwinds(const struct elf_file *file)
{
	if (elf_section_exists(file, ".gopclntab") ||
		elf_section_exists(file, ".note.go.buildid") ||
		elf_section_exists(file, ".go.buildinfo"))
		return ELF_UNWINDS_GO;
	if (has_exceptions(file))
		return ELF_UNWINDS_EXCEPTIONS;
	/* The C library has these functions for others. */
	bool is_switching = names_switcher(file, ".dynstr") || names_switcher(file, ".strtab");
	return is_switching && !is_runtime_of_c(file) ? ELF_UNWINDS_SWITCHES : ELF_UNWINDS_NOT;
}
