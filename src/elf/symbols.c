// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Builds the sorted table of functions, or of variables: all candidates of all symbol tables,
 * sorted so that the best name of an address comes first, then thinned to one per address.
 * Functions may overlap (several entry points into one body): each entry knows the one that it
 * starts in, so a look-up is a binary search and a short climb outwards.
 */
#include "elf/symbols.h"

#include <elf.h>
#include <errno.h>
#include <gelf.h>
#include <libelf.h>
#include <string.h>

#include "elf/file.h"
#include "elf/ranges.h"
#include "elf/symbols_private.h"
#include "util/mem.h"

#define MAX_SYMBOLS (8U << 20)
#define MAX_TABLE_BYTES ((uint64_t)MAX_SYMBOLS * sizeof(Elf64_Sym))
#define MAX_STRING_BYTES (1ULL << 30)
/* Longer names are cut: a hostile file may point millions of symbols at one endless name. */
#define MAX_NAME_BYTES 4096
#define MAX_NESTING 32

struct section {
	uint64_t start;
	uint64_t end;
	bool is_wanted; /* holds what the table is of */
};

struct candidate {
	uint64_t start;
	uint64_t end;   /* start: unknown */
	uint64_t limit; /* end of its section */
	const char *name;
	uint16_t name_bytes;
	uint16_t underscores;
	uint8_t binding_rank;
	bool is_label;
};

struct build {
	bool is_of_variables;
	Elf *elf; /* the file at hand, with its sections */
	VEC(struct section) sections;
	VEC(struct candidate) candidates;
	const struct elf_ranges *ranges;
};

static uint8_t binding_rank(unsigned int binding)
{
	switch (binding) {
	case STB_GLOBAL:
	case STB_GNU_UNIQUE:
		return 0;
	case STB_LOCAL:
		return 1;
	default:
		return 2;
	}
}

static bool is_wanted(const struct build *build, const GElf_Shdr *header)
{
	const uint64_t memory = SHF_ALLOC | SHF_WRITE;

	if (header->sh_type == SHT_NULL)
		return false;
	/* What is thread-local has offsets for addresses. */
	if (build->is_of_variables)
		return (header->sh_flags & memory) == memory && !(header->sh_flags & SHF_TLS);
	return header->sh_flags & SHF_EXECINSTR;
}

static int read_sections(struct build *build)
{
	GElf_Ehdr file_header;
	size_t count;

	build->sections.count = 0;
	/* libelf takes headers beyond the end of the file for none at all. */
	if (elf_getshdrnum(build->elf, &count) || !gelf_getehdr(build->elf, &file_header) ||
		count != file_header.e_shnum)
		return -EBADMSG;
	for (size_t i = 0; i < count; i++) {
		struct section section = {0};
		GElf_Shdr header;
		if (!gelf_getshdr(elf_getscn(build->elf, i), &header))
			return -EBADMSG;
		section.start = header.sh_addr;
		section.is_wanted =
			is_wanted(build, &header) &&
			!__builtin_add_overflow(header.sh_addr, header.sh_size, &section.end);
		vec_push(&build->sections, section);
	}
	return 0;
}

/* Assembler code often lacks the type, but then a size tells a function from a mark in one. */
static bool may_be_function(const GElf_Sym *symbol)
{
	switch (GELF_ST_TYPE(symbol->st_info)) {
	case STT_FUNC:
	case STT_GNU_IFUNC:
		return symbol->st_shndx != SHN_UNDEF;
	case STT_NOTYPE:
		return symbol->st_shndx != SHN_UNDEF && symbol->st_size;
	default:
		return false;
	}
}

/* STT_COMMON is what `ld -z common` makes of a variable without an initial value. */
static bool may_be_variable(const GElf_Sym *symbol)
{
	switch (GELF_ST_TYPE(symbol->st_info)) {
	case STT_OBJECT:
	case STT_COMMON:
	case STT_NOTYPE:
		return symbol->st_shndx != SHN_UNDEF && symbol->st_size;
	default:
		return false;
	}
}

static bool may_be_entry(const struct build *build, const GElf_Sym *symbol)
{
	return build->is_of_variables ? may_be_variable(symbol) : may_be_function(symbol);
}

static void take_name(struct candidate *candidate, const Elf_Data *strings, size_t at)
{
	size_t room = strings->d_size - at;

	candidate->name = (const char *)strings->d_buf + at;
	candidate->name_bytes =
		strnlen(candidate->name, room < MAX_NAME_BYTES ? room : MAX_NAME_BYTES);
	const char *version = memchr(candidate->name, '@', candidate->name_bytes);
	if (version)
		candidate->name_bytes = version - candidate->name;
	while (candidate->underscores < candidate->name_bytes &&
		candidate->name[candidate->underscores] == '_')
		candidate->underscores++;
}

