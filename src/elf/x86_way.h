/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Where instructions of x86-64 lead: to the next one, back to the caller, or elsewhere. */
#ifndef DWELL_ELF_X86_WAY_H
#define DWELL_ELF_X86_WAY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum x86_way_kind {
	X86_GOES_ON,  /* calls, too: they come back */
	X86_RETURNS,  /* ret, with or without a number */
	X86_JUMPS,    /* to a place that is written in it, always or by flags */
	X86_COUNTS,   /* jumps by a register: loop, jrcxz */
	X86_IMPORTED, /* jumps to what a word at a fixed place says: a function of another file */
	X86_ANYWHERE, /* jumps to what a register or a table says */
	X86_FAR,      /* jumps or returns to another segment */
};

struct x86_way {
	enum x86_way_kind kind;
	uint8_t bytes;     /* 0: it is not known */
	uint8_t condition; /* of X86_JUMPS, contract/jump.h */
	bool is_emulated;  /* by the kernel, under a uprobe */
	bool is_refused;   /* it has a prefix with which the kernel takes no uprobe */
	int64_t distance; /* of X86_JUMPS, X86_COUNTS and direct calls, from its own beginning; else
			     0 */
};

struct x86_way x86_way_decode(const unsigned char *code, size_t count);

#endif
