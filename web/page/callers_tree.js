// SPDX-License-Identifier: GPL-2.0-or-later
// Weights of a tree from the leaves: sums over the keys of a node's range, so what has no children yet
// weighs what it would with them.
import {labelOf} from './frames.js';
import {nodesWith} from './paths.js';
import {BLOCKED, RUNNING, SAMPLE} from './weigh.js';
import {classesOf, MainClasses} from './whys.js';

/** Counts without those of running time, which counts by its samples. @param {any} model @param {Float64Array} counts */
function countable(model, counts) {
	const copy = counts.slice();
	for (const key of model.runs) if (model.kinds.state[model.keys.kind[key]] === RUNNING) copy[key] = 0;
	return copy;
}

/** Each sum is made when the node is there. */
export class CallersTree {
	/** @param {any} model @param {import('./callers.js').Callers} trie @param {any} weights @param {import('./whys.js').Told} told @param {Uint8Array | null} keeps */
	constructor(model, trie, weights, {isStriped, tellsWhy}, keeps) {
		this.model = model;
		this.trie = trie;
		this.isStriped = isStriped;
		this.tellsWhy = tellsWhy;
		this.classes = tellsWhy ? classesOf(model) : new Uint8Array(0);
		this.main = new MainClasses(this);
		this.ns = keeps ? weights.ns.map((/** @type {number} */ ns, /** @type {number} */ key) => keeps[key] ? ns : 0) : weights.ns;
		this.counts = countable(model, weights.count);
		/** @type {Float64Array | null} */
		this.samples = weights.samples || null;
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

	/** Of events: how many of these were looked at. @param {number} node */
	samplesOf(node) {
		const {trie: {order, first, last}, ns, samples} = this;
		let sum = 0;
		for (let place = first[node]; samples && place < last[node]; place++) if (ns[order[place]]) sum += samples[order[place]];
		return sum;
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

	/** By class. @param {number} node */
	classSums(node) {
		const {trie: {order, first, last}, classes, ns, model: {keys: {kind}}} = this;
		const sums = new Float64Array(classes.reduce((most, one) => Math.max(most, one), 0) + 1);
		for (let place = first[node]; place < last[node]; place++) sums[classes[kind[order[place]]]] += ns[order[place]];
		return sums;
	}

	/** @param {number} node @returns {number} */
	mainClassOf(node) {
		return this.main.of(node);
	}
}
