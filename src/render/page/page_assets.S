/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The report page's script, style and policy inside the program; tools/bundle-page made them. */
	.section .rodata

	.global page_asset_js
	.type page_asset_js, %object
page_asset_js:
	.incbin "build/gen/page.js"
	.byte 0
	.size page_asset_js, . - page_asset_js

	.global page_asset_css
	.type page_asset_css, %object
page_asset_css:
	.incbin "build/gen/page.css"
	.byte 0
	.size page_asset_css, . - page_asset_css

	.global page_asset_policy
	.type page_asset_policy, %object
page_asset_policy:
	.incbin "build/gen/page.policy"
	.byte 0
	.size page_asset_policy, . - page_asset_policy

	.section .note.GNU-stack, "", %progbits
