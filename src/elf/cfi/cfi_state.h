/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What call frame information says about one address: how to find the CFA, the caller's frame
 * pointer, the return address, and rbx where that is of use. Other registers are not followed. A
 * state is what instructions change; a rule is what it comes down to.
 */
#ifndef DWELL_ELF_CFI_STATE_H
#define DWELL_ELF_CFI_STATE_H

#include <stdbool.h>
#include <stdint.h>

#include "contract/unwind.h"
#include "elf/cfi/cfi_expression.h"

/* DWARF's numbers of x86-64 registers (psABI, figure 3.36). */
enum {
	CFI_REGISTER_BX = 3,
	CFI_REGISTER_RDI = 5,
	CFI_REGISTER_FP = 6,
	CFI_REGISTER_SP = 7,
	CFI_REGISTER_PC = 16,
};

enum cfi_place_kind {
	CFI_PLACE_UNSPECIFIED, /* for the frame pointer: the callee preserves it */
	CFI_PLACE_UNDEFINED,
	CFI_PLACE_SAME,
	CFI_PLACE_OFFSET,     /* in memory, at CFA + value */
	CFI_PLACE_REGISTER,   /* in the register with number value */
	CFI_PLACE_EXPRESSION, /* in memory, at the expression's result */
	CFI_PLACE_VALUE,      /* computed: there is no place */
};

/* Where a register of the caller is. */
struct cfi_place {
	uint8_t kind; /* enum cfi_place_kind */
	struct cfi_expression expression;
	int64_t value;
};

struct cfi_state {
	bool is_expression; /* the CFA is */
	struct cfi_expression cfa_expression;
	uint64_t cfa_register; /* UINT64_MAX: not said */
	int64_t cfa_offset;
	struct cfi_place fp;
	struct cfi_place ra;
	struct cfi_place bx;
};

/* The rule of a state, of which equal ones are equal bytes. follows_bx: SP_BX in place of SP. */
struct unwind_rule cfi_state_rule(
	const struct cfi_state *state, bool is_signal_frame, bool follows_bx);

#endif
