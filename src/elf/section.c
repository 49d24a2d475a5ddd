// SPDX-License-Identifier: GPL-2.0-or-later
/* Looks a section up through libelf, which reads it on first use and keeps it with the file. */
#include "elf/section.h"

#include <elf.h>
#include <errno.h>
#include <gelf.h>
#include <libelf.h>
#include <string.h>

#include "elf/file.h"

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

int elf_section_read(
	const struct elf_file *file, const char *name, uint64_t limit, struct elf_section *ret)
{
	GElf_Shdr header;
	Elf_Scn *section = find_section(elf_file_handle(file), name, &header);
	Elf_Data *data;

	if (!section)
		return -ENOENT;
	if (header.sh_size > limit)
		return -E2BIG;
	if (header.sh_flags & SHF_COMPRESSED)
		return -EBADMSG;
	data = elf_rawdata(section, NULL);
	if (!data || !data->d_buf || !data->d_size)
		return -EBADMSG;
	*ret = (struct elf_section){data->d_buf, data->d_size, header.sh_addr};
	return 0;
}
