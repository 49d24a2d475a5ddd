/* SPDX-License-Identifier: GPL-2.0-or-later */
/* An ELF image made symbol by symbol, for the tests of symbol tables. Include after cmocka. */
#ifndef DWELL_TESTS_SYMBOL_IMAGE_H
#define DWELL_TESTS_SYMBOL_IMAGE_H

#include <elf.h>
#include <string.h>

#include "elf/file.h"
#include "elf/symbols.h"
#include "util/mem.h"

enum { TEXT = 1, MORE_TEXT, DATA, SYMTAB, STRTAB, SECTIONS };

/* Code is at 0x1000-0x2000 and 0x3000-0x4000, data at 0x5000-0x6000. */
struct image {
	Elf64_Ehdr header;
	Elf64_Shdr sections[SECTIONS];
	Elf64_Sym symbols[16];
	char strings[256];
};

static inline void image_init(struct image *image)
{
	*image = (struct image){.header = {.e_type = ET_DYN,
					.e_version = EV_CURRENT,
					.e_ehsize = sizeof(Elf64_Ehdr),
					.e_phentsize = sizeof(Elf64_Phdr),
					.e_shoff = offsetof(struct image, sections),
					.e_shentsize = sizeof(Elf64_Shdr),
					.e_shnum = SECTIONS}};
	memcpy(image->header.e_ident, ELFMAG, SELFMAG);
	image->header.e_ident[EI_CLASS] = ELFCLASS64;
	image->header.e_ident[EI_DATA] = ELFDATA2LSB;
	image->header.e_ident[EI_VERSION] = EV_CURRENT;
	for (int i = TEXT; i <= DATA; i++)
		image->sections[i] = (Elf64_Shdr){.sh_type = SHT_NOBITS,
			.sh_flags = SHF_ALLOC | (i == DATA ? SHF_WRITE : SHF_EXECINSTR),
			.sh_addr = 0x2000U * (unsigned int)i - 0x1000,
			.sh_size = 0x1000};
	image->sections[SYMTAB] = (Elf64_Shdr){.sh_type = SHT_SYMTAB,
		.sh_offset = offsetof(struct image, symbols),
		.sh_size = sizeof(Elf64_Sym),
		.sh_link = STRTAB,
		.sh_entsize = sizeof(Elf64_Sym),
		.sh_addralign = 8};
	image->sections[STRTAB] = (Elf64_Shdr){
		.sh_type = SHT_STRTAB, .sh_offset = offsetof(struct image, strings), .sh_size = 1};
}

static inline void image_add(struct image *image, int section, unsigned int info, uint64_t start,
	uint64_t size, const char *name)
{
	Elf64_Shdr *table = &image->sections[SYMTAB], *strings = &image->sections[STRTAB];
	size_t count = table->sh_size / sizeof(Elf64_Sym);

	assert_true(count < ARRAY_SIZE(image->symbols));
	assert_true(strings->sh_size + strlen(name) + 1 <= sizeof(image->strings));
	image->symbols[count] = (Elf64_Sym){.st_name = (uint32_t)strings->sh_size,
		.st_info = (unsigned char)info,
		.st_shndx = (uint16_t)section,
		.st_value = start,
		.st_size = size};
	strcpy(image->strings + strings->sh_size, name);
	strings->sh_size += strlen(name) + 1;
	table->sh_size += sizeof(Elf64_Sym);
}

static inline const char *name_at(const struct elf_symbols *symbols, uint64_t address)
{
	struct elf_symbol symbol;

	return elf_symbols_find(symbols, address, &symbol) ? symbol.name : "none";
}

#endif
