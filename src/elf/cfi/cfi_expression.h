/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The few DWARF expressions that compilers and linkers write into call frame information, told
 * apart by their meaning: a register plus a number, one dereference, and the PLT's. x86-64.
 */
#ifndef DWELL_ELF_CFI_EXPRESSION_H
#define DWELL_ELF_CFI_EXPRESSION_H

#include <stddef.h>
#include <stdint.h>

enum cfi_expression_kind {
	CFI_EXPR_OTHER = 0, /* not understood */
	CFI_EXPR_SUM,       /* base + first */
	CFI_EXPR_DEREF,     /* *(base + first) + second */
	CFI_EXPR_PLT,       /* rsp + 8 + ((rip & 15) >= first ? 8 : 0) */
};

enum cfi_base {
	CFI_BASE_CFA, /* what a register's expression finds on the stack at its start */
	CFI_BASE_FP,
	CFI_BASE_SP,
};

struct cfi_expression {
	uint8_t kind; /* enum cfi_expression_kind */
	uint8_t base; /* enum cfi_base */
	int32_t first;
	int32_t second;
};

/* Whatever the bytes are, the answer is one of the kinds. */
struct cfi_expression cfi_expression_read(const unsigned char *bytes, size_t count);

#endif
