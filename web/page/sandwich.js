// SPDX-License-Identifier: GPL-2.0-or-later
// One function in the middle: who called it above, what it called below. Of a recursion the
// outermost call counts, so nothing is counted twice.
import {treeOf} from './tree.js';
import {Trie} from './trie.js';

/**
 * @param {import('./tree.js').Tree} tree @param {Set<number>} wanted labels
 * @returns {{callers: import('./tree.js').Tree, callees: import('./tree.js').Tree, total: number, self: number}}
 */
export function sandwich(tree, wanted) {
	const {trie} = tree;
	const up = new Trie(), down = new Trie();
	const inner = new Int32Array(trie.size).fill(-1); // by node: its place in `down`
	/** @type {[number, number][]} */
	const upWeights = [];
	/** @type {[number, number][]} */
	const downWeights = [];
	let total = 0, self = 0;
	const {parent, label} = trie, marked = new Uint8Array(1 + Math.max(0, ...wanted));
	for (const one of wanted) marked[one] = 1;
	for (let node = 1; node < trie.size; node++) {
		const isHere = marked[label[node]] === 1, above = inner[parent[node]];
		if (above < 0 && !isHere) continue;
		const ns = tree.totalOf(node);
		if (!(ns > 0)) continue;
		if (above >= 0) {
			inner[node] = down.child(above, trie.label[node], trie.kind[node]);
		} else if (isHere) {
			inner[node] = down.child(0, trie.label[node], trie.kind[node]);
			let place = up.child(0, trie.label[node], trie.kind[node]);
			for (let caller = trie.parent[node]; caller > 0; caller = trie.parent[caller])
				place = up.child(place, trie.label[caller], trie.kind[caller]);
			upWeights.push([place, ns]);
			total += ns;
		}
		if (inner[node] < 0) continue;
		const own = tree.selfOf(node);
		if (!own) continue;
		downWeights.push([inner[node], own]);
		if (isHere) self += own;
	}
	return {callers: weighted(up, upWeights), callees: weighted(down, downWeights), total, self};
}

function weighted(/** @type {Trie} */ trie, /** @type {[number, number][]} */ weights) {
	const self = new Float64Array(trie.size);
	for (const [node, ns] of weights) self[node] += ns;
	return treeOf(trie, self);
}
