/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * How many files may be open at once. Parts of the program that keep files open for later do so
 * within a share of what the limit leaves beside those that it cannot do without.
 */
#ifndef DWELL_UTIL_OPEN_FILES_H
#define DWELL_UTIL_OPEN_FILES_H

#include <stddef.h>
#include <stdint.h>

/* How far this process may raise the limit. */
uint64_t open_files_most(void);
/* Does so. */
void open_files_raise(void);
/* What a recording needs on this machine: for programs, tables and events, and some to work with.
 */
uint64_t open_files_needed(void);
/* One part in so many of what is left; at most `most`. */
size_t open_files_share(size_t most, size_t parts);

#endif
