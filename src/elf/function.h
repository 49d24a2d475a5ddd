/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Where functions of one ELF file begin, by their names: what uprobes are set at. */
#ifndef DWELL_ELF_FUNCTION_H
#define DWELL_ELF_FUNCTION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct elf_file;

/*
 * Its offset in the file. Of several versions of a name (memcpy@GLIBC_2.2.5, memcpy@@GLIBC_2.14)
 * the default one is meant, which programs that are linked today call. 0; -ENOENT if there is none,
 * -ENOTUNIQ if there are several and none is the default, -ENOTSUP if the name stands for a choice
 * that is made when the program starts (IFUNC), -EBADMSG if the file is damaged.
 */
int elf_function_offset(const struct elf_file *file, const char *name, uint64_t *ret);

/* The most functions that a pattern may match. */
#define ELF_FUNCTION_MAX_FOUND 1024
/* Longer names are not looked at. */
#define ELF_FUNCTION_MAX_NAME_BYTES 4096

struct elf_function {
	char *name;      /* without its version */
	uint64_t offset; /* in the file */
	uint64_t bytes;  /* 0: unknown */
};

/*
 * Those whose names match a glob (* and ?), by name; the caller frees them. Each place is there
 * once, whatever names it has, by the best of those that match (fewest leading underscores, then
 * the shortest, then the first by alphabet), so that no call is counted twice. Old versions of a
 * name that has a default one are left out, as are choices (IFUNC). 0; -ENOENT if there is none;
 * -ENOTSUP if only choices match; -E2BIG if more match than ELF_FUNCTION_MAX_FOUND, and then
 * *ret_count says how many; -EBADMSG.
 */
int elf_function_find(const struct elf_file *file, const char *pattern, struct elf_function **ret,
	size_t *ret_count);
/* The same by any rule: does it take the name? */
int elf_function_choose(const struct elf_file *file, bool (*takes)(void *context, const char *name),
	void *context, struct elf_function **ret, size_t *ret_count);
/* NULL is allowed. */
void elf_functions_free(struct elf_function *functions, size_t count);

/* The three names nearest to this one, "mallopt, malloc_info", caller frees; NULL: none is near. */
char *elf_function_near(const struct elf_file *file, const char *name);

#endif
