/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The library of preload_image.h. Paths are from the top of the tree, where make runs. */
	.section .rodata

	.balign 8
	.global preload_image
	.type preload_image, %object
preload_image:
	.incbin "build/gen/alloc_preload.so"
	.global preload_image_end
preload_image_end:
	.size preload_image, . - preload_image

	.section .note.GNU-stack, "", %progbits
