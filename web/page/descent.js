// SPDX-License-Identifier: GPL-2.0-or-later
// A tree from its roots that is made while it is looked at. Stacks are sorted (stacks.js), so all that
// have their first frames in common are a range of places; a node is one such range, or several that the
// same frames lead to, and gets its children when somebody asks for them. descent_tree.js has the weights.
import {kindOf, labelOf, packFrame} from './frames.js';
import {NAME, pathOf} from './trie.js';

const ROOM_AT_FIRST = 1024;
// Instead of a node of the data: not even the name has been passed.
export const TOP = -1;

/** A copy with more room. @param {any} column @param {number} room */
export function grown(column, room) {
	const next = new column.constructor(room);
	next.set(column);
	return next;
}

/**
 * Ranges of places: those from `first` to `last` - 1, whose stacks go through the data's node `at` and have
 * `depth` frames of their ends behind them.
 */
export class Ranges {
	/** @param {number} room for so many at first */
	constructor(room = ROOM_AT_FIRST) {
		this.size = 0;
		this.first = new Int32Array(room);
		this.last = new Int32Array(room);
		this.at = new Int32Array(room);
		this.depth = new Int32Array(room);
	}

	/** @param {number} first @param {number} last @param {number} at @param {number} depth */
	add(first, last, at, depth) {
		if (this.size === this.first.length) this.reserve(2 * this.size);
		const range = this.size++;
		this.first[range] = first;
		this.last[range] = last;
		this.at[range] = at;
		this.depth[range] = depth;
	}

	/** @param {number} room */
	reserve(room) {
		if (room > this.first.length) for (const name of /** @type {const} */ (['first', 'last', 'at', 'depth'])) this[name] = grown(this[name], room);
	}
}

export class Descent {
	/**
	 * @param {import('./stacks.js').Stacks} stacks @param {number} labels how many there are
	 * @param {Ranges | null} calls what its root's children are; null: all stacks, from their roots
	 */
	constructor(stacks, labels, calls = null) {
		this.stacks = stacks;
		this.size = 1;
		this.parent = new Int32Array(ROOM_AT_FIRST);
		this.label = new Int32Array(ROOM_AT_FIRST).fill(-1);
		this.kind = new Uint8Array(ROOM_AT_FIRST);
		// Children: from firstChild on, made in one go; 0: not asked for yet.
		this.firstChild = new Int32Array(ROOM_AT_FIRST);
		this.childCount = new Int32Array(ROOM_AT_FIRST);
		// Ranges of a node: from firstRange on.
		this.firstRange = new Int32Array(ROOM_AT_FIRST);
		this.rangeCount = new Int32Array(ROOM_AT_FIRST);
		this.ranges = new Ranges();
		this.childOf = new Int32Array(labels); // by label: the child of the node that is being opened
		// Of the node that is being opened: ranges as they are found, and the child that each belongs to.
		this.found = new Ranges();
		this.foundChild = new Int32Array(ROOM_AT_FIRST);
		if (calls) this.openCalls(calls);
		else {
			this.ranges.add(0, stacks.size, TOP, 0);
			this.rangeCount[0] = 1;
		}
	}

	grow() {
		const room = this.parent.length * 2;
		for (const name of /** @type {const} */ (['parent', 'label', 'kind', 'firstChild', 'childCount', 'firstRange', 'rangeCount'])) /** @type {any} */ (this)[name] = grown(this[name], room);
	}

	/** A range goes to the child with that frame, which is made if need be. @param {number} parent @param {number} frame @param {number} kids the first child */
	put(parent, frame, kids, /** @type {number} */ first, /** @type {number} */ last, /** @type {number} */ at, /** @type {number} */ depth) {
		const label = labelOf(frame);
		let child = this.childOf[label];
		if (child < kids) {
			if (this.size === this.parent.length) this.grow();
			child = this.childOf[label] = this.size++;
			this.parent[child] = parent;
			this.label[child] = label;
			this.kind[child] = kindOf(frame);
		}
		this.rangeCount[child]++;
		if (this.found.size === this.foundChild.length) this.foundChild = grown(this.foundChild, 2 * this.foundChild.length);
		this.foundChild[this.found.size] = child;
		this.found.add(first, last, at, depth);
	}

	/** Children of the root are the frames that ranges end in. @param {Ranges} calls */
	openCalls(calls) {
		const {first, last, at, depth, size} = calls;
		if (size && this.stacks.haveOneLabel(calls)) {
			this.put(0, this.stacks.frameAt(first[0], at[0], depth[0]), 1, first[0], last[0], at[0], depth[0]);
			this.settle(0, 1);
			this.ranges = calls;
			this.rangeCount[0] = this.rangeCount[1] = size;
			return;
		}
		for (let i = 0; i < size; i++) this.put(0, this.stacks.frameAt(first[i], at[i], depth[i]), 1, first[i], last[i], at[i], depth[i]);
		this.settle(0, 1);
		this.rangeCount[0] = size; // those of all children
	}

