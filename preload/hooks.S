/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The hooks of hooks.h. In assembly, because the nop has to be the first instruction whatever the
 * compiler's options put at the beginning of functions. They have a page of their own, which children
 * of fork() read anew (start.c).
 */
#include "preload/hooks_page.h"

	.text

	.macro hook name
	.balign 16
	.globl \name
	.protected \name
	.type \name, %function
\name:
	.cfi_startproc
#ifdef __x86_64__
	.byte 0x0f, 0x1f, 0x44, 0x00, 0x00
#else
	nop
#endif
	ret
	.cfi_endproc
	.size \name, . - \name
	.endm

	.balign HOOKS_PAGE_BYTES
	.globl hooks_page
	.hidden hooks_page
hooks_page:
	hook dwell_alloc_sampled
	hook dwell_alloc_untracked
	hook dwell_free_sampled
	hook dwell_alloc_process

	.balign HOOKS_PAGE_BYTES

	.section .note.GNU-stack, "", %progbits
