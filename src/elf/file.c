// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Facts from ELF headers, read through libelf. Files are read with pread, never mapped: a mapped
 * file that somebody truncates would kill us with SIGBUS. The header is checked before libelf sees
 * it, because libelf allocates by its counts; extended numbering (more than 65,279 sections), which
 * no program uses, is refused for the same reason.
 */
#include "elf/file.h"

#include <elf.h>
#include <errno.h>
#include <gelf.h>
#include <libelf.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "util/mem.h"
#include "util/vec.h"

#define MAX_BUILD_ID_BYTES 64
#define MAX_NOTE_BYTES (64 << 10)
#define MAX_NOTES 16

struct elf_file {
	Elf *elf;
	char build_id[2 * MAX_BUILD_ID_BYTES + 1];
	VEC(struct elf_segment) segments;
	struct elf_extent extent;
};

static int check_header(const Elf64_Ehdr *header)
{
	const unsigned char *ident = header->e_ident;
	const unsigned char our_data =
		__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ ? ELFDATA2LSB : ELFDATA2MSB;

	if (memcmp(ident, ELFMAG, SELFMAG) || ident[EI_CLASS] != ELFCLASS64 ||
		ident[EI_DATA] != our_data || ident[EI_VERSION] != EV_CURRENT)
		return -ENOEXEC;
	if (header->e_type != ET_EXEC && header->e_type != ET_DYN)
		return -ENOEXEC;
	if (header->e_phnum == PN_XNUM || header->e_phentsize != sizeof(Elf64_Phdr))
		return -EBADMSG;
	if (header->e_shoff && (!header->e_shnum || header->e_shentsize != sizeof(Elf64_Shdr)))
		return -EBADMSG;
	return 0;
}

static void set_build_id(struct elf_file *file, const unsigned char *bytes, size_t count)
{
	for (size_t i = 0; i < count; i++)
		snprintf(file->build_id + 2 * i, 3, "%02x", bytes[i]);
}

static bool find_build_id(struct elf_file *file, Elf_Data *notes)
{
	size_t next = 0, name_at, id_at;
	GElf_Nhdr note;

	while ((next = gelf_getnote(notes, next, &note, &name_at, &id_at))) {
		const char *bytes = notes->d_buf;
		if (note.n_type != NT_GNU_BUILD_ID || note.n_namesz != sizeof(ELF_NOTE_GNU) ||
			memcmp(bytes + name_at, ELF_NOTE_GNU, sizeof(ELF_NOTE_GNU)))
			continue;
		if (!note.n_descsz || note.n_descsz > MAX_BUILD_ID_BYTES)
			continue;
		set_build_id(file, (const unsigned char *)bytes + id_at, note.n_descsz);
		return true;
	}
	return false;
}

static bool read_note_at(struct elf_file *file, uint64_t offset, uint64_t bytes, uint64_t align)
{
	if (!bytes || bytes > MAX_NOTE_BYTES || offset > INT64_MAX)
		return false;
	Elf_Data *notes = elf_getdata_rawchunk(
		file->elf, (int64_t)offset, bytes, align == 8 ? ELF_T_NHDR8 : ELF_T_NHDR);
	return notes && find_build_id(file, notes);
}

static void extend(struct elf_extent *extent, const GElf_Phdr *header)
{
	uint64_t end;

	if (!header->p_memsz || __builtin_add_overflow(header->p_vaddr, header->p_memsz, &end))
		return;
	if (extent->start == extent->end)
		*extent = (struct elf_extent){header->p_vaddr, end};
	if (header->p_vaddr < extent->start)
		extent->start = header->p_vaddr;
	if (end > extent->end)
		extent->end = end;
}

static int read_segments(struct elf_file *file)
{
	unsigned int notes = 0;
	size_t count;

	if (elf_getphdrnum(file->elf, &count))
		return -EBADMSG;
	for (size_t i = 0; i < count; i++) {
		GElf_Phdr header;
		uint64_t unused;
		if (!gelf_getphdr(file->elf, (int)i, &header))
			return -EBADMSG;
		if (header.p_type == PT_NOTE && !file->build_id[0] && notes++ < MAX_NOTES)
			read_note_at(file, header.p_offset, header.p_filesz, header.p_align);
		if (header.p_type == PT_LOAD)
			extend(&file->extent, &header);
		if (header.p_type != PT_LOAD || !(header.p_flags & PF_X) || !header.p_filesz)
			continue;
		if (__builtin_add_overflow(header.p_offset, header.p_filesz, &unused) ||
			__builtin_add_overflow(header.p_vaddr, header.p_filesz, &unused) ||
			file->segments.count == ELF_MAX_SEGMENTS)
			return -EBADMSG;
		vec_push(&file->segments,
			((struct elf_segment){header.p_offset, header.p_filesz, header.p_vaddr}));
	}
	return 0;
}

