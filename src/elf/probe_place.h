/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Where in a function a uprobe is cheapest. The kernel emulates pushes, nops, relative calls and
 * jumps; the program steps over the copy of all else by a second trap, which costs several times as
 * much. So a function that begins with a few instructions that only compute with registers, or load
 * from memory, is probed behind them, where the stack is as at its beginning and all unwind tables
 * are right. A call that is killed by such a load is not counted, and what a load waits for (a page
 * to be read in) is before the call. Only x86-64; elsewhere the beginning is the place.
 *
 * A nop of 5 bytes is never probed: newer kernels make a call of it that kills forked children
 * (elf/x86_length.h). A function that begins with one is probed behind it. One of Go is probed
 * behind the check of its stack, from where it may start anew (elf/stack_check.h).
 */
#ifndef DWELL_ELF_PROBE_PLACE_H
#define DWELL_ELF_PROBE_PLACE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct elf_file;

/* Bits for arguments that must still be in their registers: rdi, rsi, rdx, rcx, r8, r9. */
#define ELF_PROBE_ARGUMENT(number) (1U << (number))
#define ELF_PROBE_ARGUMENTS 6
/* A place is not farther behind its function's beginning than that. */
#define ELF_PROBE_MAX_BYTES 96

/*
 * The offset in the file at which to probe the function that begins at `offset`: there itself, or a
 * few instructions behind it. Every call comes by it once.
 */
uint64_t elf_probe_place(const struct elf_file *file, uint64_t offset,
	unsigned int needed_arguments, bool *ret_is_emulated);

struct elf_probe {
	uint64_t offset; /* where the function begins */
	uint64_t start;  /* there, or behind what must not be probed */
	uint64_t place;  /* where to probe it */
	bool is_emulated;
};

/* The same for many: sets start, place and is_emulated of each. One pass over the file's code for
 * all. */
void elf_probe_places(const struct elf_file *file, unsigned int needed_arguments,
	struct elf_probe *probes, size_t count);

#endif
