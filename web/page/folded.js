// SPDX-License-Identifier: GPL-2.0-or-later
// The tree as folded lines, in microseconds; what rounding takes from one line it gives to the next,
// so the lines sum to the picture.

/** @param {import('./trie.js').Tree} tree @param {string[]} texts @param {number} zoom @param {boolean} isInverted */
export function foldedText(tree, texts, zoom, isInverted) {
	const {trie} = tree;
	const starts = trie.index();
	const lines = [];
	const todo = [zoom];
	let rest = 0;
	while (todo.length) {
		const node = /** @type {number} */ (todo.pop());
		if (tree.self[node] > 0) {
			const ns = tree.self[node] + rest, us = Math.floor(ns / 1000);
			rest = ns - us * 1000;
			const path = trie.path(node).map((label) => texts[label].replaceAll(';', ':'));
			if (us) lines.push(`${(isInverted ? path.reverse() : path).join(';')} ${us}`);
		}
		for (let i = starts[node + 1]; i-- > starts[node];)
			if (tree.total[trie.list[i]] > 0) todo.push(trie.list[i]);
	}
	return lines.length ? `${lines.join('\n')}\n` : '';
}
