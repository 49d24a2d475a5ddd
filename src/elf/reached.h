/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Which of a function's instructions are come to from its beginning, by what is written in them:
 * what is not is numbers, or where a table, the unwinder or another function leads.
 */
#ifndef DWELL_ELF_REACHED_H
#define DWELL_ELF_REACHED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A range of a function's code. */
struct code_part {
	uint64_t vaddr;
	uint64_t bytes;
	uint64_t offset; /* in the file */
	const unsigned char *code;
	unsigned char *reached; /* a bit for each byte at which such an instruction begins; owned */
};

static inline bool code_part_has(const struct code_part *part, uint64_t vaddr)
{
	return vaddr - part->vaddr < part->bytes;
}

/* The function begins where the first part does. Sets `reached` of all parts, to be freed. */
void reached_find(struct code_part *parts, size_t count);
/* Is an instruction that is come to at that offset in the file? */
bool reached_has(const struct code_part *parts, size_t count, uint64_t offset);
/* Are all instructions come to, but for what only fills gaps? */
bool reached_is_all(const struct code_part *parts, size_t count);

#endif
