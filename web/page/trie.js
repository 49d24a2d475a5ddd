// SPDX-License-Identifier: GPL-2.0-or-later
// What trees (descent.js, callers.js) have in common: node 0 is the root, parents come before their children, and a
// frame has a kind.

export const NAME = 0;
export const USER = 1;
export const KERNEL = 2;
export const MARK = 3;
// Added to the kind of a frame that belongs to a waker.
export const WAKER = 4;

/** Labels from below the root to the node. @param {{parent: Int32Array, label: Int32Array}} trie @param {number} node */
export function pathOf(trie, node) {
	const path = [];
	for (; node > 0; node = trie.parent[node]) path.push(trie.label[node]);
	return path.reverse();
}
