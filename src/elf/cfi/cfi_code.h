/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Describes code that no FDE describes, by reading it: what compilers add to programs (.init,
 * .fini, crtstuff) is a few dozens of simple instructions, and a page fault there can last as long
 * as any other. Only if every instruction is known, every way to it leads there with the same
 * stack, and every call is made with the stack aligned, there is a description.
 */
#ifndef DWELL_ELF_CFI_CODE_H
#define DWELL_ELF_CFI_CODE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "contract/unwind.h"

/* Longer pieces are not looked at. */
#define CFI_CODE_BYTES 512

/*
 * Calls with the rules that hold from addresses on, ascending from `start`, for whole functions
 * that lie one behind the other in [start, start + count). false: not to be described, no call.
 */
bool cfi_code_describe(const unsigned char *bytes, size_t count, uint64_t start,
	void (*each)(void *context, uint64_t address, const struct unwind_rule *rule),
	void *context);

#endif
