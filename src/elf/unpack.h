/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Unpacks the bytes of a compressed section (SHF_COMPRESSED): zlib and zstd. */
#ifndef DWELL_ELF_UNPACK_H
#define DWELL_ELF_UNPACK_H

#include <stddef.h>
#include <stdint.h>

/*
 * 0, and the caller frees *ret; -E2BIG: more than the limit comes out; -ENOTSUP: compressed in
 * another way; -EBADMSG: damaged.
 */
int unpack_section(const unsigned char *bytes, size_t count, uint64_t limit, unsigned char **ret,
	size_t *ret_count);

#endif
