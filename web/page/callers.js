// SPDX-License-Identifier: GPL-2.0-or-later
// The tree of a view from its leaves. Spelled out it would be larger than the tree from the roots, and
// nobody looks at most of it: a node is a range of keys whose stacks agree so far, and gets its children
// when somebody asks for them. callers_tree.js has the weights.
import {kindOf, labelOf, packFrame} from './frames.js';
import {NAME, pathOf} from './trie.js';

const ROOM = 1024;

// Instead of a frame: the stack has nothing more.
const ENDED = -1;

/** Keys that a view wants. @param {import('./paths.js').Paths} paths */
function wantedKeys({node}) {
	const keys = new Int32Array(node.length);
	let count = 0;
	for (let key = 0; key < node.length; key++) if (node[key] >= 0) keys[count++] = key;
	return keys.slice(0, count);
}

export class Callers {
	/** @param {any} model @param {import('./paths.js').Paths} paths @param {number} labels how many there are */
	constructor(model, paths, labels) {
		this.nodes = model.nodes;
		this.paths = paths;
		this.size = 1;
		this.parent = new Int32Array(ROOM);
		this.label = new Int32Array(ROOM).fill(-1);
		this.kind = new Uint8Array(ROOM);
		// Keys of a node: order[first] to order[last - 1]; those that end in it come before `rest`.
		this.first = new Int32Array(ROOM);
		this.rest = new Int32Array(ROOM).fill(-1);
		this.last = new Int32Array(ROOM);
		// Children: from firstChild on, made in one go; -1: not asked for yet.
		this.firstChild = new Int32Array(ROOM).fill(-1);
		this.childCount = new Int32Array(ROOM);
		this.order = wantedKeys(paths);
		this.last[0] = this.order.length;
		// By place in `order` what comes next: a node of the data, 0 the name, -1 nothing, below that so
		// many frames of the end and one less.
		this.next = this.order.map((key) => this.start(key));
		this.childOf = new Int32Array(labels); // by label: the child of the node that is being opened
		this.target = new Int32Array(this.order.length); // by place: the child it goes to
		this.oldOrder = new Int32Array(this.order.length);
		this.oldNext = new Int32Array(this.order.length);
	}

	grow() {
		const room = this.parent.length * 2;
		for (const name of /** @type {const} */ (['parent', 'label', 'kind', 'first', 'rest', 'last', 'firstChild', 'childCount'])) {
			const next = new /** @type {any} */ (this[name].constructor)(room);
			if (name === 'rest' || name === 'firstChild') next.fill(-1);
			next.set(this[name]);
			/** @type {any} */ (this)[name] = next;
		}
	}

	/** What a key has first. @param {number} key */
	start(key) {
		const {length} = this.paths.ends[this.paths.end[key]];
		return length ? -1 - length : this.paths.node[key];
	}

	/** The frame that a key has next, or ENDED. @param {number} key @param {number} next as in `next` */
	frameOf(key, next) {
		const {paths} = this;
		if (next > 0) return this.nodes.packed[next] | paths.waker;
		if (next < -1) return paths.ends[paths.end[key]][-2 - next];
		return next === 0 && paths.name[key] >= 0 ? packFrame(paths.name[key], NAME) : ENDED;
	}

	/** What comes after that. @param {number} key @param {number} next */
	after(key, next) {
		if (next > 0) return this.nodes.parent[next];
		return next < -2 ? next + 1 : next === -2 ? this.paths.node[key] : -1;
	}

	/** Frames that all keys of a range have in common. @param {number} first @param {number} last */
	common(first, last) {
		const {order, next} = this, {packed, parent} = this.nodes, {waker} = this.paths;
		const frames = [];
		for (let at = next[first], key = order[first], frame; (frame = this.frameOf(key, at)) !== ENDED; at = this.after(key, at)) frames.push(frame);
		let same = frames.length;
		for (let place = first + 1; place < last && same; place++) {
			const key = order[place];
			let at = next[place], i = 0;
			while (i < same) {
				// Nearly all frames are the data's.
				for (; at > 0 && i < same && (packed[at] | waker) === frames[i]; i++) at = parent[at];
				if (at > 0 || i === same || this.frameOf(key, at) !== frames[i]) break;
				at = this.after(key, at);
				i++;
			}
			same = i;
		}
		frames.length = same;
		return frames;
	}

	/** @param {number} parent @param {number} frame */
	add(parent, frame) {
		if (this.size === this.parent.length) this.grow();
		const node = this.size++;
		this.parent[node] = parent;
		this.label[node] = labelOf(frame);
		this.kind[node] = kindOf(frame);
		return node;
	}

	/** Gives a node its children; where all keys agree, also theirs, as far as they agree. @param {number} node */
	open(node) {
		const first = this.first[node], last = this.last[node];
		const frames = first < last ? this.common(first, last) : [];
		if (!frames.length) {
			this.divide(node);
			return;
		}
		for (const frame of frames) {
			const child = this.add(node, frame);
			this.first[child] = first;
			this.last[child] = last;
			this.rest[node] = first;
			this.firstChild[node] = child;
			this.childCount[node] = 1;
			node = child;
		}
		this.advance(first, last, frames.length);
	}

	/** Keys go so many frames further. @param {number} first @param {number} last @param {number} steps */
	advance(first, last, steps) {
		const {order, next} = this, {parent} = this.nodes;
		for (let place = first; place < last; place++) {
			let at = next[place];
			for (let step = 0; step < steps; step++) at = at > 0 ? parent[at] : this.after(order[place], at);
			next[place] = at;
		}
	}

	/** Puts the keys of a node in the order of its children, each one frame further. @param {number} node */
	divide(node) {
		const {childOf, target, order, next} = this, {packed, parent} = this.nodes, {waker} = this.paths;
		const first = this.first[node], last = this.last[node], kids = this.size;
		let ended = 0, counts = this.last;
		for (let place = first; place < last; place++) {
			const at = next[place];
			const frame = at > 0 ? packed[at] | waker : this.frameOf(order[place], at);
			if (frame === ENDED) {
				target[place] = -1;
				ended++;
				continue;
			}
			let child = childOf[labelOf(frame)];
			if (child < kids) {
				child = childOf[labelOf(frame)] = this.add(node, frame);
				counts = this.last; // it may have grown
			}
			counts[child]++;
			target[place] = child;
			next[place] = at > 0 ? parent[at] : this.after(order[place], at);
		}
		this.rest[node] = first + ended;
		this.firstChild[node] = kids;
		this.childCount[node] = this.size - kids;
		for (let child = kids, from = first + ended; child < this.size; child++) {
			const keys = this.last[child];
			this.first[child] = this.last[child] = from;
			from += keys;
		}
		this.sort(first, last);
	}

	/** By what `target` says; keys of one child stay in order. @param {number} first @param {number} last */
	sort(first, last) {
		const {target, order, next, oldOrder, oldNext} = this, places = this.last;
		oldOrder.set(order.subarray(first, last));
		oldNext.set(next.subarray(first, last));
		for (let i = 0, ended = first; i < last - first; i++) {
			const child = target[first + i], place = child < 0 ? ended++ : places[child]++;
			order[place] = oldOrder[i];
			next[place] = oldNext[i];
		}
	}

	/** @param {number} node */
	childList(node) {
		if (this.firstChild[node] < 0) this.open(node);
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
