// SPDX-License-Identifier: GPL-2.0-or-later
// One function in the middle: who called it above, what it called below. Of a recursion the
// outermost call counts, so nothing is counted twice.
import {Callers} from './callers.js';
import {CallersTree} from './callers_tree.js';
import {Descent, Ranges} from './descent.js';
import {DescentTree} from './descent_tree.js';
import {labelOf} from './frames.js';

/**
 * @param {DescentTree} tree from the roots @param {Set<number>} wanted labels
 * @returns {{callers: import('./tree.js').Weighted, callees: import('./tree.js').Weighted, total: number, self: number}}
 */
export function sandwich(tree, wanted) {
	const {trie, weights} = tree, {stacks} = trie, labels = trie.childOf.length;
	const marked = new Uint8Array(labels);
	for (const one of wanted) marked[one] = 1;
	const calls = findCalls(tree, marked);
	const callers = callersOf(stacks, weights, calls, labels);
	return {callers, callees: new DescentTree(new Descent(stacks, labels, calls), weights), total: callers.totalOf(0), self: ownTime(tree, marked)};
}

/** By node of the data the uppermost marked one above it or itself, 0 for none. @param {any} nodes @param {Uint8Array} marked by label */
function outermost({parent, packed, rows}, marked) {
	const found = new Int32Array(rows);
	for (let node = 1; node < rows; node++) found[node] = found[parent[node]] || (marked[labelOf(packed[node])] ? node : 0);
	return found;
}

/** Outermost calls as ranges. @param {DescentTree} tree @param {Uint8Array} marked by label */
function findCalls(tree, marked) {
	const {weights: {total}, trie: {stacks}} = tree, {name, node, end, ends, size, nodes} = stacks;
	const calls = new Ranges(), callOf = outermost(nodes, marked);
	const depths = Int32Array.from(ends, (frames) => 1 + frames.findIndex((frame) => marked[labelOf(frame)] > 0));
	for (let place = 0, next = 0, nameEnd = 0; place < size; place = next) {
		if (place === nameEnd) nameEnd = stacks.endOfName(place, size);
		const isName = name[place] >= 0 && marked[name[place]] > 0, call = isName ? 0 : callOf[node[place]];
		const depth = isName || call ? 0 : depths[end[place]], at = depth ? node[place] : call;
		const isCall = isName || call > 0 || depth > 0;
		next = isCall ? stacks.endOfRange(place, nameEnd, at, depth) : place + 1;
		if (isCall && total[next] > total[place]) calls.add(place, next, at, depth);
	}
	return calls;
}

/** The time of stacks that end in a marked frame. @param {DescentTree} tree @param {Uint8Array} marked by label */
function ownTime({weights: {ns}, trie: {stacks: {name, node, end, ends, size, nodes: {packed}}}}, marked) {
	const isMarked = ends.map((frames) => frames.length ? marked[labelOf(frames[frames.length - 1])] : -1);
	let self = 0;
	for (let place = 0; place < size; place++) {
		const isEnd = isMarked[end[place]];
		if (isEnd > 0 || (isEnd < 0 && marked[node[place] ? labelOf(packed[node[place]]) : name[place]])) self += ns[place];
	}
	return self;
}

/** Each call is a key, and its stack the frames above it. */
function callersOf(/** @type {import('./stacks.js').Stacks} */ stacks, /** @type {import('./descent_tree.js').Weights} */ weights, /** @type {Ranges} */ calls, /** @type {number} */ labels) {
	const {size, first, last, at, depth} = calls;
	const ns = new Float64Array(size), count = new Float64Array(size);
	const paths = {name: new Int32Array(size), node: at.slice(0, size), end: new Int32Array(size), ends: [new Int32Array(0)], waker: stacks.waker};
	for (let call = 0; call < size; call++) {
		ns[call] = weights.total[last[call]] - weights.total[first[call]];
		count[call] = weights.count[last[call]] - weights.count[first[call]];
		paths.name[call] = stacks.name[first[call]];
		if (depth[call]) paths.end[call] = paths.ends.push(stacks.endFrames(first[call]).slice(0, depth[call])) - 1;
	}
	const model = {nodes: stacks.nodes, runs: []};
	return new CallersTree(model, new Callers(model, paths, labels), {ns, count}, false, null);
}
