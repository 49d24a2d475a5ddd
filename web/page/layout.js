// SPDX-License-Identifier: GPL-2.0-or-later
// Which boxes of a tree can be seen, and where: at most one for each pixel of a row, so the work is
// bounded by the window, not by the recording.
import {childrenOf} from './tree.js';

/**
 * @typedef {{node: number, x: number, width: number, row: number, isAbove: boolean, thin: number}} Box
 *   isAbove: an ancestor of what is zoomed; thin: so many boxes too narrow to draw apart, as one
 * @typedef {{boxes: Box[], rows: Box[][], open: Box[], at: number}} Layout
 *   open: boxes in the order of their rows; those from `at` on have not been looked into yet
 */

const NARROWEST = 0.8;

/**
 * @param {import('./tree.js').Weighted} tree @param {number} zoom node @param {number} width in px
 * @param {boolean} isByName siblings in the order of names
 * @param {string[]} texts
 * @param {number} until by performance.now(): what is not done then is for layOn()
 * @returns {Layout}
 */
export function layOut(tree, zoom, width, isByName = false, texts = [], until = Infinity) {
	/** @type {Layout} */
	const layout = {boxes: [], rows: [], open: [], at: 0};
	const above = [];
	for (let node = zoom; node > 0; node = tree.trie.parent[node]) above.unshift(node);
	if (zoom > 0) {
		above.pop();
		[0, ...above].forEach((node, row) => put(layout, {node, x: 0, width, row, isAbove: true, thin: 0}));
	}
	if (tree.totalOf(zoom) > 0) putOpen(layout, {node: zoom, x: 0, width, row: layout.rows.length, isAbove: false, thin: 0});
	if (until === Infinity || performance.now() < until) layOn(layout, tree, isByName, texts, until);
	else layout.boxes = layout.rows.flat();
	return layout;
}

function put(/** @type {Layout} */ {rows}, /** @type {Box} */ box) {
	(rows[box.row] = rows[box.row] || []).push(box);
}

/** A box that will be looked into. */
function putOpen(/** @type {Layout} */ layout, /** @type {Box} */ box) {
	put(layout, box);
	layout.open.push(box);
}

/**
 * Goes on with a layout, by one box at least. Is there more to do?
 * @param {Layout} layout @param {import('./tree.js').Weighted} tree @param {boolean} isByName @param {string[]} texts @param {number} until
 */
export function layOn(layout, tree, isByName, texts, until) {
	const {open, rows} = layout;
	for (let isFirst = true; layout.at < open.length && (isFirst || until === Infinity || performance.now() < until); isFirst = false) {
		const box = open[layout.at++];
		const children = childrenOf(tree, box.node);
		if (isByName) children.sort((a, b) => compareTexts(texts, tree.trie.label[a], tree.trie.label[b]));
		layChildren(layout, tree, box, children);
	}
	for (const row of rows) row.sort((a, b) => a.x - b.x);
	layout.boxes = rows.flat();
	return layout.at < open.length;
}

function layChildren(/** @type {Layout} */ layout, /** @type {import('./tree.js').Weighted} */ tree, /** @type {Box} */ box, /** @type {number[]} */ children) {
	const scale = box.width / tree.totalOf(box.node), row = box.row + 1;
	let x = box.x, thinFrom = 0, thin = 0;
	const flush = () => {
		if (thin && x - thinFrom > NARROWEST / 2) put(layout, {node: -1, x: thinFrom, width: x - thinFrom, row, isAbove: false, thin});
		thin = 0;
	};
	for (const node of children) {
		const width = scale * tree.totalOf(node);
		if (width < NARROWEST) {
			if (!thin) thinFrom = x;
			thin++;
		} else {
			flush();
			putOpen(layout, {node, x, width, row, isAbove: false, thin: 0});
		}
		x += width;
	}
	flush();
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
