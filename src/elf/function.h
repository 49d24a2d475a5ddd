/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Where a function of one ELF file begins, by its name: what a uprobe is set at. */
#ifndef DWELL_ELF_FUNCTION_H
#define DWELL_ELF_FUNCTION_H

#include <stdint.h>

struct elf_file;

/*
 * Its offset in the file. Of several versions of a name (memcpy@GLIBC_2.2.5, memcpy@@GLIBC_2.14)
 * the default one is meant, which programs that are linked today call. 0; -ENOENT if there is none,
 * -ENOTUNIQ if there are several and none is the default, -ENOTSUP if the name stands for a choice
 * that is made when the program starts (IFUNC), -EBADMSG if the file is damaged.
 */
int elf_function_offset(const struct elf_file *file, const char *name, uint64_t *ret);

#endif
