// SPDX-License-Identifier: GPL-2.0-or-later
// Weights on a shape. Most nodes of deep stacks have one child and no time of their own, so they weigh
// what the child weighs: only the others, the joints, have sums. Of a million nodes a fifth is left.

/**
 * What pictures and tables ask of a tree; callers_tree.js has another one.
 * @typedef {{parent: Int32Array, label: Int32Array, kind: Uint8Array, size: number,
 *   childList: (node: number) => ArrayLike<number> & Iterable<number>, find: (parent: number, label: number) => number,
 *   path: (node: number) => number[]}} Nodes
 * @typedef {{trie: Nodes, isStriped: boolean, totalOf: (node: number) => number, selfOf: (node: number) => number,
 *   countOf: (node: number) => number, runningOf: (node: number) => number, runnableOf: (node: number) => number}} Weighted
 */

/**
 * `of`: by node its joint; `node`: the lowest node of a joint, `parent`: the joint above. Joints are
 * numbered from the leaves up to the root, which is at `root`; behind it those of nodes that were added
 * later, from their roots down.
 * @typedef {{of: Int32Array, node: Int32Array, parent: Int32Array, root: number, size: number}} Joints
 */

/** @param {import('./trie.js').Trie} trie @param {Int32Array} leaf nodes that have time of their own; -1: none @returns {Joints} */
export function findJoints(trie, leaf) {
	trie.link();
	const {size, parent, first, next} = trie;
	const isLeaf = new Uint8Array(size), of = new Int32Array(size);
	for (let i = 0; i < leaf.length; i++) if (leaf[i] >= 0) isLeaf[leaf[i]] = 1;
	let joints = 0;
	for (let node = size - 1; node >= 0; node--) {
		const child = first[node];
		of[node] = node && child && !next[child] && !isLeaf[node] ? of[child] : joints++;
	}
	const lowest = new Int32Array(joints).fill(-1), above = new Int32Array(joints);
	for (let node = size - 1; node >= 0; node--) {
		if (lowest[of[node]] < 0) lowest[of[node]] = node;
		above[of[node]] = of[parent[node]];
	}
	return {of, node: lowest, parent: above, root: joints - 1, size: joints};
}

/** Joints of a trie that has grown; nodes that have got children must be joints. @param {Joints} joints @param {import('./trie.js').Trie} trie @returns {Joints} */
export function moreJoints(joints, trie) {
	const known = joints.of.length, size = joints.size + trie.size - known;
	const more = {of: new Int32Array(trie.size), node: new Int32Array(size), parent: new Int32Array(size), root: joints.root, size};
	more.of.set(joints.of);
	more.node.set(joints.node);
	more.parent.set(joints.parent);
	for (let node = known, joint = joints.size; node < trie.size; node++, joint++) {
		more.of[node] = joint;
		more.node[joint] = node;
		more.parent[joint] = more.of[trie.parent[node]];
	}
	return more;
}

/** Sums up into parents. @param {Joints} joints @param {Float64Array} values changed in place */
function sumUp({parent, root, size}, values) {
	for (let joint = size - 1; joint > root; joint--) values[parent[joint]] += values[joint];
	for (let joint = 0; joint < root; joint++) values[parent[joint]] += values[joint];
	return values;
}

export class Tree {
	/**
	 * @param {import('./trie.js').Trie} trie @param {Joints} joints
	 * @param {{self: Float64Array, count: Float64Array, running?: Float64Array | null, runnable?: Float64Array | null}} own by joint
	 */
	constructor(trie, joints, {self, count, running = null, runnable = null}) {
		this.trie = trie;
		this.joints = joints;
		this.self = self;
		this.total = sumUp(joints, self.slice());
		this.count = sumUp(joints, count);
		this.running = running && sumUp(joints, running);
		this.runnable = runnable && sumUp(joints, runnable);
		this.isStriped = Boolean(running);
	}

	/** With all below it. @param {number} node */
	totalOf(node) {
		return this.total[this.joints.of[node]];
	}

	/** @param {number} node */
	selfOf(node) {
		const joint = this.joints.of[node];
		return this.joints.node[joint] === node ? this.self[joint] : 0;
	}

	/** Waits or samples. @param {number} node */
	countOf(node) {
		return this.count[this.joints.of[node]];
	}

	/** @param {number} node */
	runningOf(node) {
		return this.running ? this.running[this.joints.of[node]] : 0;
	}

	/** @param {number} node */
	runnableOf(node) {
		return this.runnable ? this.runnable[this.joints.of[node]] : 0;
	}
}

/** A tree from the nodes' own times. @param {import('./trie.js').Trie} trie @param {ArrayLike<number>} selfs by node */
export function treeOf(trie, selfs) {
	const joints = findJoints(trie, Int32Array.from({length: trie.size}, (_, node) => selfs[node] ? node : -1));
	const self = new Float64Array(joints.size);
	for (let joint = 0; joint < joints.size; joint++) self[joint] = selfs[joints.node[joint]];
	return new Tree(trie, joints, {self, count: new Float64Array(joints.size)});
}

/** Children that weigh something, largest first. @param {Weighted} tree @param {number} node */
export function childrenOf(tree, node) {
	const children = [];
	for (const child of tree.trie.childList(node)) if (tree.totalOf(child) > 0) children.push(child);
	return children.length < 2 ? children : children.sort((a, b) => tree.totalOf(b) - tree.totalOf(a) || a - b);
}
