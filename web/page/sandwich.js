// SPDX-License-Identifier: GPL-2.0-or-later
// One function in the middle: who called it above, what it called below. Of a recursion the
// outermost call counts, so nothing is counted twice.
import {Callers} from './callers.js';
import {CallersTree} from './callers_tree.js';
import {Descent, grown, Ranges} from './descent.js';
import {DescentTree} from './descent_tree.js';
import {labelOf} from './frames.js';
import {NOTHING_TOLD} from './whys.js';

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
	return {callers, callees: new DescentTree(new Descent(stacks, labels, calls), weights, false), total: callers.totalOf(0), self: ownTime(tree, marked)};
}

/** Nodes of the data that are marked and have no marked one above them, in order. @param {any} nodes @param {Uint8Array} marked by label */
function outermost({packed, last, rows}, marked) {
	let found = new Int32Array(1024), count = 0;
	for (let node = 1; node < rows; node++) {
		if (!marked[labelOf(packed[node])]) continue;
		if (count === found.length) found = grown(found, 2 * count);
		found[count++] = node;
		node = last[node]; // what is below
	}
	return found.subarray(0, count);
}

/** The first of `tops` from the place `from` on that has the node below it, or comes behind it: by steps that double, since few are passed at once. @param {Int32Array} tops @param {Int32Array} last @param {number} from @param {number} node */
function nextTop(tops, last, from, node) {
	let low = from, step = 1;
	while (low + step <= tops.length && last[tops[low + step - 1]] < node) {
		low += step;
		step *= 2;
	}
	for (let high = Math.min(low + step, tops.length); low < high;) {
		const middle = (low + high) >> 1;
		if (last[tops[middle]] < node) low = middle + 1;
		else high = middle;
	}
	return low;
}

/** Outermost calls as ranges. @param {DescentTree} tree @param {Uint8Array} marked by label */
function findCalls(tree, marked) {
	const {weights: {total}, trie: {stacks}} = tree, {name, node, end, ends, size, nodes: {last}} = stacks;
	const tops = outermost(stacks.nodes, marked), calls = new Ranges(Math.min(tops.length + 1024, size));
	const depths = Int32Array.from(ends, (frames) => 1 + frames.findIndex((frame) => marked[labelOf(frame)] > 0));
	const add = (/** @type {number} */ first, /** @type {number} */ next, /** @type {number} */ at, /** @type {number} */ depth) => {
		if (total[next] > total[first]) calls.add(first, next, at, depth);
		return next;
	};
	for (let place = 0, nameEnd = 0; place < size;) {
		nameEnd = stacks.endOfName(place, size);
		if (name[place] >= 0 && marked[name[place]]) {
			place = add(place, nameEnd, 0, 0);
			continue;
		}
		// Both in order of nodes: stacks and the calls that they go through.
		for (let top = 0; place < nameEnd;) {
			top = nextTop(tops, last, top, node[place]);
			const at = top < tops.length && tops[top] <= node[place] ? tops[top] : 0;
			const depth = depths[end[place]];
			let next = place + 1;
			if (at) {
				while (next < nameEnd && node[next] <= last[at]) next++;
				add(place, next, at, 0);
			} else if (depth) {
				next = add(place, stacks.endOfRange(place, nameEnd, node[place], depth), node[place], depth);
			}
			place = next;
		}
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
	return new CallersTree(model, new Callers(model, paths, labels), {ns, count}, NOTHING_TOLD, null);
}
