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
#include <stddef.h>
#include <stdint.h>

#include "elf/cfi/cfi.h"
#include "elf/facts.h"
#include "elf/probe_offset.h"
#include "elf/probe_returns.h"
#include "elf/unwinds.h"
#include "elf/usdt.h"
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

/* A function to probe, see elf/function.h and elf/probe_place.h. */
struct parser_function {
	char *name;       /* of its symbol, without a version; or demangled, if that matched */
	char *symbol;     /* of its symbol in any case: overloads have one name */
	uint64_t offset;  /* in the file, where it begins */
	uint64_t bytes;   /* 0: unknown */
	uint64_t start;   /* there, or behind a nop that must not be probed: for its return */
	uint64_t place;   /* where to probe it */
	bool is_emulated; /* what is there, by the kernel */
};

/*
 * Those whose names match a glob. If no symbol's name does, and the pattern has "::", those whose
 * demangled names do (without parameters: std::string::append). Otherwise as elf_function_find();
 * the caller frees them. needed_arguments: see ELF_PROBE_ARGUMENT().
 */
int parser_functions(struct helpers *parsers, int fd, const char *pattern,
	unsigned int needed_arguments, struct parser_function **ret, size_t *ret_count);
/* NULL is allowed. */
void parser_functions_free(struct parser_function *functions, size_t count);
/* As elf_offset_check(), of a function as it was found. */
int parser_offset(struct helpers *parsers, int fd, const struct parser_function *function,
	uint64_t wanted, struct elf_offset *ret);
/*
 * As elf_returns_find(), of functions as they were found: ret has room for as many, which
 * elf_returns_clear() clears. Of up to ELF_FUNCTION_MAX_FOUND functions in one question, -E2BIG:
 * there are more. 0 or -errno: then nothing is set.
 */
int parser_returns(struct helpers *parsers, int fd, const struct parser_function *functions,
	size_t count, struct elf_returns *ret);
/* As elf_function_near(). */
char *parser_function_near(struct helpers *parsers, int fd, const char *name);
/* As elf_usdt_places() and elf_usdt_names(). */
int parser_usdt(struct helpers *parsers, int fd, const char *provider, const char *name,
	struct elf_usdt_place **ret, size_t *ret_count);
int parser_usdt_names(
	struct helpers *parsers, int fd, struct elf_usdt_name **ret, size_t *ret_count);
/* The probes, "provider:name", nearest to one that there is not, as elf_function_near(). */
char *parser_usdt_near(struct helpers *parsers, int fd, const char *name);
/* As elf_unwinds(). */
int parser_unwinds(struct helpers *parsers, int fd, enum elf_unwinds *ret);
/* The same with elf_loads_code(). */
int parser_unwinds_and_loads(
	struct helpers *parsers, int fd, enum elf_unwinds *ret, bool *ret_loads_code);
/* As demangle(). */
char *parser_demangle(struct helpers *parsers, const char *name);

#endif
