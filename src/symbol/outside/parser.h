/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Makes sense of files that strangers wrote: ELF, compressed sections, call frame information,
 * mangled names. That is where bugs become break-ins, so it is done in helper processes that have
 * no rights left: no capabilities, no files but those that are handed in for reading, hardly a
 * system call, bounded memory. What they say is checked. Without helpers (NULL) the same is done in
 * this process: for the vdso, and for tests. The fds are those of files open for reading, borrowed.
 */
#ifndef DWELL_SYMBOL_OUTSIDE_PARSER_H
#define DWELL_SYMBOL_OUTSIDE_PARSER_H

#include <stdbool.h>
#include <stdint.h>

#include "elf/cfi/cfi.h"
#include "elf/facts.h"
#include "util/helper.h"

struct object_names;

extern const struct helper_kind parser_helpers;

/* -ETIMEDOUT and -EPIPE: the file takes too long, or breaks its reader; else as elf_file_open(). */
int parser_facts(struct helpers *parsers, int fd, struct elf_facts *ret);
/* The same and cfi_table_read(). */
int parser_table(struct helpers *parsers, int fd, struct cfi_table *ret);
/* debug_fd is that of the separate debug file, -1: none. */
int parser_names(struct helpers *parsers, int fd, int debug_fd, struct object_names **ret);
int parser_variables(struct helpers *parsers, int fd, int debug_fd, struct object_names **ret);
/* As debug_link_matches(). */
bool parser_checksum(struct helpers *parsers, int fd, uint32_t checksum);
/* As elf_function_offset(). */
int parser_function(struct helpers *parsers, int fd, const char *name, uint64_t *ret);
/* As demangle(). */
char *parser_demangle(struct helpers *parsers, const char *name);

#endif