static void add_candidate(struct build *build, const GElf_Sym *symbol, const Elf_Data *strings)
{
	struct candidate candidate = {.start = symbol->st_value};
	const struct section *section;

	if (!may_be_entry(build, symbol) || symbol->st_shndx >= build->sections.count ||
		symbol->st_name >= strings->d_size)
		return;
	section = &build->sections.at[symbol->st_shndx];
	if (!section->is_wanted || candidate.start < section->start ||
		candidate.start >= section->end)
		return;
	candidate.limit = section->end;
	candidate.end = symbol->st_size > section->end - candidate.start
				? section->end
				: candidate.start + symbol->st_size;
	take_name(&candidate, strings, symbol->st_name);
	if (!candidate.name_bytes || build->candidates.count == MAX_SYMBOLS)
		return;
	candidate.is_label = GELF_ST_TYPE(symbol->st_info) == STT_NOTYPE;
	candidate.binding_rank = binding_rank(GELF_ST_BIND(symbol->st_info));
	vec_push(&build->candidates, candidate);
}

/* The bytes of a section, within bounds and really in the file. */
static int read_data(Elf_Scn *section, const GElf_Shdr *header, uint64_t limit, Elf_Data **ret)
{
	Elf_Data *data;

	if (header->sh_type == SHT_NOBITS || (header->sh_flags & SHF_COMPRESSED))
		return -EBADMSG;
	if (header->sh_size > limit)
		return -E2BIG;
	data = elf_getdata(section, NULL);
	if (!data || (data->d_size && !data->d_buf))
		return -EBADMSG;
	*ret = data;
	return 0;
}

static int read_table(struct build *build, Elf_Scn *section, const GElf_Shdr *header)
{
	Elf_Scn *string_section = elf_getscn(build->elf, header->sh_link);
	Elf_Data *data, *strings;
	GElf_Shdr string_header;
	int err;

	if (header->sh_entsize != sizeof(Elf64_Sym) ||
		!gelf_getshdr(string_section, &string_header) ||
		string_header.sh_type != SHT_STRTAB)
		return -EBADMSG;
	err = read_data(section, header, MAX_TABLE_BYTES, &data);
	if (!err)
		err = read_data(string_section, &string_header, MAX_STRING_BYTES, &strings);
	if (err)
		return err;
	for (size_t i = 0; i < data->d_size / sizeof(Elf64_Sym); i++) {
		GElf_Sym symbol;
		if (gelf_getsym(data, (int)i, &symbol))
			add_candidate(build, &symbol, strings);
	}
	return 0;
}

/* The gABI allows one table of each type; a damaged one does not spoil the other. */
static int read_tables(struct build *build)
{
	const uint32_t types[] = {SHT_SYMTAB, SHT_DYNSYM};
	int result = 0;

	for (size_t i = 0; i < ARRAY_SIZE(types); i++) {
		Elf_Scn *section = NULL;
		while ((section = elf_nextscn(build->elf, section))) {
			GElf_Shdr header;
			if (!gelf_getshdr(section, &header) || header.sh_type != types[i])
				continue;
			int err = read_table(build, section, &header);
			if (err)
				result = err;
			break;
		}
	}
	return result;
}

static int compare_names(const struct candidate *a, const struct candidate *b)
{
	if (a->name_bytes != b->name_bytes)
		return a->name_bytes < b->name_bytes ? -1 : 1;
	return memcmp(a->name, b->name, a->name_bytes);
}

static int compare_candidates(const void *left, const void *right)
{
	const struct candidate *a = left, *b = right;
	bool a_has_size = a->end > a->start, b_has_size = b->end > b->start;

	if (a->start != b->start)
		return a->start < b->start ? -1 : 1;
	if (a_has_size != b_has_size)
		return a_has_size ? -1 : 1;
	if (a->is_label != b->is_label)
		return a->is_label ? 1 : -1;
	if (a->underscores != b->underscores)
		return a->underscores < b->underscores ? -1 : 1;
	if (a->binding_rank != b->binding_rank)
		return a->binding_rank < b->binding_rank ? -1 : 1;
	int order = compare_names(a, b);
	if (order)
		return order;
	return a->end != b->end ? (a->end > b->end ? -1 : 1) : 0;
}

/* Keeps the first, best candidate of each address. */
static void drop_aliases(struct build *build)
{
	struct candidate *at = build->candidates.at;
	size_t kept = 0;

	for (size_t i = 0; i < build->candidates.count; i++)
		if (!kept || at[kept - 1].start != at[i].start)
			at[kept++] = at[i];
	build->candidates.count = kept;
}

