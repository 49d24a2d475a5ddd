// SPDX-License-Identifier: GPL-2.0-or-later
// Search by regular expression: which labels match, and which share of the time has one of them.

/** A RegExp, null for no search, or an Error's text. @param {string} text @param {boolean} isCaseSensitive */
export function compile(text, isCaseSensitive) {
	if (!text) return {expression: null, error: ''};
	try {
		return {expression: new RegExp(text, isCaseSensitive ? '' : 'i'), error: ''};
	} catch {
		return {expression: null, error: 'not a regular expression'};
	}
}

/** By label: does it match? @param {string[]} texts @param {RegExp | null} expression */
export function matchLabels(texts, expression) {
	const matches = new Uint8Array(texts.length);
	if (expression)
		for (let i = 0; i < texts.length; i++) matches[i] = expression.test(texts[i]) ? 1 : 0;
	return matches;
}

/**
 * Time below `zoom` in stacks with a match, none counted twice, and the nodes that match.
 * @param {import('./trie.js').Tree} tree @param {Uint8Array} matches @param {number} zoom
 */
export function matchTree(tree, matches, zoom) {
	const {trie} = tree;
	const inside = new Uint8Array(trie.size); // 1 below zoom, 2 below a match too
	const nodes = [];
	let ns = 0;
	inside[zoom] = 1;
	for (let node = zoom; node < trie.size; node++) {
		if (node !== zoom) inside[node] = inside[trie.parent[node]];
		if (!inside[node] || !(tree.total[node] > 0) || node === 0 || !matches[trie.label[node]]) continue;
		nodes.push(node);
		if (inside[node] === 1) ns += tree.total[node];
		inside[node] = 2;
	}
	return {ns, nodes};
}
