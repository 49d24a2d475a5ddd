/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The files of web/ inside the program. Paths are from the top of the tree, where make runs. */
	.section .rodata

	.global svg_asset_flame_js
	.type svg_asset_flame_js, %object
svg_asset_flame_js:
	.incbin "web/flame.js"
	.byte 0
	.size svg_asset_flame_js, . - svg_asset_flame_js

	.global svg_asset_flame_css
	.type svg_asset_flame_css, %object
svg_asset_flame_css:
	.incbin "web/flame.css"
	.byte 0
	.size svg_asset_flame_css, . - svg_asset_flame_css

	.section .note.GNU-stack, "", %progbits