	/** Gives a node its children. @param {number} node */
	open(node) {
		const kids = this.size, begin = this.firstRange[node], end = begin + this.rangeCount[node];
		for (let range = begin; range < end; range++) {
			const {first, last, at, depth} = this.ranges;
			if (at[range] === TOP) this.openNames(node, kids, first[range], last[range]);
			else if (depth[range]) this.openEnds(node, kids, first[range], last[range], at[range], depth[range]);
			else this.openFrames(node, kids, first[range], last[range], at[range]);
		}
		this.settle(node, kids);
	}

	/** Ranges that were found become the children's. @param {number} node @param {number} kids */
	settle(node, kids) {
		const {found, foundChild, ranges} = this;
		this.firstChild[node] = kids;
		this.childCount[node] = this.size - kids;
		let next = ranges.size;
		if (next + found.size > ranges.first.length) ranges.reserve(2 * (next + found.size));
		for (let child = kids; child < this.size; child++) {
			this.firstRange[child] = next;
			next += this.rangeCount[child];
			this.rangeCount[child] = 0;
		}
		ranges.size = next;
		for (let i = 0; i < found.size; i++) {
			const child = foundChild[i], range = this.firstRange[child] + this.rangeCount[child]++;
			ranges.first[range] = found.first[i];
			ranges.last[range] = found.last[i];
			ranges.at[range] = found.at[i];
			ranges.depth[range] = found.depth[i];
		}
		found.size = 0;
	}

	openNames(/** @type {number} */ node, /** @type {number} */ kids, /** @type {number} */ first, /** @type {number} */ last) {
		const {stacks} = this;
		for (let place = first, end; place < last; place = end) {
			const name = stacks.name[place];
			end = stacks.endOfName(place, last);
			if (name < 0) this.openFrames(node, kids, place, end, 0);
			else this.put(node, packFrame(name, NAME), kids, place, end, 0, 0);
		}
	}

	/** First the ends of those that go no further in the data, then what is below. */
	openFrames(/** @type {number} */ node, /** @type {number} */ kids, /** @type {number} */ first, /** @type {number} */ last, /** @type {number} */ at) {
		const {stacks} = this, {packed, last: lasts} = stacks.nodes;
		// Most ranges of a sandwich are a single stack.
		if (last - first === 1 && stacks.node[first] > at) {
			const child = stacks.childTowards(at, at + 1, stacks.node[first]);
			this.put(node, packed[child] | stacks.waker, kids, first, last, child, 0);
			return;
		}
		let place = stacks.endOfNode(first, last, at);
		if (place > first) this.openEnds(node, kids, first, place, at, 0);
		for (let child = at + 1, end; place < last; place = end, child = lasts[child] + 1) {
			child = stacks.childTowards(at, child, stacks.node[place]);
			end = stacks.endOfNode(place, last, lasts[child]);
			this.put(node, packed[child] | stacks.waker, kids, place, end, child, 0);
		}
	}

	openEnds(/** @type {number} */ node, /** @type {number} */ kids, /** @type {number} */ first, /** @type {number} */ last, /** @type {number} */ at, /** @type {number} */ depth) {
		const {stacks} = this;
		for (let place = stacks.endOfEnded(first, last, depth), end; place < last; place = end) {
			const frame = stacks.endFrames(place)[depth];
			end = stacks.endOfEnds(place, last, depth);
			this.put(node, frame, kids, place, end, at, depth + 1);
		}
	}

	/** Places of a range whose stacks end there are those before this one. @param {number} range */
	rest(range) {
		const {first, last, at, depth} = this.ranges, {stacks} = this;
		if (at[range] === TOP) return first[range];
		const end = depth[range] ? last[range] : stacks.endOfNode(first[range], last[range], at[range]);
		return stacks.endOfEnded(first[range], end, depth[range]);
	}

	/** Does the stack at a place go through a node? @param {number} node @param {number} place */
	has(node, place) {
		const {first, last} = this.ranges;
		for (let range = this.firstRange[node], end = range + this.rangeCount[node]; range < end; range++)
			if (first[range] <= place && place < last[range]) return true;
		return false;
	}

	/** @param {number} node */
	childList(node) {
		if (!this.firstChild[node]) this.open(node);
		const first = this.firstChild[node];
		return Array.from({length: this.childCount[node]}, (_, i) => first + i);
	}

	/** @param {number} parent @param {number} label */
	find(parent, label) {
		for (const child of this.childList(parent)) if (this.label[child] === label) return child;
		return -1;
	}

	/** @param {number} node */
	path(node) {
		return pathOf(this, node);
	}
}
