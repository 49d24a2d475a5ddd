/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Names of functions in programs, compared with patterns. */
#ifndef DWELL_MODEL_FUNCTION_NAME_H
#define DWELL_MODEL_FUNCTION_NAME_H

#include <stdbool.h>
#include <stddef.h>

/*
 * Does the name fit one of the patterns? Compared without what compilers and linkers put behind it
 * (.isra.0, .abi0, @@GLIBC_2.34); a pattern that ends in '*' is a prefix. Other dots belong to the
 * name: Go's functions are runtime.futex and the like.
 */
bool function_name_fits(const char *const *patterns, size_t count, const char *name);

#endif
