/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Where a function is left: its returns, and jumps that lead out of it, which are its last calls.
 * What it calls so is still a part of the call, and returns in its stead: so where that is known,
 * its returns take the jump's place. Others call it, too, and return there; but the stack pointer
 * is then not what it was when the function began. Where it is not known (of another file, behind a
 * pointer) the function is over at the jump. A jump behind a pointer may stay inside, too; it is a
 * place if the code before it gives the frame back, or if no code is left to which it could lead.
 *
 * Whoever probes all of these sees it end without touching the address that it returns to, which
 * exceptions and Go's growing stacks need as it is. At such a place the function ends if its stack
 * pointer is what it was when it began, and if the jump is taken. Jumps to where it begins count:
 * to whoever probes that place they are new calls; but not the one with which Go looks at a stack
 * again, before the place that is probed (elf/stack_check.h). Its cold part, which compilers put
 * elsewhere, is a part of it.
 */
#ifndef DWELL_ELF_PROBE_RETURNS_H
#define DWELL_ELF_PROBE_RETURNS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct elf_file;

/* The most places of one function. */
#define ELF_RETURNS_MOST 256

/* Plain data, so that it can be sent as bytes. */
struct elf_return {
	uint64_t offset;     /* in the file */
	uint8_t is_emulated; /* by the kernel, under a uprobe: jumps are, returns are not */
	uint8_t condition;   /* contract/jump.h: it is left only if that is met */
	uint8_t is_others;   /* of a function that it leads to: others may pass it as well */
	uint8_t may_stay;    /* it may be a jump within: only the stack pointer tells */
	uint8_t pad[4];
};

/* Of one function. */
struct elf_returns {
	/*
	 * 0; -ENOTSUP: not x86-64; -EBADMSG: its code is not understood to its end, or is left in a
	 * way that cannot be probed; -E2BIG: more places than ELF_RETURNS_MOST, or too much code.
	 */
	int error;
	/* It has jumps to what a register or memory says, which are no places, and of which it is
	 * not known that they are switches: calls that end there are not seen to end. */
	bool has_unseen;
	struct elf_return *places; /* owned; by offset; none at all if it never returns */
	size_t count;
};

struct elf_span {
	uint64_t offset; /* in the file, where a function begins */
	uint64_t bytes;  /* 0: unknown, -EBADMSG */
};

/* Of each function one; the tables of the file are read once, if any function needs them. */
void elf_returns_find(const struct elf_file *file, const struct elf_span *functions, size_t count,
	struct elf_returns *ret);
/* Are these what elf_returns_find() makes of some function? */
bool elf_returns_are_sound(const struct elf_return *places, size_t count);
void elf_returns_clear(struct elf_returns *returns, size_t count);

#endif
