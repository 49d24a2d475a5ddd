/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Finds the separate debug file of a stripped program or library. */
#ifndef DWELL_SYMBOL_DEBUG_FILE_H
#define DWELL_SYMBOL_DEBUG_FILE_H

#include <stdint.h>

struct elf_facts;
struct outside;

/*
 * An fd of the debug file, open for reading and proven to belong to the file; -1 if there is none
 * or none is needed. Looks below the process's root, by build-id and then by .gnu_debuglink (next
 * to path, in .debug/, below /usr/lib/debug), and at last below our own root, by build-id alone.
 */
int debug_file_open(
	struct outside *outside, uint32_t pid, const char *path, const struct elf_facts *facts);

#endif
