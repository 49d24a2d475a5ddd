/* SPDX-License-Identifier: GPL-2.0-or-later */
/* As much of x86-64 machine code as elf/probe_place.h needs: what functions begin with. */
#ifndef DWELL_ELF_PROBE_CODE_H
#define DWELL_ELF_PROBE_CODE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum probe_code_kind {
	PROBE_CODE_OTHER,    /* neither, or not known */
	PROBE_CODE_EMULATED, /* the kernel emulates it under a uprobe */
	PROBE_CODE_HARMLESS, /* computes with registers, or loads: no store, no stack pointer, no
				jump */
	PROBE_CODE_NOP,      /* of several bytes, but not 5: only kernels since 2025 emulate it */
	PROBE_CODE_NOP5,     /* of five bytes: never probed, see x86_is_nop5() */
	PROBE_CODE_MARK,     /* endbr64 */
};

struct probe_code {
	enum probe_code_kind kind;
	size_t bytes;     /* unless it is PROBE_CODE_OTHER */
	uint32_t written; /* general registers that PROBE_CODE_HARMLESS changes, bits by number */
};

struct probe_code probe_code_decode(const unsigned char *code, size_t count);

/*
 * If these bytes were a relative jump: where it would lead, from its own beginning. false: they
 * cannot be one.
 */
bool probe_code_jump(const unsigned char *code, size_t count, int64_t *ret);

#endif
