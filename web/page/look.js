// SPDX-License-Identifier: GPL-2.0-or-later
// From what is being looked at to what is shown: filter, weights, tree, zoom, matches. Each step is
// kept until something it depends on changes.
import {followPath} from './layout.js';
import {sandwich} from './sandwich.js';
import {compile, matchLabels, matchTree} from './search.js';
import {keepWith, Labels, makeShape, makeTree, VIEWS} from './views.js';
import {overTime, weigh} from './weigh.js';

const MOST_KEPT = 12;

/** Remembers the last results by their key. */
export class Memory {
	constructor() {
		/** @type {Map<string, any>} */
		this.kept = new Map();
	}

	/** @template T @param {string} key @param {() => T} make @returns {T} */
	get(key, make) {
		if (this.kept.has(key)) {
			const known = this.kept.get(key);
			this.kept.delete(key);
			this.kept.set(key, known);
			return known;
		}
		const made = make();
		this.kept.set(key, made);
		for (const oldest of this.kept.keys()) {
			if (this.kept.size <= MOST_KEPT) break;
			this.kept.delete(oldest);
		}
		return made;
	}
}

/** Views that the data can show. @param {any} model */
export function viewsOf(model) {
	return Object.keys(VIEWS).filter((view) => !VIEWS[view].needsChains || model.has_chains);
}

export class Look {
	/** @param {any} model */
	constructor(model) {
		this.model = model;
		this.labels = new Labels(model.labels);
		this.memory = {weights: new Memory(), series: new Memory(), shapes: new Memory(), trees: new Memory(), middles: new Memory()};
	}

	/** @param {import('./state.js').State} state @returns {import('./weigh.js').Filter} */
	filter(state) {
		const {process, thread} = state;
		return {from: state.from, to: state.to, bandMin: state.bandMin, bandMax: state.bandMax,
			off: new Set(state.off), idle: state.idle,
			passes: process || thread ? (one) => (!process || one.names.name === process) &&
				(!thread || one.names.thread === thread) : null};
	}

	/** @param {import('./state.js').State} state */
	weights(state) {
		const key = JSON.stringify([state.from, state.to, state.bandMin, state.bandMax, state.off, state.idle, state.process, state.thread]);
		return {key, weights: this.memory.weights.get(key, () => weigh(this.model, this.filter(state)))};
	}

	/** @param {import('./state.js').State} state */
	series(state) {
		const key = JSON.stringify([state.bandMin, state.bandMax, state.off, state.idle, state.process, state.thread]);
		return this.memory.series.get(key, () => overTime(this.model, this.filter(state)));
	}

	/** The tree of a state; `isInverted` may differ from the state's. */
	tree(/** @type {import('./state.js').State} */ state, /** @type {boolean} */ isInverted) {
		const view = viewsOf(this.model).includes(state.view) ? state.view : 'offcpu';
		const by = Object.hasOwn(this.model.threads[0]?.names || {comm: 1}, state.by) ? state.by : 'comm';
		const shapeKey = `${view}/${by}/${isInverted}`;
		const shape = this.memory.shapes.get(shapeKey, () => makeShape(this.model, this.labels, view, by, isInverted));
		const {key, weights} = this.weights(state);
		const treeKey = JSON.stringify([shapeKey, key, state.only, state.without]);
		const tree = this.memory.trees.get(treeKey, () => makeTree(this.model, shape, weights,
			keepWith(shape.trie, new Set(this.labels.find(state.only)), new Set(this.labels.find(state.without)))));
		return {tree, treeKey, weights};
	}

	/** Everything for one state. @param {import('./state.js').State} state */
	at(state) {
		const {tree, treeKey, weights} = this.tree(state, state.inverted);
		const zoomNode = followPath(tree.trie, this.labels, state.zoom);
		const search = compile(state.search, state.exact);
		const matches = search.expression ? matchLabels(this.labels.texts, search.expression) : null;
		const found = matches ? matchTree(tree, matches, zoomNode) : {ns: 0, nodes: []};
		return {tree, treeKey, weights, zoomNode, search, matches, found};
	}

	/** Callers and callees of state.middle. @param {import('./state.js').State} state */
	middle(state) {
		const {tree, treeKey} = this.tree(state, false);
		return this.memory.middles.get(`${treeKey}/${state.middle}`, () => sandwich(tree, new Set(this.labels.find(state.middle))));
	}
}
