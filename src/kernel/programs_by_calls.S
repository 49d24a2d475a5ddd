/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The programs for kernels before 6.2, see open.h. Paths are from the top of the tree, where make runs. */
	.section .rodata

	.balign 8
	.global programs_by_calls
	.type programs_by_calls, %object
programs_by_calls:
	.incbin "build/gen/dwell-calls.bpf.o"
	.global programs_by_calls_end
programs_by_calls_end:
	.size programs_by_calls, . - programs_by_calls

	.section .note.GNU-stack, "", %progbits
