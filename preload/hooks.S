/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The hooks of hooks.h. In assembly, because the nop has to be the first instruction whatever the
 * compiler's options put at the beginning of functions. It is one byte long: that every kernel
 * emulates. Newer ones (6.18) make a call of a five-byte one once it was hit, which is a quarter
 * faster, but a child has that call without what it leads to, and dies of it.
 */
	.text

	.macro hook name
	.balign 16
	.globl \name
	.protected \name
	.type \name, %function
\name:
	.cfi_startproc
	nop
	ret
	.cfi_endproc
	.size \name, . - \name
	.endm

	hook dwell_alloc_sampled
	hook dwell_alloc_untracked
	hook dwell_free_sampled
	hook dwell_alloc_process

	.section .note.GNU-stack, "", %progbits
