// SPDX-License-Identifier: GPL-2.0-or-later
/* The auxiliary vector has the vdso's address, our own mappings have its size. */
#include "symbol/vdso.h"

#include <errno.h>
#include <sys/auxv.h>

#include "elf/file.h"
#include "symbol/maps.h"

int vdso_open(struct elf_file **ret)
{
	unsigned long image = getauxval(AT_SYSINFO_EHDR);
	_cleanup_fclose_ FILE *in = fopen("/proc/self/maps", "re");
	struct map_lines maps = {0};
	uint64_t bytes = 0;
	int err;

	if (!in)
		return -errno;
	err = map_lines_read(in, &maps, NULL);
	if (err)
		return err;
	vec_each (line, &maps.lines)
		if (line->start == image)
			bytes = line->end - line->start;
	map_lines_clear(&maps);
	return bytes ? elf_file_from_memory((const void *)image, bytes, ret) : -ENOENT;
}
