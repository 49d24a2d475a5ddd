/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Names of functions in programs, compared with patterns. */
#ifndef DWELL_MODEL_FUNCTION_NAME_H
#define DWELL_MODEL_FUNCTION_NAME_H

#include <stdbool.h>
#include <stddef.h>

/*
 * The length of a name without what compilers and linkers put behind it (.isra.0, .abi0,
 * @@GLIBC_2.34). Other dots belong to the name: Go's functions are runtime.futex and the like.
 */
size_t function_name_length(const char *name);
/* Does a name of that length fit the pattern? One that ends in '*' is a prefix. */
bool function_name_fits(const char *pattern, const char *name, size_t length);
/* Does the name fit one of them? */
bool function_name_fits_any(const char *const *patterns, size_t count, const char *name);

#endif
