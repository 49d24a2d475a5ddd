// SPDX-License-Identifier: GPL-2.0-or-later
// Through all frames of a range of sorted stacks, as if their tree were there: each frame that stacks have in
// common is entered once and left once.
import {labelOf, packFrame} from './frames.js';
import {TOP} from './descent.js';
import {NAME} from './trie.js';

/**
 * `enter`: a frame begins at a place, and with it the range (descent.js) that goes through the data's node `at` with
 * `depth` frames of an end; `leave`: the frame entered last ends before the place; `weigh`: the stack at the place has
 * all frames that are entered now.
 * @typedef {{enter: (frame: number, place: number, at: number, depth: number) => void, leave: (place: number) => void,
 *   weigh: (place: number) => void}} Visitor
 */

const NO_FRAMES = new Int32Array(0);

class Walk {
	/** @param {import('./stacks.js').Stacks} stacks @param {number} at @param {number} depth where it begins @param {Visitor} visitor */
	constructor(stacks, at, depth, visitor) {
		this.stacks = stacks;
		this.visitor = visitor;
		this.isTop = at === TOP;
		this.floor = depth; // ends are not left below it
		this.name = -1; // that is entered
		this.base = this.node = Math.max(at, 0);
		/** The end whose first `depth` frames are entered. @type {Int32Array} */
		this.end = NO_FRAMES;
		this.depth = depth;
		/** @type {number[]} */
		this.path = [];
	}

	/** @param {number} place */
	go(place) {
		const {stacks} = this, end = stacks.endFrames(place);
		if (this.isTop && stacks.name[place] !== this.name) this.goToName(place);
		if (stacks.node[place] !== this.node) this.goToNode(place);
		let same = this.floor;
		while (same < this.depth && same < end.length && labelOf(this.end[same]) === labelOf(end[same])) same++;
		this.leaveEnd(same, place);
		for (this.end = end; this.depth < end.length;) this.visitor.enter(end[this.depth], place, this.node, ++this.depth);
	}

	leaveEnd(/** @type {number} */ depth, /** @type {number} */ place) {
		for (; this.depth > depth; this.depth--) this.visitor.leave(place);
	}

	goToName(/** @type {number} */ place) {
		this.leaveAll(place);
		this.name = this.stacks.name[place];
		if (this.name >= 0) this.visitor.enter(packFrame(this.name, NAME), place, 0, 0);
	}

	/** To where the walk began. @param {number} place */
	leaveAll(place) {
		const {parent} = this.stacks.nodes;
		this.leaveEnd(this.floor, place);
		for (; this.node !== this.base; this.node = parent[this.node]) this.visitor.leave(place);
		if (this.name >= 0) this.visitor.leave(place);
		this.name = -1;
	}

	goToNode(/** @type {number} */ place) {
		const {path, visitor} = this, {nodes, waker} = this.stacks, {parent, packed, last} = nodes, node = this.stacks.node[place];
		this.leaveEnd(0, place);
		let above = this.node;
		for (; last[above] < node; above = parent[above]) visitor.leave(place);
		path.length = 0;
		for (let step = node; step !== above; step = parent[step]) path.push(step);
		for (let i = path.length; i-- > 0;) visitor.enter(packed[path[i]] | waker, place, path[i], 0);
		this.node = node;
	}
}

/** All that is below a node of the tree, and the node itself. @param {import('./descent_tree.js').DescentTree} tree @param {number} node @param {Visitor} visitor */
export function walk({trie, weights: {ns}}, node, visitor) {
	const {stacks, ranges} = trie;
	for (let range = trie.firstRange[node], end = range + trie.rangeCount[node]; range < end; range++) {
		const first = ranges.first[range], last = ranges.last[range], at = ranges.at[range], depth = ranges.depth[range];
		const one = new Walk(stacks, at, depth, visitor);
		if (node) visitor.enter(stacks.frameAt(first, at, depth), first, at, depth);
		for (let place = first; place < last; place++) {
			if (!ns[place]) continue;
			one.go(place);
			visitor.weigh(place);
		}
		one.leaveAll(last);
		if (node) visitor.leave(last);
	}
}
