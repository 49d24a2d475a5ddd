// SPDX-License-Identifier: GPL-2.0-or-later
// One function in the middle: who called it above, what it called below. Of a recursion the
// outermost call counts, so nothing is counted twice.
import {Callers} from './callers.js';
import {CallersTree} from './callers_tree.js';
import {packFrame} from './frames.js';
import {treeOf} from './tree.js';
import {Trie} from './trie.js';

/**
 * @param {import('./tree.js').Tree} tree @param {Set<number>} wanted labels
 * @returns {{callers: import('./tree.js').Weighted, callees: import('./tree.js').Weighted, total: number, self: number}}
 */
export function sandwich(tree, wanted) {
	const {trie} = tree, {parent, label, kind} = trie;
	const down = new Trie();
	const inner = new Int32Array(trie.size).fill(-1); // by node: its place in `down`
	const marked = new Uint8Array(1 + Math.max(0, ...wanted));
	for (const one of wanted) marked[one] = 1;
	/** Outermost calls. @type {number[]} */
	const calls = [];
	/** @type {number[]} */
	const owners = [];
	/** @type {number[]} */
	const owned = [];
	let self = 0;
	for (let node = 1; node < trie.size; node++) {
		const isHere = marked[label[node]] === 1, above = inner[parent[node]];
		if ((above < 0 && !isHere) || !(tree.totalOf(node) > 0)) continue;
		if (above < 0) calls.push(node);
		inner[node] = down.child(Math.max(above, 0), label[node], kind[node]);
		const own = tree.selfOf(node);
		if (!own) continue;
		owners.push(inner[node]);
		owned.push(own);
		if (isHere) self += own;
	}
	const callers = callersOf(tree, calls);
	return {callers, callees: weighted(down, owners, owned), total: callers.totalOf(0), self};
}

/** Callers of calls: each call is a key, and its stack are the nodes above it. @param {import('./tree.js').Tree} tree @param {number[]} calls */
function callersOf(tree, calls) {
	const {parent, label, kind, size} = tree.trie;
	const nodes = {parent, packed: new Int32Array(size), rows: size};
	let labels = 1;
	for (let node = 1; node < size; node++) {
		nodes.packed[node] = packFrame(label[node], kind[node]);
		if (label[node] >= labels) labels = label[node] + 1;
	}
	const paths = {name: new Int32Array(calls.length).fill(-1), node: Int32Array.from(calls), end: new Int32Array(calls.length), ends: [new Int32Array(0)], waker: 0};
	const model = {nodes, runs: []};
	const weights = {ns: Float64Array.from(calls, (node) => tree.totalOf(node)), count: Float64Array.from(calls, (node) => tree.countOf(node))};
	return new CallersTree(model, new Callers(model, paths, labels), weights, false, null);
}

function weighted(/** @type {Trie} */ trie, /** @type {number[]} */ nodes, /** @type {number[]} */ ns) {
	const self = new Float64Array(trie.size);
	for (let i = 0; i < nodes.length; i++) self[nodes[i]] += ns[i];
	return treeOf(trie, self);
}
