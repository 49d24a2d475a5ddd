// SPDX-License-Identifier: GPL-2.0-or-later
/* Goes through .symtab and .dynsym: this is asked once for each name that a person gives. */
#include "elf/function.h"

#include <elf.h>
#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#include "elf/file.h"
#include "elf/section.h"

#define MAX_TABLE_BYTES (512ULL << 20)
#define MAX_STRING_BYTES (1ULL << 30)
#define VERSION_HIDDEN 0x8000

struct search {
	const struct elf_file *file;
	const char *name;
	size_t name_bytes;
	bool has_default; /* found as the default version, or without one */
	bool has_choice;  /* found as an IFUNC */
	bool is_found;
	bool is_ambiguous;
	uint64_t address;
};

/* The symbol's name is the wanted one, alone or with a version. */
static bool is_named(const struct search *search, const char *name, size_t room, bool *ret_default)
{
	const char *end = name + search->name_bytes;

	if (room <= search->name_bytes || strncmp(name, search->name, search->name_bytes))
		return false;
	*ret_default = !*end || (end[0] == '@' && room > search->name_bytes + 1 && end[1] == '@');
	return !*end || *end == '@';
}

/* A better one replaces what was found; an equally good one at another address makes it unclear. */
static void take(struct search *search, uint64_t address, bool is_default)
{
	if (search->is_found && search->has_default && !is_default)
		return;
	if (!search->is_found || (is_default && !search->has_default)) {
		search->is_found = true;
		search->is_ambiguous = false;
		search->has_default = is_default;
		search->address = address;
		return;
	}
	search->is_ambiguous |= search->address != address;
}

static void look_at(struct search *search, const Elf64_Sym *symbol,
	const struct elf_section *strings, bool is_hidden)
{
	unsigned int type = ELF64_ST_TYPE(symbol->st_info);
	bool is_default;

	if (symbol->st_shndx == SHN_UNDEF || symbol->st_name >= strings->count ||
		(type != STT_FUNC && type != STT_GNU_IFUNC) ||
		!is_named(search, (const char *)strings->bytes + symbol->st_name,
			strings->count - symbol->st_name, &is_default))
		return;
	if (type == STT_GNU_IFUNC)
		search->has_choice = true;
	else
		take(search, symbol->st_value, is_default && !is_hidden);
}

static int search_table(
	struct search *search, const char *table, const char *names, const char *versions_of)
{
	struct elf_section symbols, strings, versions = {0};
	int error = elf_section_read(search->file, table, MAX_TABLE_BYTES, &symbols);

	if (!error)
		error = elf_section_read(search->file, names, MAX_STRING_BYTES, &strings);
	if (error)
		return error == -ENOENT ? 0 : error;
	if (versions_of)
		elf_section_read(search->file, versions_of, MAX_TABLE_BYTES, &versions);
	for (size_t i = 0; i < symbols.count / sizeof(Elf64_Sym); i++) {
		Elf64_Sym symbol;
		Elf64_Half version = 0;
		memcpy(&symbol, symbols.bytes + i * sizeof(symbol), sizeof(symbol));
		if ((i + 1) * sizeof(version) <= versions.count)
			memcpy(&version, versions.bytes + i * sizeof(version), sizeof(version));
		look_at(search, &symbol, &strings, version & VERSION_HIDDEN);
	}
	return 0;
}

static int offset_of(const struct elf_file *file, uint64_t address, uint64_t *ret)
{
	const struct elf_segment *segments;
	size_t count = elf_file_segments(file, &segments);

	for (size_t i = 0; i < count; i++)
		if (address >= segments[i].vaddr &&
			address - segments[i].vaddr < segments[i].bytes) {
			*ret = address - segments[i].vaddr + segments[i].offset;
			return 0;
		}
	return -EBADMSG;
}

int elf_function_offset(const struct elf_file *file, const char *name, uint64_t *ret)
{
	struct search search = {.file = file, .name = name, .name_bytes = strlen(name)};
	int error = search_table(&search, ".symtab", ".strtab", NULL);

	if (!error)
		error = search_table(&search, ".dynsym", ".dynstr", ".gnu.version");
	if (error)
		return error;
	if (search.is_found)
		return search.is_ambiguous ? -ENOTUNIQ : offset_of(file, search.address, ret);
	return search.has_choice ? -ENOTSUP : -ENOENT;
}