/* Separate debug files and odd linkers have the note in a section only. */
static void read_note_sections(struct elf_file *file)
{
	unsigned int notes = 0;
	Elf_Scn *section = NULL;
	GElf_Shdr header;

	while (!file->build_id[0] && notes < MAX_NOTES &&
		(section = elf_nextscn(file->elf, section))) {
		if (!gelf_getshdr(section, &header))
			return;
		if (header.sh_type != SHT_NOTE)
			continue;
		notes++;
		read_note_at(file, header.sh_offset, header.sh_size, header.sh_addralign);
	}
}

static int read_facts(Elf *elf, struct elf_file **ret)
{
	struct elf_file *file;
	int err;

	if (!elf)
		return -EBADMSG;
	file = xcalloc(1, sizeof(*file));
	file->elf = elf;
	err = elf_kind(elf) == ELF_K_ELF ? read_segments(file) : -EBADMSG;
	if (err) {
		elf_file_free(file);
		return err;
	}
	read_note_sections(file);
	*ret = file;
	return 0;
}

int elf_file_open(int fd, struct elf_file **ret)
{
	Elf64_Ehdr header;
	ssize_t got = pread(fd, &header, sizeof(header), 0);
	int err;

	if (got < 0)
		return -errno;
	if (got != sizeof(header))
		return -ENOEXEC;
	err = check_header(&header);
	if (err)
		return err;
	elf_version(EV_CURRENT);
	return read_facts(elf_begin(fd, ELF_C_READ, NULL), ret);
}

int elf_file_from_memory(const void *image, size_t bytes, struct elf_file **ret)
{
	Elf64_Ehdr header;
	int err;

	if (bytes < sizeof(header))
		return -ENOEXEC;
	memcpy(&header, image, sizeof(header));
	err = check_header(&header);
	if (err)
		return err;
	elf_version(EV_CURRENT);
	/* libelf only reads it: nothing is ever written through a handle that we opened. */
	return read_facts(elf_memory((char *)image, bytes), ret);
}

void elf_file_free(struct elf_file *file)
{
	if (!file)
		return;
	elf_end(file->elf);
	vec_clear(&file->segments);
	free(file);
}

const char *elf_file_build_id(const struct elf_file *file)
{
	return file->build_id;
}

size_t elf_file_segments(const struct elf_file *file, const struct elf_segment **ret)
{
	*ret = file->segments.at;
	return file->segments.count;
}

struct elf_extent elf_file_extent(const struct elf_file *file)
{
	return file->extent;
}

bool elf_file_is_x86(const struct elf_file *file)
{
	GElf_Ehdr header;

	return gelf_getehdr(file->elf, &header) && header.e_machine == EM_X86_64;
}

const unsigned char *elf_file_code(
	const struct elf_file *file, uint64_t offset, uint64_t most, size_t *ret_count)
{
	for (size_t i = 0; i < file->segments.count; i++) {
		const struct elf_segment *segment = &file->segments.at[i];
		if (offset < segment->offset || offset - segment->offset >= segment->bytes ||
			offset > INT64_MAX)
			continue;
		uint64_t left = segment->bytes - (offset - segment->offset);
		size_t count = left < most ? left : most;
		Elf_Data *data =
			elf_getdata_rawchunk(file->elf, (int64_t)offset, count, ELF_T_BYTE);
		if (!data || data->d_size != count)
			return NULL;
		*ret_count = count;
		return data->d_buf;
	}
	return NULL;
}

struct Elf *elf_file_handle(const struct elf_file *file)
{
	return file->elf;
}

bool elf_segments_vaddr(
	const struct elf_segment *segments, size_t count, uint64_t offset, uint64_t *ret)
{
	const uint64_t page_mask = (uint64_t)getpagesize() - 1;
	const struct elf_segment *near = NULL;

	for (size_t i = 0; i < count; i++) {
		const struct elf_segment *segment = &segments[i];
		uint64_t end = segment->offset + segment->bytes;
		if (offset >= segment->offset && offset < end) {
			*ret = offset - segment->offset + segment->vaddr;
			return true;
		}
		if (!near && offset >= (segment->offset & ~page_mask) &&
			offset <= (end | page_mask))
			near = segment;
	}
	if (near)
		*ret = offset - near->offset + near->vaddr;
	return near != NULL;
}
