// SPDX-License-Identifier: GPL-2.0-or-later
// Weights of a tree from its roots: what all places before a place weigh, once; a range then weighs the
// difference of two. Sums are whole numbers below 2^53, so differences are exact.
import {PREEMPTED, RUNNING, SAMPLE, WOKEN} from './weigh.js';
import {classesOf, MainClasses} from './whys.js';

/** Sums of all places before each, and of all. @param {Float64Array} weights by place */
function sumsOf(weights) {
	const sums = new Float64Array(weights.length + 1);
	for (let place = 0, sum = 0; place < weights.length; place++) sums[place + 1] = sum += weights[place];
	return sums;
}

/** By place what weighs something in the stacks of one state. @param {any} model @param {Int32Array} order @param {Float64Array} ns by place @param {number[]} states */
function weightsIn({keys: {kind}, kinds}, order, ns, states) {
	const isWanted = Uint8Array.from(kinds.state, (/** @type {number} */ state) => Number(states.includes(state)));
	const weights = new Float64Array(ns.length);
	for (let place = 0; place < ns.length; place++) if (isWanted[kind[order[place]]]) weights[place] = ns[place];
	return weights;
}

export class Weights {
	/** By place. @param {any} model @param {import('./stacks.js').Stacks} stacks @param {any} weights @param {import('./whys.js').Told} told @param {Uint8Array | null} keeps */
	constructor(model, {order, size}, weights, {isStriped, tellsWhy}, keeps) {
		const {state} = model.kinds, {kind} = model.keys, {ns: nsOf, count: countOf} = weights;
		const ns = new Float64Array(size), counts = new Float64Array(size);
		for (let place = 0; place < size; place++) {
			const key = order[place];
			if (!nsOf[key] || (keeps && !keeps[key])) continue;
			ns[place] = nsOf[key];
			// Running time counts by its samples.
			if (state[kind[key]] !== RUNNING) counts[place] = countOf[key];
		}
		this.isStriped = isStriped;
		this.tellsWhy = tellsWhy;
		this.classes = tellsWhy ? classesOf(model) : new Uint8Array(0); // by kind
		this.kind = model.keys.kind;
		this.order = order;
		this.ns = ns;
		this.total = sumsOf(ns);
		this.count = sumsOf(counts);
		this.samples = weights.samples ? sumsOf(ns.map((weight, place) => weight ? weights.samples[order[place]] : 0)) : null;
		this.running = isStriped ? sumsOf(weightsIn(model, order, ns, [RUNNING, SAMPLE])) : null;
		this.runnable = isStriped ? sumsOf(weightsIn(model, order, ns, [WOKEN, PREEMPTED])) : null;
	}
}

export class DescentTree {
	/** @param {import('./descent.js').Descent} trie @param {Weights} weights @param {boolean} tellsWhy */
	constructor(trie, weights, tellsWhy = weights.tellsWhy) {
		this.trie = trie;
		this.weights = weights;
		this.isStriped = weights.isStriped;
		this.tellsWhy = tellsWhy;
		this.main = new MainClasses(this);
		this.known = 0; // nodes that have a total
		this.total = new Float64Array(0);
	}

	/** @param {number} node @param {Float64Array | null} sums */
	sum(node, sums) {
		const {firstRange, rangeCount, ranges: {first, last}} = this.trie;
		let sum = 0;
		for (let range = firstRange[node], end = range + rangeCount[node]; range < end && sums; range++) sum += sums[last[range]] - sums[first[range]];
		return sum;
	}

	/** With all below it. @param {number} node */
	totalOf(node) {
		const {trie} = this;
		if (node < this.known) return this.total[node];
		if (this.total.length < trie.size) {
			const next = new Float64Array(trie.parent.length);
			next.set(this.total);
			this.total = next;
		}
		for (; this.known < trie.size; this.known++) this.total[this.known] = this.sum(this.known, this.weights.total);
		return this.total[node];
	}

	/** Time of stacks that end there; the root is no frame. @param {number} node */
	selfOf(node) {
		if (!node) return 0;
		const {firstRange, rangeCount, ranges: {first}} = this.trie, {total} = this.weights;
		let sum = 0;
		for (let range = firstRange[node], end = range + rangeCount[node]; range < end; range++) sum += total[this.trie.rest(range)] - total[first[range]];
		return sum;
	}

	/** Waits or samples. @param {number} node */
	countOf(node) {
		return this.sum(node, this.weights.count);
	}

	/** Of events: how many of these were looked at. @param {number} node */
	samplesOf(node) {
		return this.sum(node, this.weights.samples);
	}

	/** @param {number} node */
	runningOf(node) {
		return this.sum(node, this.weights.running);
	}

	/** @param {number} node */
	runnableOf(node) {
		return this.sum(node, this.weights.runnable);
	}

	/** By class. @param {number} node */
	classSums(node) {
		const {firstRange, rangeCount, ranges: {first, last}} = this.trie, {classes, kind, order, ns} = this.weights;
		const sums = new Float64Array(classes.reduce((most, one) => Math.max(most, one), 0) + 1);
		for (let range = firstRange[node], end = range + rangeCount[node]; range < end; range++)
			for (let place = first[range]; place < last[range]; place++) sums[classes[kind[order[place]]]] += ns[place];
		return sums;
	}

	/** @param {number} node @returns {number} */
	mainClassOf(node) {
		return this.main.of(node);
	}
}