/* Where a function that starts here must have ended, as far as is known without names. */
static uint64_t bound_of(const struct build *build, uint64_t start)
{
	struct elf_range range;

	if (!build->ranges)
		return UINT64_MAX;
	if (elf_ranges_find(build->ranges, start, &range))
		return range.end;
	return elf_ranges_next_start(build->ranges, start);
}

static void end_sizeless(struct build *build)
{
	struct candidate *at = build->candidates.at;

	for (size_t i = 0; i < build->candidates.count; i++) {
		uint64_t bound;
		if (at[i].end > at[i].start)
			continue;
		bound = bound_of(build, at[i].start);
		at[i].end = bound < at[i].limit ? bound : at[i].limit;
		if (i + 1 < build->candidates.count && at[i + 1].start < at[i].end)
			at[i].end = at[i + 1].start;
	}
}

static int add_entry(struct elf_symbols *symbols, const struct candidate *candidate)
{
	struct elf_symbols_entry entry = {candidate->start, candidate->end,
		(uint32_t)symbols->names.count, ELF_SYMBOLS_NO_PARENT};
	/* Whatever ended at or before our start is done with: climb to the first that goes on. */
	uint32_t parent = symbols->entries.count ? (uint32_t)symbols->entries.count - 1
						 : ELF_SYMBOLS_NO_PARENT;

	if (symbols->names.count + candidate->name_bytes + 1 > ELF_SYMBOLS_MAX_NAMES_BYTES)
		return -E2BIG;
	while (parent != ELF_SYMBOLS_NO_PARENT && symbols->entries.at[parent].end <= entry.start)
		parent = symbols->entries.at[parent].parent;
	entry.parent = parent;
	vec_append(&symbols->names, candidate->name, candidate->name_bytes);
	vec_push(&symbols->names, '\0');
	vec_push(&symbols->entries, entry);
	return 0;
}

static int read_file(struct build *build, const struct elf_file *file)
{
	int err;

	build->elf = elf_file_handle(file);
	err = read_sections(build);
	return err ? err : read_tables(build);
}

static int fill(struct elf_symbols *symbols, struct build *build)
{
	vec_sort(&build->candidates, compare_candidates);
	drop_aliases(build);
	end_sizeless(build);
	vec_each (candidate, &build->candidates) {
		int err = add_entry(symbols, candidate);
		if (err)
			return err;
	}
	return 0;
}

static int merge(struct build *build, const struct elf_file *const *files, size_t count,
	struct elf_symbols **ret)
{
	struct elf_symbols *symbols = xcalloc(1, sizeof(*symbols));
	int err = 0;

	for (size_t i = 0; i < count; i++) {
		int file_err = read_file(build, files[i]);
		err = err ? err : file_err;
	}
	if (build->candidates.count)
		err = fill(symbols, build);
	vec_clear(&build->sections);
	vec_clear(&build->candidates);
	if (err) {
		elf_symbols_free(symbols);
		return err;
	}
	*ret = symbols;
	return 0;
}

int elf_symbols_merge(const struct elf_file *const *files, size_t count,
	const struct elf_ranges *ranges, struct elf_symbols **ret)
{
	struct build build = {.ranges = ranges};

	return merge(&build, files, count, ret);
}

int elf_symbols_merge_variables(
	const struct elf_file *const *files, size_t count, struct elf_symbols **ret)
{
	struct build build = {.is_of_variables = true};

	return merge(&build, files, count, ret);
}

int elf_symbols_read(const struct elf_file *file, struct elf_symbols **ret)
{
	return elf_symbols_merge(&file, 1, NULL, ret);
}

void elf_symbols_free(struct elf_symbols *symbols)
{
	if (!symbols)
		return;
	vec_clear(&symbols->entries);
	vec_clear(&symbols->names);
	free(symbols);
}

size_t elf_symbols_count(const struct elf_symbols *symbols)
{
	return symbols->entries.count;
}

struct elf_symbol elf_symbols_at(const struct elf_symbols *symbols, size_t position)
{
	const struct elf_symbols_entry *entry = &symbols->entries.at[position];

	return (struct elf_symbol){entry->start, entry->end, symbols->names.at + entry->name};
}

bool elf_symbols_find(const struct elf_symbols *symbols, uint64_t address, struct elf_symbol *ret)
{
	const struct elf_symbols_entry *entries = symbols->entries.at;
	size_t low = 0, high = symbols->entries.count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;
		if (entries[middle].start <= address)
			low = middle + 1;
		else
			high = middle;
	}
	uint32_t at = low ? (uint32_t)low - 1 : ELF_SYMBOLS_NO_PARENT;
	for (unsigned int climbed = 0; at != ELF_SYMBOLS_NO_PARENT && climbed < MAX_NESTING;
		climbed++) {
		if (address < entries[at].end) {
			*ret = elf_symbols_at(symbols, at);
			return true;
		}
		at = entries[at].parent;
	}
	return false;
}
