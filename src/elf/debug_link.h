/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a stripped file says about its symbols elsewhere: .gnu_debuglink and .gnu_debugdata. */
#ifndef DWELL_ELF_DEBUG_LINK_H
#define DWELL_ELF_DEBUG_LINK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct elf_file;

#define DEBUG_LINK_NAME_BYTES 256

struct debug_link {
	char name[DEBUG_LINK_NAME_BYTES]; /* of a file, without any folder */
	uint32_t checksum;                /* CRC-32 of that file */
};

/* false: there is none, or its name is no plain file name. */
bool debug_link_read(const struct elf_file *file, struct debug_link *ret);
/* Is that the checksum of the file's whole content? No for files larger than a gibibyte. */
bool debug_link_matches(int fd, uint32_t checksum);

/*
 * The small ELF image that Fedora's and others' stripped programs carry, unpacked; the caller
 * frees it. 0, -ENOENT if there is none, -E2BIG beyond 128 MiB, -EBADMSG if it is damaged.
 */
int debug_data_unpack(const struct elf_file *file, void **ret, size_t *ret_bytes);

#endif
