// SPDX-License-Identifier: GPL-2.0-or-later
// A weighted tree, from the roots (descent_tree.js) or from the leaves (callers_tree.js).

/**
 * What pictures and tables ask of a tree.
 * @typedef {{parent: Int32Array, label: Int32Array, kind: Uint8Array, size: number,
 *   childList: (node: number) => ArrayLike<number> & Iterable<number>, find: (parent: number, label: number) => number,
 *   path: (node: number) => number[]}} Nodes
 * @typedef {{trie: Nodes, isStriped: boolean, tellsWhy: boolean, totalOf: (node: number) => number, selfOf: (node: number) => number,
 *   countOf: (node: number) => number, samplesOf: (node: number) => number, runningOf: (node: number) => number, runnableOf: (node: number) => number,
 *   classSums: (node: number) => Float64Array, mainClassOf: (node: number) => number}} Weighted
 *   tellsWhy: the last two (whys.js) can be asked for
 */

/** Children that weigh something, largest first. @param {Weighted} tree @param {number} node */
export function childrenOf(tree, node) {
	const children = [];
	for (const child of tree.trie.childList(node)) if (tree.totalOf(child) > 0) children.push(child);
	return children.length < 2 ? children : children.sort((a, b) => tree.totalOf(b) - tree.totalOf(a) || a - b);
}
