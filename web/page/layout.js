// SPDX-License-Identifier: GPL-2.0-or-later
// Which boxes of a tree can be seen, and where: at most one for each pixel of a row, so the work is
// bounded by the window, not by the recording.
import {childrenOf} from './tree.js';

/**
 * @typedef {{node: number, x: number, width: number, row: number, isAbove: boolean, thin: number}} Box
 *   isAbove: an ancestor of what is zoomed; thin: so many boxes too narrow to draw apart, as one
 * @typedef {{boxes: Box[], rows: Box[][]}} Layout
 */

const NARROWEST = 0.8;

/**
 * @param {import('./tree.js').Weighted} tree @param {number} zoom node @param {number} width in px
 * @param {boolean} isByName siblings in the order of names
 * @param {string[]} texts
 * @returns {Layout}
 */
export function layOut(tree, zoom, width, isByName = false, texts = []) {
	/** @type {Box[][]} */
	const rows = [];
	const put = (/** @type {Box} */ box) => (rows[box.row] = rows[box.row] || []).push(box);
	const above = [];
	for (let node = zoom; node > 0; node = tree.trie.parent[node]) above.unshift(node);
	if (zoom > 0) {
		put({node: 0, x: 0, width, row: 0, isAbove: true, thin: 0});
		above.pop();
		above.forEach((node, i) => put({node, x: 0, width, row: i + 1, isAbove: true, thin: 0}));
	}
	const whole = tree.totalOf(zoom);
	/** @type {Box[]} */
	const open = [{node: zoom, x: 0, width, row: zoom > 0 ? above.length + 1 : 0, isAbove: false, thin: 0}];
	while (open.length && whole > 0) {
		const box = /** @type {Box} */ (open.pop());
		put(box);
		const children = childrenOf(tree, box.node);
		if (isByName) children.sort((a, b) => compareTexts(texts, tree.trie.label[a], tree.trie.label[b]));
		let x = box.x, thinFrom = 0, thin = 0;
		const flush = () => {
			if (thin && x - thinFrom > NARROWEST / 2)
				put({node: -1, x: thinFrom, width: x - thinFrom, row: box.row + 1, isAbove: false, thin});
			thin = 0;
		};
		for (const child of children) {
			const size = width * tree.totalOf(child) / whole;
			if (size < NARROWEST) {
				if (!thin) thinFrom = x;
				thin++;
				x += size;
				continue;
			}
			flush();
			open.push({node: child, x, width: size, row: box.row + 1, isAbove: false, thin: 0});
			x += size;
		}
		flush();
	}
	for (const row of rows) row.sort((a, b) => a.x - b.x);
	return {boxes: rows.flat(), rows};
}

function compareTexts(/** @type {string[]} */ texts, /** @type {number} */ a, /** @type {number} */ b) {
	return texts[a] < texts[b] ? -1 : texts[a] > texts[b] ? 1 : a - b;
}

/** The box at a place, or null. @param {Layout} layout @param {number} row @param {number} x */
export function boxAt(layout, row, x) {
	const boxes = layout.rows[row];
	if (!boxes) return null;
	let low = 0, high = boxes.length - 1;
	while (low <= high) {
		const middle = low + high >> 1, box = boxes[middle];
		if (x < box.x) high = middle - 1;
		else if (x >= box.x + box.width) low = middle + 1;
		else return box;
	}
	return null;
}

/** The node whose path below the root is `texts`, or the deepest there is. */
export function followPath(/** @type {import('./tree.js').Nodes} */ trie,
	/** @type {import('./views.js').Labels} */ labels, /** @type {string[]} */ texts) {
	let node = 0;
	for (const text of texts) {
		let next = -1;
		for (const label of labels.find(text)) next = Math.max(next, trie.find(node, label));
		if (next < 0) break;
		node = next;
	}
	return node;
}
