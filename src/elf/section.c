// SPDX-License-Identifier: GPL-2.0-or-later
/* Looks a section up through libelf, which reads it on first use and keeps it with the file. */
#include "elf/section.h"

#include <elf.h>
#include <errno.h>
#include <gelf.h>
#include <libelf.h>
#include <string.h>

#include "elf/file.h"
#include "elf/unpack.h"

static Elf_Scn *find_section(Elf *elf, const char *name, GElf_Shdr *ret)
{
	Elf_Scn *section = NULL;
	size_t names;

	if (elf_getshdrstrndx(elf, &names))
		return NULL;
	while ((section = elf_nextscn(elf, section))) {
		const char *found;
		if (!gelf_getshdr(section, ret) || ret->sh_type == SHT_NOBITS)
			continue;
		found = elf_strptr(elf, names, ret->sh_name);
		if (found && !strcmp(found, name))
			return section;
	}
	return NULL;
}

bool elf_section_exists(const struct elf_file *file, const char *name)
{
	GElf_Shdr header;

	return find_section(elf_file_handle(file), name, &header) != NULL;
}

static int read_bytes(const struct elf_file *file, const char *name, uint64_t limit,
	struct elf_section *ret, bool *ret_is_packed)
{
	GElf_Shdr header;
	Elf_Scn *section = find_section(elf_file_handle(file), name, &header);
	Elf_Data *data;

	if (!section || !header.sh_size)
		return -ENOENT;
	if (header.sh_size > limit)
		return -E2BIG;
	data = elf_rawdata(section, NULL);
	if (!data || !data->d_buf || !data->d_size)
		return -EBADMSG;
	*ret = (struct elf_section){data->d_buf, data->d_size, header.sh_addr};
	*ret_is_packed = header.sh_flags & SHF_COMPRESSED;
	return 0;
}

int elf_section_read(
	const struct elf_file *file, const char *name, uint64_t limit, struct elf_section *ret)
{
	struct elf_section section;
	bool is_packed;
	int err = read_bytes(file, name, limit, &section, &is_packed);

	if (err)
		return err;
	if (is_packed)
		return -EBADMSG;
	*ret = section;
	return 0;
}

int elf_section_unpack(const struct elf_file *file, const char *name, uint64_t limit,
	struct elf_section *ret, void **ret_owned)
{
	struct elf_section section;
	unsigned char *bytes;
	bool is_packed;
	int err = read_bytes(file, name, limit, &section, &is_packed);

	if (err)
		return err;
	if (!is_packed) {
		*ret = section;
		*ret_owned = NULL;
		return 0;
	}
	err = unpack_section(section.bytes, section.count, limit, &bytes, &section.count);
	if (err)
		return err;
	*ret = (struct elf_section){bytes, section.count, section.vaddr};
	*ret_owned = bytes;
	return 0;
}
