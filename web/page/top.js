// SPDX-License-Identifier: GPL-2.0-or-later
// Functions by their own time and by the time with all they called; recursion is counted once.

/**
 * @typedef {{label: number, kind: number, self: number, total: number, count: number}} Row
 * @param {import('./tree.js').Tree} tree @param {number} zoom
 * @returns {Row[]} largest own time first
 */
export function topFunctions(tree, zoom) {
	const {trie} = tree;
	/** @type {Map<number, Row>} */
	const rows = new Map();
	trie.link();
	/** @type {Map<number, number>} */
	const open = new Map(); // how often a label is on the way down
	const todo = [zoom];
	while (todo.length) {
		const node = /** @type {number} */ (todo.pop());
		if (node < 0) {
			const label = trie.label[~node];
			open.set(label, (open.get(label) || 1) - 1);
			continue;
		}
		if (node > 0) enter(node);
		for (let child = trie.first[node]; child; child = trie.next[child]) if (tree.totalOf(child) > 0) todo.push(child);
	}
	return [...rows.values()].sort((a, b) => b.self - a.self || b.total - a.total || a.label - b.label);

	function enter(/** @type {number} */ node) {
		const label = trie.label[node];
		let row = rows.get(label);
		if (!row) rows.set(label, row = {label, kind: trie.kind[node], self: 0, total: 0, count: 0});
		const depth = open.get(label) || 0;
		row.self += tree.selfOf(node);
		if (!depth) {
			row.total += tree.totalOf(node);
			row.count += tree.countOf(node);
		}
		open.set(label, depth + 1);
		todo.push(~node);
	}
}

/** Sorted by a column; equal ones as they were. @param {Row[]} rows @param {string} column @param {string[]} texts */
export function sortRows(rows, column, texts) {
	const ways = {
		name: (/** @type {Row} */ a, /** @type {Row} */ b) => texts[a.label] < texts[b.label] ? -1 : 1,
		self: (/** @type {Row} */ a, /** @type {Row} */ b) => b.self - a.self,
		total: (/** @type {Row} */ a, /** @type {Row} */ b) => b.total - a.total,
		count: (/** @type {Row} */ a, /** @type {Row} */ b) => b.count - a.count,
	};
	return rows.slice().sort(ways[/** @type {keyof ways} */ (column)] || ways.self);
}
