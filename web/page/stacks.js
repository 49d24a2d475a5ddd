// SPDX-License-Identifier: GPL-2.0-or-later
// The stacks of a view in the order of a tree: by name, by node of the data, by the labels of their ends.
// The data numbers its nodes so that all below one follow it; so whatever frames stacks begin with, those
// that have them in common are neighbours, and nothing needs to be spelled out to find them.
import {labelOf, packFrame} from './frames.js';
import {NAME} from './trie.js';

/** Rows in the order of their values, from -1 on; equal ones stay in order. @param {Int32Array} values by row @param {Int32Array} rows */
function sorted(values, rows) {
	let most = -1;
	for (let i = 0; i < rows.length; i++) if (values[rows[i]] > most) most = values[rows[i]];
	const starts = new Int32Array(most + 3), order = new Int32Array(rows.length);
	for (let i = 0; i < rows.length; i++) starts[values[rows[i]] + 2]++;
	for (let value = 1; value < starts.length; value++) starts[value] += starts[value - 1];
	for (let i = 0; i < rows.length; i++) order[starts[values[rows[i]] + 1]++] = rows[i];
	return order;
}

/** All keys of a model by their nodes, those of one node as they are: many ask for it. @param {any} model @returns {Int32Array} */
export function keysByNode(model) {
	const {keys} = model;
	return keys.byNode || (keys.byNode = sorted(keys.node, Int32Array.from({length: keys.rows}, (_, key) => key)));
}

/** Are rows in that order already? @param {Int32Array} values by row @param {Int32Array} rows */
function isSorted(values, rows) {
	for (let i = 1; i < rows.length; i++) if (values[rows[i]] < values[rows[i - 1]]) return false;
	return true;
}

/** Keys that the view wants, by name and node. @param {Int32Array} byNode @param {import('./paths.js').Paths} paths */
function orderKeys(byNode, {name, node}) {
	let order = new Int32Array(node.length), count = 0;
	for (let i = 0; i < byNode.length; i++) if (node[byNode[i]] >= 0) order[count++] = byNode[i];
	order = order.slice(0, count);
	// Wakers have nodes of their own.
	if (!isSorted(node, order)) order = sorted(node, order);
	return isSorted(name, order) ? order : sorted(name, order);
}

/** By place what its key has. @param {Int32Array} values by key @param {Int32Array} order */
function inOrder(values, order) {
	const column = new Int32Array(order.length);
	for (let place = 0; place < order.length; place++) column[place] = values[order[place]];
	return column;
}

/** By key the place of its end among all ends. @param {Int32Array} end @param {Int32Array[]} ends */
function rankKeys(end, ends) {
	const ranks = new Int32Array(ends.length), rankOf = new Int32Array(end.length);
	Array.from(ends.keys()).sort((a, b) => compareEnds(ends[a], ends[b])).forEach((number, rank) => { ranks[number] = rank; });
	for (let key = 0; key < end.length; key++) rankOf[key] = ranks[end[key]];
	return rankOf;
}

/** By labels, then by length. */
function compareEnds(/** @type {Int32Array} */ a, /** @type {Int32Array} */ b) {
	for (let i = 0; i < a.length && i < b.length; i++) if (labelOf(a[i]) !== labelOf(b[i])) return labelOf(a[i]) - labelOf(b[i]);
	return a.length - b.length;
}

// So few are sorted by moving each to its place.
const FEW = 16;

/** @param {Int32Array} order its part from first to last - 1 is sorted @param {number} first @param {number} last @param {Int32Array} rankOf by key */
function insertByRank(order, first, last, rankOf) {
	for (let next = first + 1; next < last; next++) {
		const key = order[next], rank = rankOf[key];
		let place = next;
		for (; place > first && rankOf[order[place - 1]] > rank; place--) order[place] = order[place - 1];
		order[place] = key;
	}
}

export class Stacks {
	/** @param {any} model @param {import('./paths.js').Paths} paths */
	constructor(model, paths) {
		const {ends, waker} = paths;
		this.nodes = model.nodes;
		this.ends = ends;
		this.waker = waker;
		this.order = orderKeys(keysByNode(model), paths); // by place the key
		this.size = this.order.length;
		this.name = inOrder(paths.name, this.order);
		this.node = inOrder(paths.node, this.order);
		this.sortEnds(paths.end);
		this.end = inOrder(paths.end, this.order);
	}

