/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The vdso: the ELF image that the kernel maps into every process, read from our own memory. */
#ifndef DWELL_SYMBOL_VDSO_H
#define DWELL_SYMBOL_VDSO_H

struct elf_file;

/* 0, -ENOENT if we were given none, -errno. Free with elf_file_free(). */
int vdso_open(struct elf_file **ret);

#endif
