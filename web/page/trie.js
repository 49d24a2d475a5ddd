// SPDX-License-Identifier: GPL-2.0-or-later
// A call tree: a node is (parent, label); node 0 is the root. Children come after their parents, so
// sums run from the last node to the first. The shape is made once for a view; weights come and go.
import {PairMap} from './pairs.js';

export const NAME = 0;
export const USER = 1;
export const KERNEL = 2;
export const MARK = 3;

export class Trie {
	/** @param {number} room nodes expected @param {number} made of them by child() */
	constructor(room = 1024, made = 1024) {
		this.size = 1;
		this.parent = new Int32Array(room);
		this.label = new Int32Array(room).fill(-1);
		this.kind = new Uint8Array(room);
		this.children = new PairMap(2 ** Math.ceil(Math.log2(made * 1.5 + 1024)));
		/** @type {Int32Array | null} */
		this.starts = null;
		this.list = new Int32Array(0);
	}

	grow() {
		const room = this.parent.length * 2;
		for (const name of /** @type {const} */ (['parent', 'label', 'kind'])) {
			const old = this[name];
			const next = new /** @type {any} */ (old.constructor)(room);
			next.set(old);
			this[name] = next;
		}
	}

	/** A child that is known not to be there yet. @param {number} parent @param {number} label @param {number} kind */
	add(parent, label, kind) {
		if (this.size === this.parent.length) this.grow();
		const node = this.size++;
		this.parent[node] = parent;
		this.label[node] = label;
		this.kind[node] = kind;
		this.starts = null;
		return node;
	}

	/** The child with that label, made if need be; it sees only those made here. @param {number} parent @param {number} label @param {number} kind */
	child(parent, label, kind) {
		const known = this.children.get(parent, label);
		if (known >= 0) return known;
		const node = this.add(parent, label, kind);
		this.children.set(parent, label, node);
		return node;
	}

	/** The child with that label, however it was made, or -1. @param {number} parent @param {number} label */
	find(parent, label) {
		const starts = this.index();
		for (let i = starts[parent]; i < starts[parent + 1]; i++)
			if (this.label[this.list[i]] === label) return this.list[i];
		return -1;
	}

	/** Where the children of each node are in `list`. */
	index() {
		if (this.starts) return this.starts;
		const starts = new Int32Array(this.size + 1);
		for (let node = 1; node < this.size; node++) starts[this.parent[node] + 1]++;
		for (let node = 0; node < this.size; node++) starts[node + 1] += starts[node];
		const fill = starts.slice();
		this.list = new Int32Array(this.size);
		for (let node = 1; node < this.size; node++) this.list[fill[this.parent[node]]++] = node;
		this.starts = starts;
		return starts;
	}

	/** Labels from below the root to the node. @param {number} node */
	path(node) {
		const path = [];
		for (; node > 0; node = this.parent[node]) path.push(this.label[node]);
		return path.reverse();
	}
}

/**
 * Weights of a trie: by node its own and with all below it.
 * @typedef {{trie: Trie, self: Float64Array, total: Float64Array, count: Float64Array,
 *   running: Float64Array | null, runnable: Float64Array | null}} Tree
 */

/** Sums up into parents. @param {Trie} trie @param {Float64Array} values changed in place */
export function sumUp(trie, values) {
	for (let node = trie.size - 1; node > 0; node--) values[trie.parent[node]] += values[node];
	return values;
}

/** Two sums in one walk. @param {Trie} trie @param {Float64Array} one @param {Float64Array} other */
export function sumUpBoth(trie, one, other) {
	const {parent} = trie;
	for (let node = trie.size - 1; node > 0; node--) {
		one[parent[node]] += one[node];
		other[parent[node]] += other[node];
	}
}

/** Children that weigh something, largest first, or by name. @param {Tree} tree @param {number} node */
export function childrenOf(tree, node) {
	const starts = tree.trie.index();
	const children = [];
	for (let i = starts[node]; i < starts[node + 1]; i++)
		if (tree.total[tree.trie.list[i]] > 0) children.push(tree.trie.list[i]);
	return children.sort((a, b) => tree.total[b] - tree.total[a] || a - b);
}