	/** Places of one name and node go by their ends. @param {Int32Array} end by key */
	sortEnds(end) {
		const {order, name, node, size} = this, rankOf = rankKeys(end, this.ends);
		if (this.ends.length < 2) return;
		for (let first = 0, last; first < size; first = last) {
			for (last = first + 1; last < size && node[last] === node[first] && name[last] === name[first];) last++;
			if (last - first <= FEW) insertByRank(order, first, last, rankOf);
			else this.sortRange(first, last, rankOf);
		}
	}

	/** @param {number} first @param {number} last @param {Int32Array} rankOf by key */
	sortRange(first, last, rankOf) {
		const range = this.order.subarray(first, last);
		if (this.ends.length <= range.length) range.set(sorted(rankOf, range));
		else range.sort((a, b) => rankOf[a] - rankOf[b] || a - b);
	}

	/** Frames of the end of the stack at a place. @param {number} place */
	endFrames(place) {
		return this.ends[this.end[place]];
	}

	/** The frame that a range (descent.js) has come to. @param {number} place @param {number} at @param {number} depth */
	frameAt(place, at, depth) {
		if (depth) return this.endFrames(place)[depth - 1];
		return at ? this.nodes.packed[at] | this.waker : packFrame(this.name[place], NAME);
	}

	/** Have ranges come to frames of one label? @param {import('./descent.js').Ranges} ranges */
	haveOneLabel({first, at, depth, size}) {
		const label = labelOf(this.frameAt(first[0], at[0], depth[0]));
		for (let range = 1; range < size; range++) if (labelOf(this.frameAt(first[range], at[range], depth[range])) !== label) return false;
		return true;
	}

	/** The child of `at` that `node` is below or is itself; `guess` is one of its children. @param {number} at @param {number} guess @param {number} node */
	childTowards(at, guess, node) {
		const {parent, last} = this.nodes;
		if (last[guess] >= node) return guess;
		let child = node;
		while (parent[child] !== at) child = parent[child];
		return child;
	}

	/** The first place from `first` on, at most `last`, that has a larger value. @param {Int32Array} values in order */
	after(values, /** @type {number} */ value, /** @type {number} */ first, /** @type {number} */ last) {
		// Most ranges are short: the step doubles from the near end.
		let step = 1, low = first;
		while (low + step <= last && values[low + step - 1] <= value) {
			low += step;
			step *= 2;
		}
		let high = Math.min(low + step - 1, last);
		while (low < high) {
			const middle = low + high >> 1;
			if (values[middle] <= value) low = middle + 1;
			else high = middle;
		}
		return low;
	}

	/** Where stacks of another name begin. @param {number} first @param {number} last */
	endOfName(first, last) {
		return this.after(this.name, this.name[first], first, last);
	}

	/** Of one name: where nodes beyond that one begin. @param {number} first @param {number} last @param {number} node */
	endOfNode(first, last, node) {
		return this.after(this.node, node, first, last);
	}

	/** Of one name and node: where ends with more than `depth` frames begin. @param {number} first @param {number} last @param {number} depth */
	endOfEnded(first, last, depth) {
		while (first < last && this.endFrames(first).length === depth) first++;
		return first;
	}

	/** Likewise: where ends begin whose frame after `depth` others is another. @param {number} first @param {number} last @param {number} depth */
	endOfEnds(first, last, depth) {
		const label = labelOf(this.endFrames(first)[depth]);
		let place = first + 1;
		while (place < last && labelOf(this.endFrames(place)[depth]) === label) place++;
		return place;
	}

	/** Of one name: where the range ends that begins at a place and has come to a node, or so deep into an end. @param {number} first @param {number} last @param {number} at @param {number} depth */
	endOfRange(first, last, at, depth) {
		if (!depth) return this.endOfNode(first, last, this.nodes.last[at]);
		const end = this.endOfNode(first, last, at), frames = this.endFrames(first);
		let place = first + 1;
		while (place < end && haveInCommon(frames, this.endFrames(place), depth)) place++;
		return place;
	}
}

/** Are their first frames the same? @param {Int32Array} a @param {Int32Array} b @param {number} depth */
function haveInCommon(a, b, depth) {
	if (b.length < depth) return false;
	for (let i = 0; i < depth; i++) if (labelOf(a[i]) !== labelOf(b[i])) return false;
	return true;
}
