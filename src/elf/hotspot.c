// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * HotSpot has a table of its options, in which each has its name beside the address of its value:
 * {address, name} since JDK 16, {type, name, address} before. The dynamic linker fills in both, so
 * they are found by relocations: the one that refers to the name, and its neighbour that refers to
 * memory that can be written. Seen in OpenJDK 17 and 25.
 */
#include "elf/hotspot.h"

#include <elf.h>
#include <gelf.h>
#include <string.h>

#include "elf/file.h"
#include "elf/section.h"
#include "util/mem.h"

#define SONAME "libjvm.so"
#define OPTION "PreserveFramePointer"
/* Real ones have 1 MiB and a quarter of one. */
#define MAX_TEXTS_BYTES (16ULL << 20)
#define MAX_RELOCATION_BYTES (16ULL << 20)

static bool is_hotspot(Elf *elf)
{
	Elf_Scn *section = NULL;
	GElf_Shdr header;
	GElf_Dyn entry;

	while ((section = elf_nextscn(elf, section)))
		if (gelf_getshdr(section, &header) && header.sh_type == SHT_DYNAMIC)
			break;
	Elf_Data *data = section ? elf_getdata(section, NULL) : NULL;
	for (int i = 0; data && gelf_getdyn(data, i, &entry) && entry.d_tag != DT_NULL; i++) {
		if (entry.d_tag != DT_SONAME)
			continue;
		const char *name = elf_strptr(elf, header.sh_link, entry.d_un.d_val);
		return name && !strcmp(name, SONAME);
	}
	return false;
}

static bool is_writable(Elf *elf, uint64_t address)
{
	Elf_Scn *section = NULL;
	GElf_Shdr header;

	while ((section = elf_nextscn(elf, section)))
		if (gelf_getshdr(section, &header) && header.sh_flags & SHF_ALLOC &&
			header.sh_flags & SHF_WRITE && address >= header.sh_addr &&
			address - header.sh_addr < header.sh_size)
			return true;
	return false;
}

/* The next relocation of an address that only depends on where the file is mapped. */
static bool next_relocation(const struct elf_section *section, size_t *at, Elf64_Rela *ret)
{
	while (*at + sizeof(*ret) <= section->count) {
		memcpy(ret, section->bytes + *at, sizeof(*ret));
		*at += sizeof(*ret);
		if (ELF64_R_TYPE(ret->r_info) == R_X86_64_RELATIVE)
			return true;
	}
	return false;
}

/* The address of the option's name; 0 if there is none. */
static uint64_t find_name(const struct elf_section *texts)
{
	for (size_t at = 0; at < texts->count;) {
		const unsigned char *found =
			memmem(texts->bytes + at, texts->count - at, OPTION, sizeof(OPTION));
		if (!found)
			return 0;
		at = (size_t)(found - texts->bytes);
		if (!at || !found[-1])
			return texts->vaddr + at;
		at++;
	}
	return 0;
}

bool hotspot_find_flag(const struct elf_file *file, uint64_t *ret)
{
	Elf *elf = elf_file_handle(file);
	struct elf_section texts, relocations;
	uint64_t name, place = 0;
	Elf64_Rela relocation;

	if (!is_hotspot(elf) || elf_section_read(file, ".rodata", MAX_TEXTS_BYTES, &texts) ||
		elf_section_read(file, ".rela.dyn", MAX_RELOCATION_BYTES, &relocations))
		return false;
	name = find_name(&texts);
	if (!name)
		return false;
	for (size_t at = 0; !place && next_relocation(&relocations, &at, &relocation);)
		if ((uint64_t)relocation.r_addend == name)
			place = relocation.r_offset;
	if (!place)
		return false;
	for (size_t at = 0; next_relocation(&relocations, &at, &relocation);)
		if ((relocation.r_offset == place - sizeof(uint64_t) ||
			    relocation.r_offset == place + sizeof(uint64_t)) &&
			is_writable(elf, (uint64_t)relocation.r_addend)) {
			*ret = (uint64_t)relocation.r_addend;
			return true;
		}
	return false;
}
