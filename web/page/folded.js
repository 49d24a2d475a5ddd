// SPDX-License-Identifier: GPL-2.0-or-later
// The tree as folded lines, in microseconds; what rounding takes from one line it gives to the next,
// so the lines sum to the picture.

/** @param {import('./tree.js').Weighted} tree @param {string[]} texts @param {number} zoom @param {boolean} isInverted */
export function foldedText(tree, texts, zoom, isInverted) {
	const {trie} = tree;
	const lines = [];
	const todo = [zoom];
	let rest = 0;
	while (todo.length) {
		const node = /** @type {number} */ (todo.pop());
		const self = tree.selfOf(node);
		if (self > 0) {
			const ns = self + rest, us = Math.floor(ns / 1000);
			rest = ns - us * 1000;
			const path = trie.path(node).map((label) => texts[label].replaceAll(';', ':'));
			if (us) lines.push(`${(isInverted ? path.reverse() : path).join(';')} ${us}`);
		}
		const children = trie.childList(node);
		for (let i = children.length; i-- > 0;) if (tree.totalOf(children[i]) > 0) todo.push(children[i]);
	}
	return lines.length ? `${lines.join('\n')}\n` : '';
}
