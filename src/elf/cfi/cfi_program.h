/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Runs the instructions of call frame information (DW_CFA_*): from a CIE's to the state that its
 * FDEs begin with, from an FDE's to one rule after the other.
 */
#ifndef DWELL_ELF_CFI_PROGRAM_H
#define DWELL_ELF_CFI_PROGRAM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "elf/cfi/cfi_state.h"
#include "elf/eh_frame.h"

/* What an FDE's instructions need to know; of one CIE. */
struct cfi_program {
	const unsigned char *section; /* of the record */
	uint64_t section_vaddr;
	uint64_t code_factor;
	int64_t data_factor;
	uint64_t return_register;
	uint8_t address_encoding;
	bool is_signal_frame;
	bool follows_bx; /* false after cfi_program_init() */
	struct cfi_state initial;
};

/* Runs the CIE's instructions. false: they make no sense, and neither do its FDEs. */
bool cfi_program_init(
	struct cfi_program *program, const struct eh_cie *cie, const struct eh_frame *frames);

/* From this address on, this rule; addresses ascend strictly and are inside the FDE. */
typedef void cfi_row_add(void *context, uint64_t address, const struct unwind_rule *rule);

/*
 * Runs an FDE's instructions from start and adds its rows up to its end. false: they make no
 * sense; some rows may have been added.
 */
bool cfi_program_run(const struct cfi_program *program, const unsigned char *bytes, size_t count,
	uint64_t start, uint64_t end, cfi_row_add *add, void *context);

#endif
