/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * How long instructions of x86-64 are: whoever goes through a function from its beginning knows
 * where each of its instructions begins, and nobody else does. Pure: reads the bytes that it is
 * given, and says nothing rather than guess.
 */
#ifndef DWELL_ELF_X86_LENGTH_H
#define DWELL_ELF_X86_LENGTH_H

#include <stdbool.h>
#include <stddef.h>

/* No processor takes longer ones. */
#define X86_MAX_LENGTH 15

/*
 * Bytes of the instruction that begins there, in 64-bit mode; 0: there is none, it is not known, or
 * it is cut. Maps that are the same for all their opcodes (0F38, 0F3A, VEX, EVEX) are not asked
 * whether a processor has the opcode.
 */
size_t x86_length(const unsigned char *code, size_t count);

/*
 * A no-operation of 5 bytes, or what newer kernels may take for one. They turn a uprobe on it into
 * a call of a page that only the process that came by has: children that it forks have the call
 * without the page, and die of it (Linux 6.18).
 */
bool x86_is_nop5(const unsigned char *code, size_t count);

#endif
