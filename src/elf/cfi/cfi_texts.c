// SPDX-License-Identifier: GPL-2.0-or-later
/* Pieces as they come, sorted, joined. */
#include "elf/cfi/cfi_texts.h"

#include <gelf.h>
#include <string.h>

#include "elf/file.h"

#define MAX_PLTS 16
/* .init, .text, .fini and some more. */
#define MAX_PIECES 64

static int compare_texts(const void *left, const void *right)
{
	const struct cfi_text *a = left, *b = right;

	return (a->start > b->start) - (a->start < b->start);
}

/* Makes one of those that overlap or have only padding between them. */
static void join(struct cfi_texts *texts)
{
	struct cfi_text *at = texts->texts.at;
	size_t kept = 0;

	vec_sort(&texts->texts, compare_texts);
	for (size_t i = 0; i < texts->texts.count; i++) {
		struct cfi_text *last = kept ? &at[kept - 1] : NULL;
		if (last &&
			(at[i].start <= last->end || at[i].start - last->end < CFI_PADDING_BYTES))
			last->end = last->end > at[i].end ? last->end : at[i].end;
		else
			at[kept++] = at[i];
	}
	texts->texts.count = kept;
}

/* The part of a section that is inside one of the segments: linkers do not spread one over two. */
static bool clip(const struct elf_file *file, const GElf_Shdr *section, struct cfi_text *ret)
{
	const struct elf_segment *segments;
	size_t count = elf_file_segments(file, &segments);

	for (size_t i = 0; i < count; i++) {
		uint64_t into = section->sh_addr - segments[i].vaddr;
		uint64_t bytes = section->sh_size;
		if (section->sh_addr < segments[i].vaddr || into >= segments[i].bytes || !bytes)
			continue;
		if (bytes > segments[i].bytes - into)
			bytes = segments[i].bytes - into;
		*ret = (struct cfi_text){section->sh_addr, section->sh_addr + bytes};
		return true;
	}
	return false;
}

static void add_segments(struct cfi_texts *texts, const struct elf_file *file)
{
	const struct elf_segment *segments;
	size_t count = elf_file_segments(file, &segments);

	for (size_t i = 0; i < count; i++)
		vec_push(&texts->texts, ((struct cfi_text){segments[i].vaddr,
						segments[i].vaddr + segments[i].bytes}));
}

/* .plt, .plt.got, .plt.sec: the last two hold jumps only. */
static bool add_plt(struct cfi_texts *texts, const char *name, const struct cfi_text *text)
{
	if (!name || strncmp(name, ".plt", 4) || texts->plts.count >= MAX_PLTS)
		return false;
	vec_push(&texts->plts, ((struct cfi_plt){*text, !strcmp(name, ".plt")}));
	return true;
}

bool cfi_texts_read(struct cfi_texts *texts, const struct elf_file *file)
{
	Elf *elf = elf_file_handle(file);
	struct cfi_text text;
	Elf_Scn *section = NULL;
	GElf_Shdr header;
	size_t names;

	*texts = (struct cfi_texts){0};
	if (elf_getshdrstrndx(elf, &names))
		names = SHN_UNDEF;
	while ((section = elf_nextscn(elf, section))) {
		if (!gelf_getshdr(section, &header) || header.sh_type != SHT_PROGBITS ||
			!(header.sh_flags & SHF_EXECINSTR) || !clip(file, &header, &text))
			continue;
		vec_push(&texts->texts, text);
		if (add_plt(texts, elf_strptr(elf, names, header.sh_name), &text))
			continue;
		if (texts->pieces.count < MAX_PIECES)
			vec_push(&texts->pieces, text);
	}
	vec_sort(&texts->pieces, compare_texts);
	if (!texts->texts.count)
		add_segments(texts, file);
	join(texts);
	return texts->texts.count > 0;
}

void cfi_texts_clear(struct cfi_texts *texts)
{
	vec_clear(&texts->texts);
	vec_clear(&texts->plts);
	vec_clear(&texts->pieces);
}
