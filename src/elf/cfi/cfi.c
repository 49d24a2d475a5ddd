// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Finds what a table is made of in a file: its text, its entry, its sections. .eh_frame comes
 * first: it is what the running program itself would unwind with; .debug_frame adds what was
 * compiled without.
 */
#include "elf/cfi/cfi.h"

#include <elf.h>
#include <errno.h>
#include <gelf.h>
#include <stdlib.h>
#include <string.h>

#include "elf/cfi/cfi_source.h"
#include "elf/cfi/cfi_texts.h"
#include "elf/file.h"
#include "elf/section.h"
#include "util/mem.h"

/* The biggest real ones have some 10 MiB; memory for the rest is a few times this. */
#define MAX_FRAME_BYTES (128ULL << 20)

/* From the first to the last executable segment; there is one. */
static void read_bounds(const struct elf_file *file, struct cfi_source *source)
{
	const struct elf_segment *segments;
	size_t count = elf_file_segments(file, &segments);

	source->start = UINT64_MAX;
	for (size_t i = 0; i < count; i++) {
		uint64_t end = segments[i].vaddr + segments[i].bytes;
		if (segments[i].vaddr < source->start)
			source->start = segments[i].vaddr;
		if (end > source->end)
			source->end = end;
	}
}

static int read_section(const struct elf_file *file, enum eh_frame_kind kind,
	struct cfi_section *ret, void **ret_owned)
{
	struct elf_section section;
	const char *name = kind == EH_FRAME_RUNTIME ? ".eh_frame" : ".debug_frame";
	int err = elf_section_unpack(file, name, MAX_FRAME_BYTES, &section, ret_owned);

	if (err)
		return err;
	*ret = (struct cfi_section){kind, section.bytes, section.count, section.vaddr};
	return 0;
}

static bool read_code(void *context, uint64_t start, size_t count, unsigned char *to)
{
	const struct elf_file *file = context;
	const struct elf_segment *segments;
	size_t segment_count = elf_file_segments(file, &segments);

	for (size_t i = 0; i < segment_count; i++) {
		uint64_t into = start - segments[i].vaddr;
		if (start < segments[i].vaddr || into >= segments[i].bytes ||
			count > segments[i].bytes - into)
			continue;
		Elf_Data *data = elf_getdata_rawchunk(elf_file_handle(file),
			(int64_t)(segments[i].offset + into), count, ELF_T_BYTE);
		if (!data || !data->d_buf || data->d_size < count)
			return false;
		memcpy(to, data->d_buf, count);
		return true;
	}
	return false;
}

/* A section that cannot be read counts only if there is no other. */
static int read_sections(const struct elf_file *file, struct cfi_source *source,
	struct cfi_table *ret, struct why *why)
{
	_cleanup_free_ void *runtime_owned = NULL;
	_cleanup_free_ void *debug_owned = NULL;
	struct cfi_section sections[2];
	int runtime = read_section(file, EH_FRAME_RUNTIME, sections, &runtime_owned);
	size_t count = runtime ? 0 : 1;
	int debug = read_section(file, EH_FRAME_DEBUG, sections + count, &debug_owned);
	int err = runtime == -ENOENT ? debug : runtime;

	count += debug ? 0 : 1;
	if (!count)
		return why_set(why, err, "%s",
			err == -ENOENT  ? "it has no call frame information"
			: err == -E2BIG ? "its call frame information is too large"
					: "its call frame information is damaged");
	source->sections = sections;
	source->section_count = count;
	err = cfi_source_read(source, ret, why);
	if (!err)
		ret->counts.is_cut |=
			(runtime && runtime != -ENOENT) || (debug && debug != -ENOENT);
	return err;
}

int cfi_table_read(const struct elf_file *file, struct cfi_table *ret, struct why *why)
{
	struct cfi_source source = {0};
	struct cfi_special specials[CFI_GO_MAX];
	struct cfi_texts texts;
	GElf_Ehdr header;
	int err;

	if (!gelf_getehdr(elf_file_handle(file), &header))
		return why_set(why, -EBADMSG, "its header is damaged");
	if (header.e_machine != EM_X86_64)
		return why_set(why, -ENOTSUP,
			"it is for another machine (%u) than x86-64, whose stacks are not walked "
			"by table yet",
			header.e_machine);
	if (!cfi_texts_read(&texts, file))
		return why_set(why, -ENOENT, "it has no code");
	read_bounds(file, &source);
	source.texts = texts.texts.at;
	source.text_count = texts.texts.count;
	source.plts = texts.plts.at;
	source.plt_count = texts.plts.count;
	source.pieces = texts.pieces.at;
	source.piece_count = texts.pieces.count;
	source.read_code = read_code;
	source.code_context = (void *)file;
	source.entry = header.e_entry;
	source.specials = specials;
	source.special_count = cfi_go_read(file, specials);
	err = read_sections(file, &source, ret, why);
	cfi_texts_clear(&texts);
	return err;
}

void cfi_table_clear(struct cfi_table *table)
{
	free(table->rows);
	free(table->pages);
	free(table->rules);
	*table = (struct cfi_table){0};
}

struct unwind_rule cfi_table_find(const struct cfi_table *table, uint64_t address)
{
	uint64_t page = (address - table->first_page) >> UNWIND_PAGE_SHIFT;
	uint32_t low, high;

	if (address < table->first_page || page >= table->page_count)
		return (struct unwind_rule){.cfa_kind = UNWIND_CFA_GAP};
	low = table->pages[page];
	high = table->pages[page + 1];
	while (low < high) {
		uint32_t middle = low + (high - low) / 2;
		if (UNWIND_ROW_ADDRESS(table->rows[middle]) <= (address & (UNWIND_PAGE_BYTES - 1)))
			low = middle + 1;
		else
			high = middle;
	}
	return table->rules[UNWIND_ROW_RULE(table->rows[low - 1])];
}
