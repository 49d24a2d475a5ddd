// SPDX-License-Identifier: GPL-2.0-or-later
// The tree of a view from its roots: the shape is made once, every filter is only a new sum over it.
import {kindOf, labelOf} from './paths.js';
import {findJoints, Tree} from './tree.js';
import {NAME, Trie} from './trie.js';
import {BLOCKED, RUNNING, SAMPLE} from './weigh.js';

/**
 * Which joint of the trie each key ends in, -1 for those that the view does not want.
 * @param {any} model @param {import('./paths.js').Paths} paths
 */
export function makeShape(model, paths) {
	const {nodes} = model;
	const trie = new Trie(nodes.rows * 2 + 1024, 0);
	const leaf = new Int32Array(paths.node.length).fill(-1);
	// Keys of one name after the other, so that one array tells where a stack is below the name.
	const at = {trie, nodes, paths, places: new Int32Array(nodes.rows), rootOf: new Int32Array(nodes.rows).fill(-1), path: []};
	for (const key of byName(paths.name)) if (paths.node[key] >= 0) leaf[key] = place(at, key);
	const joints = findJoints(trie, leaf);
	for (let key = 0; key < leaf.length; key++) if (leaf[key] >= 0) leaf[key] = joints.of[leaf[key]];
	return {trie, joints, leaf};
}

/** Keys sorted by name; those of one name stay in order. */
function byName(/** @type {Int32Array} */ names) {
	let most = -1;
	for (const name of names) if (name > most) most = name;
	const starts = new Int32Array(most + 3);
	for (const name of names) starts[name + 2]++;
	for (let name = 1; name < starts.length; name++) starts[name] += starts[name - 1];
	const order = new Int32Array(names.length);
	for (let key = 0; key < names.length; key++) order[starts[names[key] + 1]++] = key;
	return order;
}

/** Name, frames from the root, end. Siblings of the data's stacks differ in their labels. */
function place(/** @type {any} */ {trie, nodes, paths, places, rootOf, path}, /** @type {number} */ key) {
	const root = paths.name[key] < 0 ? 0 : trie.child(0, paths.name[key], NAME);
	let node = paths.node[key];
	path.length = 0;
	for (; node > 0 && rootOf[node] !== root; node = nodes.parent[node]) path.push(node);
	let at = node > 0 ? places[node] : root;
	for (let i = path.length; i-- > 0;) {
		const next = path[i];
		at = trie.add(at, nodes.label[next], nodes.kind[next] | paths.waker);
		places[next] = at;
		rootOf[next] = root;
	}
	for (const frame of paths.ends[paths.end[key]]) at = trie.child(at, labelOf(frame), kindOf(frame));
	return at;
}

/**
 * Keys' weights put on a shape. `keeps` by key says whether it stays.
 * @param {any} model @param {ReturnType<typeof makeShape>} shape @param {any} weights @param {boolean} isStriped @param {Uint8Array | null} keeps
 */
export function makeTree(model, {trie, joints, leaf}, weights, isStriped, keeps) {
	const self = new Float64Array(joints.size), count = new Float64Array(joints.size);
	const running = isStriped ? new Float64Array(joints.size) : null;
	const runnable = isStriped ? new Float64Array(joints.size) : null;
	const {ns, count: counts} = weights, {state} = model.kinds, {kind} = model.keys;
	for (let key = 0; key < leaf.length; key++) {
		const joint = leaf[key];
		if (joint < 0 || !ns[key] || (keeps && !keeps[key])) continue;
		self[joint] += ns[key];
		const what = state[kind[key]];
		// Running time counts by its samples.
		if (what !== RUNNING) count[joint] += counts[key];
		if (!running || !runnable) continue;
		if (what === RUNNING || what === SAMPLE) running[joint] += ns[key];
		else if (what !== BLOCKED) runnable[joint] += ns[key];
	}
	return new Tree(trie, joints, {self, count, running, runnable});
}
