/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Names of functions as other tools print them, made like those of dwell's own recordings
 * (symbol/demangle.h): C++ without parameters, qualifiers and return types, Rust without hashes,
 * mangled names demangled, "[clone .cold]" as ".cold". Names of Java, Go and other languages that
 * put dots between their parts stay as they are. Private to src/format/.
 */
#ifndef DWELL_FORMAT_TIDY_NAME_H
#define DWELL_FORMAT_TIDY_NAME_H

#include <stddef.h>

/* The caller frees it; NULL: it is tidy as it is. The name needs no NUL behind it. */
char *tidy_name(const char *name, size_t length);

#endif
