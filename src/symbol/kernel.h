/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Names of kernel addresses, from /proc/kallsyms: one sorted table, text symbols only. */
#ifndef DWELL_SYMBOL_KERNEL_H
#define DWELL_SYMBOL_KERNEL_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "util/why.h"

struct kernel_symbols;

struct kernel_symbol {
	const char *name;   /* borrowed from the table */
	const char *module; /* "" for the core kernel, "bpf" for BPF programs */
	uint64_t start;
	uint64_t end; /* start of the next symbol */
};

/* Reads /proc/kallsyms. -EACCES if its addresses are hidden from us, -errno otherwise. */
int kernel_symbols_new(struct kernel_symbols **ret, struct why *why);
/* The same from an open stream, for tests. Hostile lines are skipped. */
int kernel_symbols_parse(FILE *in, struct kernel_symbols **ret, struct why *why);
void kernel_symbols_free(struct kernel_symbols *symbols);

/*
 * Looks whether the kernel has other symbols by now: modules, BPF programs. For when an address has
 * none, or a BPF program's: where one ends is not known, and a later one may be there. Cheap enough
 * for each such time. 1 if the table changed, 0 if not, -errno. Names that were handed out stay
 * valid.
 */
int kernel_symbols_refresh(struct kernel_symbols *symbols);
/* The same from an open stream in any case, for tests. */
int kernel_symbols_update(struct kernel_symbols *symbols, FILE *in);

/* The symbol that covers the address. */
bool kernel_symbols_find(
	const struct kernel_symbols *symbols, uint64_t address, struct kernel_symbol *ret);
/* So many names are looked for at once at most. */
#define KERNEL_SYMBOLS_MAX_NAMED 64
/*
 * The core kernel's symbols of these names, also with a compiler's suffix (.isra.0, .constprop.0);
 * all zero for one that is not there. All in one go, because the table has no index by name.
 */
void kernel_symbols_named(const struct kernel_symbols *symbols, const char *const *names,
	size_t count, struct kernel_symbol *ret);
/* Address of _text, 0 if unknown. */
uint64_t kernel_symbols_base(const struct kernel_symbols *symbols);
/* From there to _etext; both 0 if unknown. */
void kernel_symbols_core(
	const struct kernel_symbols *symbols, uint64_t *ret_start, uint64_t *ret_end);
/* Is it a loaded module's name, as opposed to the core kernel's and to those of code that comes and
 * goes while the kernel runs ("bpf", "__builtin__kprobes")? */
bool kernel_symbols_is_module(const char *module);
/* Calls for each symbol, in the order of addresses. */
void kernel_symbols_each(const struct kernel_symbols *symbols,
	void (*each)(void *context, const struct kernel_symbol *symbol), void *context);
/* First address of a module's symbols ("" core: the base), 0 if unknown. */
uint64_t kernel_symbols_module_base(const struct kernel_symbols *symbols, const char *module);

#endif
