// SPDX-License-Identifier: GPL-2.0-or-later
// A frame, the number of its label and its kind (trie.js), as one whole number.

const KIND_BITS = 3;

/** @param {number} label @param {number} kind */
export function packFrame(label, kind) {
	return label << KIND_BITS | kind;
}

/** @param {number} frame */
export function labelOf(frame) {
	return frame >> KIND_BITS;
}

/** @param {number} frame */
export function kindOf(frame) {
	return frame & (1 << KIND_BITS) - 1;
}
