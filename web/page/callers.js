// SPDX-License-Identifier: GPL-2.0-or-later
// The tree of a view from its leaves. Spelled out it would be larger than the tree from the roots, and
// nobody looks at most of it: a node is a range of keys whose stacks agree so far, and gets its children
// when somebody asks for them. Sums are over the keys of a range, so what has no children yet weighs
// what it would with them.
import {kindOf, labelOf, packFrame} from './frames.js';
import {nodesWith} from './paths.js';
import {NAME, pathOf} from './trie.js';
import {BLOCKED, RUNNING, SAMPLE} from './weigh.js';

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

/** Counts without those of running time, which counts by its samples. @param {any} model @param {Float64Array} counts */
function countable(model, counts) {
	const copy = counts.slice();
	for (const key of model.runs) if (model.kinds.state[model.keys.kind[key]] === RUNNING) copy[key] = 0;
	return copy;
}

/** Weights of Callers, each sum made when the node is there. */
export class CallersTree {
	/** @param {any} model @param {Callers} trie @param {any} weights @param {boolean} isStriped @param {Uint8Array | null} keeps */
	constructor(model, trie, weights, isStriped, keeps) {
		this.model = model;
		this.trie = trie;
		this.isStriped = isStriped;
		this.ns = keeps ? weights.ns.map((/** @type {number} */ ns, /** @type {number} */ key) => keeps[key] ? ns : 0) : weights.ns;
		this.counts = countable(model, weights.count);
		this.known = 0;
		this.total = this.count = this.running = this.runnable = new Float64Array(0);
	}

	/** Sums of nodes made since; of those with children the children's are used. */
	learn() {
		const {trie, known} = this;
		for (const name of /** @type {const} */ (['total', 'count', 'running', 'runnable'])) {
			if (this[name].length >= trie.size) continue;
			const next = new Float64Array(trie.parent.length);
			next.set(this[name]);
			this[name] = next;
		}
		let settled = known;
		for (; settled > 0 && settled < trie.size && this.isAlone(settled); settled++) this.give(trie.parent[settled], settled);
		for (let node = trie.size - 1; node >= settled; node--) {
			this.addKeys(node);
			if (node && trie.parent[node] >= settled) this.give(node, trie.parent[node]);
		}
		this.known = trie.size;
	}

	/** Has it all that its parent has? @param {number} node */
	isAlone(node) {
		const {trie} = this, above = trie.parent[node];
		return trie.first[node] === trie.first[above] && trie.last[node] === trie.last[above];
	}

	/** Adds the sums of one node to another's. @param {number} from @param {number} to */
	give(from, to) {
		this.total[to] += this.total[from];
		this.count[to] += this.count[from];
		this.running[to] += this.running[from];
		this.runnable[to] += this.runnable[from];
	}

	/** Adds the keys that no child of the node has. @param {number} node */
	addKeys(node) {
		const {ns, counts} = this, {order} = this.trie;
		const first = this.trie.first[node], last = this.trie.firstChild[node] < 0 ? this.trie.last[node] : this.trie.rest[node];
		let total = 0, count = 0;
		for (let place = first; place < last; place++) {
			const key = order[place];
			total += ns[key];
			// What has no time does not count.
			if (ns[key]) count += counts[key];
		}
		this.total[node] += total;
		this.count[node] += count;
		if (this.isStriped) this.addStates(node, first, last);
	}

	addStates(/** @type {number} */ node, /** @type {number} */ first, /** @type {number} */ last) {
		const {kind} = this.model.keys, {state} = this.model.kinds, {order} = this.trie;
		for (let place = first; place < last; place++) {
			const what = state[kind[order[place]]], part = this.ns[order[place]];
			if (what === RUNNING || what === SAMPLE) this.running[node] += part;
			else if (what !== BLOCKED) this.runnable[node] += part;
		}
	}

	/** Time below `zoom` in stacks that have a marked label from there on. @param {Uint8Array} marked by label @param {number} zoom */
	matchedNs(marked, zoom) {
		const {trie, ns} = this, {paths, order} = trie;
		if (zoom && marked[trie.label[zoom]]) return this.totalOf(zoom);
		const inNodes = nodesWith(this.model, marked);
		const depth = trie.path(zoom).length;
		let sum = 0;
		for (let place = trie.first[zoom]; place < trie.last[zoom]; place++) {
			const key = order[place], end = paths.ends[paths.end[key]], name = paths.name[key];
			let at = trie.start(key);
			for (let step = 0; step < depth; step++) at = trie.after(key, at);
			const node = at < -1 ? paths.node[key] : at;
			let has = node > 0 && inNodes[node] > 0 || node >= 0 && name >= 0 && marked[name] > 0;
			for (let i = -1 - at; i-- > 0 && !has;) has = marked[labelOf(end[i])] > 0;
			if (has) sum += ns[key];
		}
		return sum;
	}

	/** With all below it. @param {number} node */
	totalOf(node) {
		if (node >= this.known) this.learn();
		return this.total[node];
	}

	/** Time of stacks that end there. @param {number} node */
	selfOf(node) {
		const {trie} = this;
		if (trie.firstChild[node] < 0) trie.open(node);
		let self = 0;
		for (let place = trie.first[node]; place < trie.rest[node]; place++) self += this.ns[trie.order[place]];
		return self;
	}

	/** Waits or samples. @param {number} node */
	countOf(node) {
		if (node >= this.known) this.learn();
		return this.count[node];
	}

	/** @param {number} node */
	runningOf(node) {
		if (node >= this.known) this.learn();
		return this.running[node];
	}

	/** @param {number} node */
	runnableOf(node) {
		if (node >= this.known) this.learn();
		return this.runnable[node];
	}
}
