// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Any bytes as call frame information: 'e' and a .eh_frame, 'd' and a .debug_frame, 'b' and both
 * in one, 'c' and code, 'z' and a compressed section; all else is a whole ELF file. A table that
 * comes out keeps every promise of elf/cfi/cfi.h, and survives packing.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "elf/cfi/cfi_pack.h"
#include "elf/cfi/cfi_source.h"
#include "elf/file.h"
#include "elf/unpack.h"

/* Sections of real files lie behind their text, at most this far. */
#define TEXT 0x1000
#define TEXT_END 0x400000
#define VADDR 0x300000

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_table(struct cfi_table *table)
{
	struct cfi_table back;
	size_t bytes;
	void *packed;

	if (!cfi_table_is_sound(table))
		abort();
	for (uint32_t i = 0; i < table->page_count && i < 64; i++)
		cfi_table_find(table, table->first_page + i * 4099ULL);
	packed = cfi_pack(table, 1, &bytes);
	if (bytes < cfi_pack_min_bytes || bytes > cfi_pack_max_bytes ||
		cfi_unpack(packed, bytes, 1, &back) || back.row_count != table->row_count)
		abort();
	cfi_table_clear(&back);
	free(packed);
	cfi_table_clear(table);
}

static void check_rule(void *context, uint64_t address, const struct unwind_rule *rule)
{
	(void)context;
	if (address < TEXT || address >= TEXT + CFI_CODE_BYTES || rule->cfa_kind != UNWIND_CFA_SP ||
		rule->cfa_offset < 8 || rule->fp_offset < -rule->cfa_offset)
		abort();
}

struct code {
	const uint8_t *bytes;
	size_t count;
};

/* Wherever it is, the same. */
static bool read_code(void *context, uint64_t start, size_t count, unsigned char *to)
{
	const struct code *code = context;

	if (count > CFI_CODE_BYTES || start < TEXT || start + count > TEXT_END)
		abort();
	if (count > code->count)
		return false;
	memcpy(to, code->bytes, count);
	return true;
}

static void read_sections(uint8_t kind, const uint8_t *data, size_t size)
{
	const struct cfi_text text = {TEXT, TEXT_END};
	struct code code = {data, size};
	struct cfi_section sections[2] = {
		{kind == 'd' ? EH_FRAME_DEBUG : EH_FRAME_RUNTIME, data, size, VADDR},
		{EH_FRAME_DEBUG, data, size, VADDR},
	};
	const struct cfi_plt plts[] = {
		{{TEXT + 0x200, TEXT + 0x300}, true}, {{TEXT + 0x300, TEXT + 0x308}, false}};
	struct cfi_source source = {.start = TEXT,
		.end = TEXT_END,
		.texts = &text,
		.text_count = 1,
		.plts = plts,
		.plt_count = 2,
		.pieces = &text,
		.piece_count = 1,
		.read_code = read_code,
		.code_context = &code,
		.entry = TEXT + 0x100,
		.sections = sections,
		.section_count = kind == 'b' ? 2 : 1};
	struct cfi_table table;
	struct why why;

	if (!cfi_source_read(&source, &table, &why))
		check_table(&table);
}

static void read_file(const uint8_t *data, size_t size)
{
	struct cfi_table table;
	struct elf_file *file;
	struct why why;

	if (elf_file_from_memory(data, size, &file))
		return;
	if (!cfi_table_read(file, &table, &why))
		check_table(&table);
	elf_file_free(file);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	unsigned char *unpacked;
	size_t count;

	if (!size)
		return 0;
	switch (data[0]) {
	case 'e':
	case 'd':
	case 'b':
		read_sections(data[0], data + 1, size - 1);
		break;
	case 'c':
		if (size - 1 <= CFI_CODE_BYTES)
			cfi_code_describe(data + 1, size - 1, TEXT, check_rule, NULL);
		break;
	case 'z':
		if (!unpack_section(data + 1, size - 1, 1 << 20, &unpacked, &count))
			free(unpacked);
		break;
	default:
		read_file(data, size);
	}
	return 0;
}
