// SPDX-License-Identifier: GPL-2.0-or-later
// The shape of a call tree: a node is (parent, label); node 0 is the root. Children come after their
// parents, so sums run from the last node to the first. The shape is made once for a view; weights
// come and go (tree.js).
import {PairMap} from './pairs.js';

export const NAME = 0;
export const USER = 1;
export const KERNEL = 2;
export const MARK = 3;
// Added to the kind of a frame that belongs to a waker.
export const WAKER = 4;

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
		for (const child of this.childList(parent)) if (this.label[child] === label) return child;
		return -1;
	}

	/** Children in the order in which they were made. @param {number} node */
	childList(node) {
		const starts = this.index();
		return this.list.subarray(starts[node], starts[node + 1]);
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
		return pathOf(this, node);
	}
}

/** Labels from below the root to the node. @param {{parent: Int32Array, label: Int32Array}} trie @param {number} node */
export function pathOf(trie, node) {
	const path = [];
	for (; node > 0; node = trie.parent[node]) path.push(trie.label[node]);
	return path.reverse();
}
