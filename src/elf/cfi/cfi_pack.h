/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A table as bytes, for files of our own: a header with a checksum, rules, page words, rows. Only
 * for the machine that wrote them. What comes back is hostile all the same: it feeds the kernel
 * side, so every number in it is checked.
 */
#ifndef DWELL_ELF_CFI_PACK_H
#define DWELL_ELF_CFI_PACK_H

#include <stddef.h>
#include <stdint.h>

#include "elf/cfi/cfi.h"

/* The bytes of the table; the caller frees them. The key is a number that must be known to get it
 * back: it tells apart what a table belongs to. */
void *cfi_pack(const struct cfi_table *table, uint64_t key, size_t *ret_bytes);
/* 0; -EBADMSG: not packed by this version with this key, or damaged. */
int cfi_unpack(const void *bytes, size_t count, uint64_t key, struct cfi_table *ret);

/* The least and the most that a packed table has. */
extern const uint64_t cfi_pack_min_bytes;
extern const uint64_t cfi_pack_max_bytes;

/* Does the table keep all that cfi.h says? Every index is looked at. */
bool cfi_table_is_sound(const struct cfi_table *table);

#endif
