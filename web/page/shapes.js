// SPDX-License-Identifier: GPL-2.0-or-later
// The tree of a view from its roots: the shape is made once, every filter is only a new sum over it.
// Nothing is looked up while it is made: stacks of the data are a tree already, and ends of one place
// are sorted, so each shares frames with the one before it or with none.
import {kindOf, labelOf} from './frames.js';
import {findJoints, moreJoints, Tree} from './tree.js';
import {NAME, Trie} from './trie.js';
import {BLOCKED, RUNNING, SAMPLE} from './weigh.js';

/**
 * Stacks without their ends, which views of one way of naming share: by key the node and its joint, -1 for none.
 * @param {any} nodes of the data @param {{name: Int32Array, node: Int32Array, waker: number}} stacks
 */
export function makeBase(nodes, stacks) {
	const trie = new Trie(Math.ceil(nodes.rows * 1.05) + 1024);
	const leaf = placeStacks(nodes, stacks, trie);
	const joints = findJoints(trie, leaf);
	return {trie, leaf, joints, joint: leaf.map((node) => node < 0 ? -1 : joints.of[node])};
}

/**
 * Which joint of the trie each key ends in, -1 for those that the view does not want.
 * @param {ReturnType<typeof makeBase>} base @param {import('./paths.js').Paths} paths
 */
export function makeShape(base, paths) {
	const leaf = base.leaf.map((node, key) => paths.node[key] < 0 ? -1 : node);
	const trie = base.trie.copy(framesOfEnds(paths));
	placeEnds(paths, trie, leaf, base.joint);
	trie.link();
	const joints = moreJoints(base.joints, trie);
	for (let key = 0; key < leaf.length; key++) if (leaf[key] >= 0) leaf[key] = joints.of[leaf[key]];
	return {trie, joints, leaf};
}

/** At most so many. */
function framesOfEnds(/** @type {import('./paths.js').Paths} */ {node, end, ends}) {
	const lengths = Int32Array.from(ends, (frames) => frames.length);
	let sum = 0;
	for (let key = 0; key < node.length; key++) if (node[key] >= 0) sum += lengths[end[key]];
	return sum;
}

/** Rows in the order of their values, from -1 on; equal ones stay in order. @param {Int32Array} values @param {Int32Array | null} rows null: all */
function sorted(values, rows = null) {
	let most = -1;
	for (let i = 0; i < values.length; i++) if (values[i] > most) most = values[i];
	const starts = new Int32Array(most + 3), order = new Int32Array(values.length);
	for (let i = 0; i < values.length; i++) starts[values[i] + 2]++;
	for (let value = 1; value < starts.length; value++) starts[value] += starts[value - 1];
	for (let i = 0; i < values.length; i++) {
		const row = rows ? rows[i] : i;
		order[starts[values[row] + 1]++] = row;
	}
	return order;
}

/** Names and frames of the data, without ends; by key the node, or -1. */
function placeStacks(/** @type {any} */ nodes, /** @type {{name: Int32Array, node: Int32Array, waker: number}} */ paths, /** @type {Trie} */ trie) {
	const {parent, packed} = nodes, {waker} = paths;
	const leaf = new Int32Array(paths.node.length).fill(-1);
	// Keys of one name after the other, so that one array tells where a stack is below the name.
	const order = sorted(paths.name), places = new Int32Array(nodes.rows), rootOf = new Int32Array(nodes.rows).fill(-1);
	const path = [];
	let name = -1, root = 0;
	for (let i = 0; i < order.length; i++) {
		const key = order[i];
		let node = paths.node[key];
		if (node < 0) continue;
		if (paths.name[key] !== name) {
			name = paths.name[key];
			root = trie.add(0, name, NAME);
		}
		for (path.length = 0; node > 0 && rootOf[node] !== root; node = parent[node]) path.push(node);
		let at = node > 0 ? places[node] : root;
		for (let step = path.length; step-- > 0;) {
			const next = path[step], frame = packed[next];
			at = trie.add(at, labelOf(frame), kindOf(frame) | waker);
			places[next] = at;
			rootOf[next] = root;
		}
		leaf[key] = at;
	}
	return leaf;
}

/** Puts the ends behind the stacks. @param {import('./paths.js').Paths} paths @param {Trie} trie @param {Int32Array} leaf changed in place @param {Int32Array} joint of the leaf before */
function placeEnds({end, ends}, trie, leaf, joint) {
	const order = sorted(joint, sorted(ranks(end, ends)));
	/** Frames of the end before, and their nodes. @type {ArrayLike<number>} */
	let before = [];
	const made = [-1];
	for (let i = 0; i < order.length; i++) {
		const key = order[i], frames = ends[end[key]];
		if (leaf[key] < 0) continue;
		if (leaf[key] !== made[0]) {
			made[0] = leaf[key];
			before = [];
		}
		let at = 0;
		while (at < frames.length && at < before.length && labelOf(frames[at]) === labelOf(before[at])) at++;
		for (; at < frames.length; at++) made[at + 1] = trie.add(made[at], labelOf(frames[at]), kindOf(frames[at]));
		leaf[key] = made[frames.length];
		before = frames;
	}
}

/** By key the place of its end among all ends. @param {Int32Array} end @param {Int32Array[]} ends */
function ranks(end, ends) {
	const places = new Int32Array(ends.length);
	Array.from(ends.keys()).sort((a, b) => compareEnds(ends[a], ends[b])).forEach((number, place) => { places[number] = place; });
	return end.map((number) => places[number]);
}

/** By labels, then by length. */
function compareEnds(/** @type {Int32Array} */ a, /** @type {Int32Array} */ b) {
	for (let i = 0; i < a.length && i < b.length; i++) if (labelOf(a[i]) !== labelOf(b[i])) return labelOf(a[i]) - labelOf(b[i]);
	return a.length - b.length;
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
