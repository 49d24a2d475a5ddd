/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Names as people wrote them, from names as C++ and Rust compilers mangle them. C++ functions come
 * without their parameters and return types (std::vector<int>::push_back), as in perf report: that
 * is what fits a box of a flame graph. Rust names come without the hash of their crate. What a
 * compiler appended to tell parts and clones apart (.cold, .isra.0) stays; .llvm.NUMBER does not.
 */
#ifndef DWELL_SYMBOL_DEMANGLE_H
#define DWELL_SYMBOL_DEMANGLE_H

#include <stdbool.h>

/* Longer names are cut. */
#define DEMANGLE_MAX_BYTES 4096

/* false: demangle() would give NULL. */
bool demangle_may_help(const char *name);
/* The caller frees it; NULL if the name is not mangled or is beyond what libiberty takes apart. */
char *demangle(const char *name);

#endif
