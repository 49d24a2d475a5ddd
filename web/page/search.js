// SPDX-License-Identifier: GPL-2.0-or-later
// Search by regular expression: which labels match, and which share of the time has one of them.
import {CallersTree} from './callers_tree.js';

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
 * Time below `zoom` in stacks with a match, none counted twice, and how many nodes match: -1 where
 * nobody has counted them, as in a tree that is made while it is looked at.
 * @param {import('./tree.js').Tree | import('./callers_tree.js').CallersTree} tree @param {Uint8Array} matches @param {number} zoom
 */
export function matchTree(tree, matches, zoom) {
	if (tree instanceof CallersTree) return {ns: tree.matchedNs(matches, zoom), nodes: -1, first: -1};
	const {trie} = tree, {parent, label} = trie;
	const inside = new Uint8Array(trie.size); // 1 below zoom, 2 below a match too
	let ns = 0, nodes = 0, first = -1;
	inside[zoom] = 1;
	for (let node = zoom; node < trie.size; node++) {
		const above = node === zoom ? 1 : inside[parent[node]];
		inside[node] = above;
		if (!above || node === 0 || !matches[label[node]]) continue;
		const total = tree.totalOf(node);
		if (!(total > 0)) continue;
		if (first < 0) first = node;
		nodes++;
		if (above === 1) ns += total;
		inside[node] = 2;
	}
	return {ns, nodes, first};
}
