// SPDX-License-Identifier: GPL-2.0-or-later
/* Goes through .symtab and .dynsym: this is asked once for each name that a person gives. */
#include "elf/function.h"

#include <elf.h>
#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#include "elf/file.h"
#include "elf/function_private.h"
#include "elf/section.h"

#define MAX_TABLE_BYTES (512ULL << 20)
#define MAX_STRING_BYTES (1ULL << 30)
#define VERSION_HIDDEN 0x8000

struct search {
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

static void look_at(void *context, const struct elf_function_symbol *symbol)
{
	struct search *search = context;
	bool is_default;

	if (!is_named(search, symbol->name, symbol->room, &is_default))
		return;
	if (symbol->is_choice)
		search->has_choice = true;
	else
		take(search, symbol->address, is_default && !symbol->is_hidden);
}

static int each_of_table(const struct elf_file *file, const char *table, const char *names,
	const char *versions_of,
	void (*each)(void *context, const struct elf_function_symbol *symbol), void *context)
{
	struct elf_section symbols, strings, versions = {0};
	int error = elf_section_read(file, table, MAX_TABLE_BYTES, &symbols);

	if (!error)
		error = elf_section_read(file, names, MAX_STRING_BYTES, &strings);
	if (error)
		return error == -ENOENT ? 0 : error;
	if (versions_of)
		elf_section_read(file, versions_of, MAX_TABLE_BYTES, &versions);
	for (size_t i = 0; i < symbols.count / sizeof(Elf64_Sym); i++) {
		Elf64_Sym symbol;
		Elf64_Half version = 0;
		memcpy(&symbol, symbols.bytes + i * sizeof(symbol), sizeof(symbol));
		unsigned int type = ELF64_ST_TYPE(symbol.st_info);
		if (symbol.st_shndx == SHN_UNDEF || symbol.st_name >= strings.count ||
			(type != STT_FUNC && type != STT_GNU_IFUNC))
			continue;
		if ((i + 1) * sizeof(version) <= versions.count)
			memcpy(&version, versions.bytes + i * sizeof(version), sizeof(version));
		each(context, &(struct elf_function_symbol){
				      .name = (const char *)strings.bytes + symbol.st_name,
				      .room = strings.count - symbol.st_name,
				      .address = symbol.st_value,
				      .bytes = symbol.st_size,
				      .is_choice = type == STT_GNU_IFUNC,
				      .is_hidden = version & VERSION_HIDDEN});
	}
	return 0;
}

int elf_function_each(const struct elf_file *file,
	void (*each)(void *context, const struct elf_function_symbol *symbol), void *context)
{
	int error = each_of_table(file, ".symtab", ".strtab", NULL, each, context);

	return error ? error
		     : each_of_table(file, ".dynsym", ".dynstr", ".gnu.version", each, context);
}

int elf_function_place(const struct elf_file *file, uint64_t address, uint64_t *ret)
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
	struct search search = {.name = name, .name_bytes = strlen(name)};
	int error = elf_function_each(file, look_at, &search);

	if (error)
		return error;
	if (search.is_found)
		return search.is_ambiguous ? -ENOTUNIQ
					   : elf_function_place(file, search.address, ret);
	return search.has_choice ? -ENOTSUP : -ENOENT;
}
