// SPDX-License-Identifier: GPL-2.0-or-later
// From what is being looked at to what is shown: filter, weights, tree, zoom, matches. Each step is
// kept until something it depends on changes.
import {Callers} from './callers.js';
import {CallersTree} from './callers_tree.js';
import {followPath} from './layout.js';
import {allStacks, keysToKeep, makePaths} from './paths.js';
import {sandwich} from './sandwich.js';
import {compile, matchLabels, matchTree} from './search.js';
import {makeBase, makeShape, makeTree} from './shapes.js';
import {Labels, VIEWS} from './views.js';
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
		this.memory = {weights: new Memory(), series: new Memory(), paths: new Memory(), bases: new Memory(), shapes: new Memory(), callers: new Memory(), trees: new Memory(), middles: new Memory()};
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

	/** View and way of naming, as far as the data has them. @param {import('./state.js').State} state */
	paths(state) {
		const {model, labels, memory} = this;
		const view = viewsOf(model).includes(state.view) ? state.view : 'offcpu';
		const by = Object.hasOwn(model.threads[0]?.names || {comm: 1}, state.by) ? state.by : 'comm';
		const pathsKey = `${view}/${by}`;
		return {view, by, pathsKey, paths: memory.paths.get(pathsKey, () => makePaths(model, labels, view, by))};
	}

	/** Weights of the stacks of a state, and which of them stay. @param {import('./state.js').State} state */
	stacks(state) {
		const {view, by, pathsKey, paths} = this.paths(state);
		const {key, weights} = this.weights(state);
		const keeps = () => keysToKeep(this.model, paths, this.labels.texts.length, this.labels.find(state.only), this.labels.find(state.without));
		return {paths, pathsKey, by, weights, keeps, isStriped: view === 'hotcold', stacksKey: JSON.stringify([pathsKey, key, state.only, state.without])};
	}

	/** Views of waits and running time share their stacks. @param {import('./paths.js').Paths} paths @param {string} by */
	base(paths, by) {
		const {model, labels} = this;
		if (paths.waker) return makeBase(model.nodes, paths);
		return this.memory.bases.get(by, () => makeBase(model.nodes, allStacks(model, labels, by)));
	}

	/** The tree from the roots. @param {import('./state.js').State} state */
	tree(state) {
		const {paths, pathsKey, by, weights, keeps, isStriped, stacksKey} = this.stacks(state);
		const shape = this.memory.shapes.get(pathsKey, () => makeShape(this.base(paths, by), paths));
		const tree = this.memory.trees.get(stacksKey, () => makeTree(this.model, shape, weights, isStriped, keeps()));
		return {tree, treeKey: stacksKey, weights};
	}

	/** The tree from the leaves. @param {import('./state.js').State} state */
	callersTree(state) {
		const {paths, pathsKey, weights, keeps, isStriped, stacksKey} = this.stacks(state);
		const trie = this.memory.callers.get(pathsKey, () => new Callers(this.model, paths, this.labels.texts.length));
		const treeKey = `${stacksKey}/callers`;
		return {tree: this.memory.trees.get(treeKey, () => new CallersTree(this.model, trie, weights, isStriped, keeps())), treeKey, weights};
	}

	/** Everything for one state. @param {import('./state.js').State} state */
	at(state) {
		const {tree, treeKey, weights} = state.inverted ? this.callersTree(state) : this.tree(state);
		const zoomNode = followPath(tree.trie, this.labels, state.zoom);
		const search = compile(state.search, state.exact);
		const matches = search.expression ? matchLabels(this.labels.texts, search.expression) : null;
		const found = matches ? matchTree(tree, matches, zoomNode) : {ns: 0, nodes: 0, first: -1};
		return {tree, treeKey, weights, zoomNode, search, matches, found};
	}

	/** Callers and callees of state.middle. @param {import('./state.js').State} state */
	middle(state) {
		const {tree, treeKey} = this.tree(state);
		return this.memory.middles.get(`${treeKey}/${state.middle}`, () => sandwich(tree, new Set(this.labels.find(state.middle))));
	}
}
