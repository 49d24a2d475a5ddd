// SPDX-License-Identifier: GPL-2.0-or-later
// Search by regular expression: which labels match, and which share of the time has one of them.
import {CallersTree} from './callers_tree.js';
import {labelOf} from './frames.js';
import {walk} from './walk.js';

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
 * Time below `zoom` in stacks with a match, none counted twice, how many nodes match and the first of them: -1 where
 * nobody has looked for them, as from the leaves.
 * @param {import('./descent_tree.js').DescentTree | CallersTree} tree @param {Uint8Array} matches by label @param {number} zoom
 */
export function matchTree(tree, matches, zoom) {
	if (tree instanceof CallersTree) return {ns: tree.matchedNs(matches, zoom), nodes: -1, first: -1};
	const {total} = tree.weights;
	let ns = 0, nodes = 0, depth = 0, outermost = 0, begin = 0, firstPlace = -1;
	walk(tree, zoom, {
		enter(frame, place) {
			depth++;
			if (!matches[labelOf(frame)]) return;
			nodes++;
			if (firstPlace < 0) firstPlace = place;
			if (outermost) return;
			outermost = depth;
			begin = place;
		},
		leave(place) {
			if (depth-- !== outermost) return;
			outermost = 0;
			ns += total[place] - total[begin];
		},
		weigh() {},
	});
	return {ns, nodes, first: firstPlace < 0 ? -1 : firstMatch(tree.trie, matches, zoom, firstPlace)};
}

/** The uppermost match in the stack at a place. @param {import('./descent.js').Descent} trie @param {Uint8Array} matches @param {number} zoom @param {number} place */
function firstMatch(trie, matches, zoom, place) {
	let node = zoom;
	while (!node || !matches[trie.label[node]]) {
		const next = trie.childList(node).find((child) => trie.has(child, place));
		if (next === undefined) return -1;
		node = next;
	}
	return node;
}
