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

const COLUMNS = /** @type {const} */ (['parent', 'label', 'kind', 'first', 'next']);

/** A copy with more room. @param {any} column @param {number} size of it in use @param {number} room */
function grown(column, size, room) {
	const next = new column.constructor(room);
	next.set(column.subarray(0, size));
	return next;
}

export class Trie {
	/** @param {number} room nodes expected */
	constructor(room = 1024) {
		this.size = 1;
		this.parent = new Int32Array(room);
		this.label = new Int32Array(room);
		this.kind = new Uint8Array(room);
		this.label[0] = -1;
		this.children = new PairMap();
		// First child and next sibling, 0 for none, of so many nodes; see link().
		this.linked = 1;
		this.first = new Int32Array(room);
		this.next = new Int32Array(room);
	}

	/** One of its own that can grow. @param {number} more nodes expected */
	copy(more) {
		const copy = new Trie(0);
		Object.assign(copy, {size: this.size, linked: this.linked});
		for (const name of COLUMNS) /** @type {any} */ (copy)[name] = grown(this[name], this.size, this.size + more);
		return copy;
	}

	grow() {
		const room = Math.ceil(this.parent.length * 1.5) + 16;
		for (const name of COLUMNS) /** @type {any} */ (this)[name] = grown(this[name], this.size, room);
	}

	/** A child that is known not to be there yet. @param {number} parent @param {number} label @param {number} kind */
	add(parent, label, kind) {
		if (this.size === this.parent.length) this.grow();
		const node = this.size++;
		this.parent[node] = parent;
		this.label[node] = label;
		this.kind[node] = kind;
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

	/** @param {number} node */
	childList(node) {
		this.link();
		const children = [];
		for (let child = this.first[node]; child; child = this.next[child]) children.push(child);
		return children;
	}

	/** Makes `first` and `next` fit for all nodes. */
	link() {
		const {parent, first, next} = this;
		for (let node = this.size - 1; node >= this.linked; node--) {
			next[node] = first[parent[node]];
			first[parent[node]] = node;
		}
		this.linked = this.size;
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
