// SPDX-License-Identifier: GPL-2.0-or-later
// The tree as folded lines, time in microseconds, all else as it is; what rounding takes from one line it
// gives to the next, so the lines sum to the picture.

const NS_PER_US = 1000;

/** @param {import('./tree.js').Weighted} tree @param {string[]} texts @param {number} zoom @param {boolean} isInverted @param {string} unit of the weights */
export function foldedText(tree, texts, zoom, isInverted, unit = 'ns') {
	const each = unit === 'ns' ? NS_PER_US : 1;
	const {trie} = tree;
	const lines = [];
	const todo = [zoom];
	let rest = 0;
	while (todo.length) {
		const node = /** @type {number} */ (todo.pop());
		const self = tree.selfOf(node);
		if (self > 0) {
			const weight = self + rest, shown = Math.floor(weight / each);
			rest = weight - shown * each;
			const path = trie.path(node).map((label) => texts[label].replaceAll(';', ':'));
			if (shown) lines.push(`${(isInverted ? path.reverse() : path).join(';')} ${shown}`);
		}
		const children = trie.childList(node);
		for (let i = children.length; i-- > 0;) if (tree.totalOf(children[i]) > 0) todo.push(children[i]);
	}
	return lines.length ? `${lines.join('\n')}\n` : '';
}
