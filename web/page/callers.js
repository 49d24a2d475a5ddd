// SPDX-License-Identifier: GPL-2.0-or-later
// The tree of a view from its leaves. Spelled out it would be larger than the tree from the roots, and
// nobody looks at most of it: a node is a range of keys whose stacks agree so far, and gets its children
// when somebody asks for them. Sums are over the keys of a range, so what has no children yet weighs
// what it would with them.
import {kindOf, labelOf, nodesWith} from './paths.js';
import {NAME, pathOf} from './trie.js';
import {BLOCKED, RUNNING, SAMPLE} from './weigh.js';

const ROOM = 1024;

/** What a stack has next. */
const ENDED = -1;

export class Callers {
	/** @param {any} model @param {import('./paths.js').Paths} paths @param {number} labels how many there are */
	constructor(model, paths, labels) {
		this.nodes = model.nodes;
		this.paths = paths;
		this.size = 1;
		this.parent = new Int32Array(ROOM);
		this.label = new Int32Array(ROOM).fill(-1);
		this.kind = new Uint8Array(ROOM);
		this.depth = new Int32Array(ROOM);
		// Keys of a node: order[first] to order[last - 1]; those that end in it come before `rest`.
		this.first = new Int32Array(ROOM);
		this.rest = new Int32Array(ROOM).fill(-1);
		this.last = new Int32Array(ROOM);
		// Children: from firstChild on, made in one go; -1: not asked for yet.
		this.firstChild = new Int32Array(ROOM).fill(-1);
		this.childCount = new Int32Array(ROOM);
		this.order = Int32Array.from(paths.node.keys()).filter((key) => paths.node[key] >= 0);
		this.last[0] = this.order.length;
		// By place in `order`: the frame of the data that comes next, 0 the name, -1 nothing.
		this.next = this.order.map((key) => paths.node[key]);
		this.childOf = new Int32Array(labels); // by label: the child of the node that is being opened
	}

	grow() {
		const room = this.parent.length * 2;
		for (const name of /** @type {const} */ (['parent', 'label', 'kind', 'depth', 'first', 'rest', 'last', 'firstChild', 'childCount'])) {
			const next = new /** @type {any} */ (this[name].constructor)(room);
			if (name === 'rest' || name === 'firstChild') next.fill(-1);
			next.set(this[name]);
			/** @type {any} */ (this)[name] = next;
		}
	}

	/** Label and kind of what the key at a place has next, as one number, or ENDED. @param {number} place @param {number} depth */
	frameAt(place, depth) {
		const {paths, nodes} = this;
		const key = this.order[place];
		const end = paths.ends[paths.end[key]];
		if (depth < end.length) return end[end.length - 1 - depth];
		const node = this.next[place];
		if (node > 0) return nodes.label[node] << 3 | nodes.kind[node] | paths.waker;
		return node === 0 && paths.name[key] >= 0 ? paths.name[key] << 3 | NAME : ENDED;
	}

	/** @param {number} parent @param {number} frame */
	add(parent, frame) {
		if (this.size === this.parent.length) this.grow();
		const node = this.size++;
		this.parent[node] = parent;
		this.label[node] = labelOf(frame);
		this.kind[node] = kindOf(frame);
		this.depth[node] = this.depth[parent] + 1;
		return node;
	}

	/** Gives a node its children. @param {number} node */
	open(node) {
		const {childOf} = this;
		const first = this.first[node], last = this.last[node], depth = this.depth[node];
		const kids = this.size;
		const target = new Int32Array(last - first);
		let ended = 0;
		for (let place = first; place < last; place++) {
			const frame = this.frameAt(place, depth);
			if (frame === ENDED) {
				target[place - first] = -1;
				ended++;
				continue;
			}
			let child = childOf[labelOf(frame)];
			if (child < kids) child = childOf[labelOf(frame)] = this.add(node, frame);
			this.last[child]++; // so far: how many
			target[place - first] = child;
		}
		this.firstChild[node] = kids;
		this.childCount[node] = this.size - kids;
		this.rest[node] = first + ended;
		this.settle(node, target);
	}

	/** Puts the keys of a node in the order of its children, each one frame further. @param {number} node @param {Int32Array} target by place: the child */
	settle(node, target) {
		const {paths, nodes, depth} = this;
		const first = this.first[node], kids = this.firstChild[node], end = kids + this.childCount[node];
		let from = this.rest[node];
		for (let child = kids; child < end; child++) {
			const keys = this.last[child];
			this.first[child] = this.last[child] = from;
			from += keys;
		}
		const order = this.order.slice(first, this.last[node]), next = this.next.slice(first, this.last[node]);
		let ended = first;
		for (let i = 0; i < order.length; i++) {
			const place = target[i] < 0 ? ended++ : this.last[target[i]]++;
			this.order[place] = order[i];
			if (depth[node] < paths.ends[paths.end[order[i]]].length) this.next[place] = next[i];
			else this.next[place] = next[i] > 0 ? nodes.parent[next[i]] : -1;
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

/** Weights of Callers, each sum made when the node is there. */
export class CallersTree {
	/** @param {any} model @param {Callers} trie @param {any} weights @param {boolean} isStriped @param {Uint8Array | null} keeps */
	constructor(model, trie, weights, isStriped, keeps) {
		this.model = model;
		this.trie = trie;
		this.isStriped = isStriped;
		this.ns = keeps ? weights.ns.map((/** @type {number} */ ns, /** @type {number} */ key) => keeps[key] ? ns : 0) : weights.ns;
		this.counts = weights.count;
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
		for (let node = trie.size - 1; node >= known; node--) {
			this.addKeys(node, trie.first[node], trie.firstChild[node] < 0 ? trie.last[node] : trie.rest[node]);
			const above = trie.parent[node];
			if (!node || above < known) continue;
			this.total[above] += this.total[node];
			this.count[above] += this.count[node];
			this.running[above] += this.running[node];
			this.runnable[above] += this.runnable[node];
		}
		this.known = trie.size;
	}

	addKeys(/** @type {number} */ node, /** @type {number} */ first, /** @type {number} */ last) {
		const {ns, counts, isStriped} = this, {order} = this.trie;
		const {kind} = this.model.keys, {state} = this.model.kinds;
		let total = 0, count = 0, running = 0, runnable = 0;
		for (let place = first; place < last; place++) {
			const key = order[place], part = ns[key];
			if (!part) continue;
			total += part;
			const what = state[kind[key]];
			// Running time counts by its samples.
			if (what !== RUNNING) count += counts[key];
			if (!isStriped) continue;
			if (what === RUNNING || what === SAMPLE) running += part;
			else if (what !== BLOCKED) runnable += part;
		}
		this.total[node] += total;
		this.count[node] += count;
		this.running[node] += running;
		this.runnable[node] += runnable;
	}

	/** Time below `zoom` in stacks that have a marked label from there on. @param {Uint8Array} marked by label @param {number} zoom */
	matchedNs(marked, zoom) {
		const {trie, ns} = this, {paths, order, next} = trie;
		if (zoom && marked[trie.label[zoom]]) return this.totalOf(zoom);
		const inNodes = nodesWith(this.model, marked), depth = trie.depth[zoom];
		let sum = 0;
		for (let place = trie.first[zoom]; place < trie.last[zoom]; place++) {
			const key = order[place], end = paths.ends[paths.end[key]], name = paths.name[key];
			let has = next[place] > 0 && inNodes[next[place]] > 0 || next[place] >= 0 && name >= 0 && marked[name] > 0;
			for (let i = end.length - 1 - depth; i >= 0 && !has; i--) has = marked[labelOf(end[i])] > 0;
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
