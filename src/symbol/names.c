// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Puts the sources together. They all describe the same code, so that one merged table, which picks
 * the best name of each address, serves for all. Names are demangled when they are first asked for.
 */
#include "symbol/names.h"

#include "elf/debug_link.h"
#include "elf/file.h"
#include "elf/pack.h"
#include "elf/ranges.h"
#include "elf/symbols.h"
#include "symbol/outside/parser.h"
#include "util/map64.h"
#include "util/mem.h"

struct object_names {
	struct elf_symbols *symbols; /* NULL: could not be read */
	struct elf_ranges *ranges;
	struct helpers *parsers; /* NULL: we demangle */
	struct map64 demangled;  /* start of a symbol -> char *, or 0 if its name stays */
};

static void close_elf(struct elf_file **file)
{
	elf_file_free(*file);
}

struct object_names *object_names_read(const struct elf_file *file, const struct elf_file *debug)
{
	struct object_names *names = xcalloc(1, sizeof(*names));
	_cleanup_free_ void *image = NULL;
	_cleanup_(close_elf) struct elf_file *packed = NULL;
	const struct elf_file *files[3] = {file};
	size_t count = 1, bytes;

	if (debug)
		files[count++] = debug;
	else if (!debug_data_unpack(file, &image, &bytes) &&
		 !elf_file_from_memory(image, bytes, &packed))
		files[count++] = packed;
	names->ranges = elf_ranges_read(file, debug);
	elf_symbols_merge(files, count, names->ranges, &names->symbols);
	return names;
}

struct object_names *object_names_read_variables(
	const struct elf_file *file, const struct elf_file *debug)
{
	struct object_names *names = xcalloc(1, sizeof(*names));
	const struct elf_file *files[] = {file, debug};

	names->ranges = elf_ranges_new();
	elf_symbols_merge_variables(files, debug ? 2 : 1, &names->symbols);
	return names;
}

void object_names_pack(const struct object_names *names, struct elf_bytes *bytes)
{
	char has_symbols = names->symbols != NULL;

	elf_bytes_add(bytes, &has_symbols, sizeof(has_symbols));
	if (has_symbols)
		elf_symbols_pack(names->symbols, bytes);
	elf_ranges_pack(names->ranges, bytes);
}

int object_names_unpack(struct elf_cursor *at, struct helpers *parsers, struct object_names **ret)
{
	struct object_names *names = xcalloc(1, sizeof(*names));
	char has_symbols;
	int error = elf_cursor_take(at, &has_symbols, sizeof(has_symbols));

	names->parsers = parsers;
	if (!error && has_symbols)
		error = elf_symbols_unpack(at, &names->symbols);
	if (!error)
		error = elf_ranges_unpack(at, &names->ranges);
	if (error)
		object_names_free(names);
	else
		*ret = names;
	return error;
}

uint64_t object_names_bytes(const struct object_names *names)
{
	return elf_ranges_bytes(names->ranges) +
	       (names->symbols ? elf_symbols_bytes(names->symbols) : 0);
}

void object_names_free(struct object_names *names)
{
	if (!names)
		return;
	for (size_t i = 0; i < names->demangled.room; i++)
		if (names->demangled.slots[i].is_used)
			free((char *)(uintptr_t)names->demangled.slots[i].value);
	map64_clear(&names->demangled);
	elf_symbols_free(names->symbols);
	elf_ranges_free(names->ranges);
	free(names);
}

bool object_names_any(const struct object_names *names)
{
	return names->symbols && elf_symbols_count(names->symbols);
}

bool object_names_symbol(struct object_names *names, uint64_t address, struct elf_symbol *ret)
{
	bool is_new;

	if (!names->symbols || !elf_symbols_find(names->symbols, address, ret))
		return false;
	uint64_t *known = map64_put(&names->demangled, ret->start, &is_new);
	if (is_new)
		*known = (uintptr_t)parser_demangle(names->parsers, ret->name);
	if (*known)
		ret->name = (const char *)(uintptr_t)*known;
	return true;
}

const char *object_names_find(struct object_names *names, uint64_t address, uint64_t *ret_start)
{
	struct elf_symbol symbol;

	if (!object_names_symbol(names, address, &symbol))
		return NULL;
	*ret_start = symbol.start;
	return symbol.name;
}

bool object_names_start(const struct object_names *names, uint64_t address, uint64_t *ret_start)
{
	struct elf_symbol symbol;
	struct elf_range range;

	if (names->symbols && elf_symbols_find(names->symbols, address, &symbol)) {
		*ret_start = symbol.start;
		return true;
	}
	if (!elf_ranges_find(names->ranges, address, &range))
		return false;
	*ret_start = range.start;
	return true;
}
