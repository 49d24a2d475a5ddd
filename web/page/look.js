// SPDX-License-Identifier: GPL-2.0-or-later
// From what is being looked at to what is shown: filter, weights, tree, zoom, matches. Each step is
// kept until something it depends on changes.
import {Callers} from './callers.js';
import {CallersTree} from './callers_tree.js';
import {Descent} from './descent.js';
import {DescentTree, Weights} from './descent_tree.js';
import {followPath} from './layout.js';
import {keysToKeep, makePaths} from './paths.js';
import {sandwich} from './sandwich.js';
import {compile, matchLabels, matchTree} from './search.js';
import {Stacks} from './stacks.js';
import {thingNumber, thingsInBox} from './things.js';
import {topFunctions, waysOf} from './top.js';
import {Labels, MEMORY_KINDS, modelOf, viewOf} from './views.js';
import {eventsByThread, eventsOverTime, judge, openFilter, overTime, weigh} from './weigh.js';

export const MOST_KEPT = 12;

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

/** @typedef {import('./views.js').View} View */

/** Where a view stands: time, then memory, then other events. @param {View} view */
function rankOf({measure, kind}) {
	const memory = MEMORY_KINDS.indexOf(kind || '');
	return !measure ? 0 : memory < 0 ? 1 + MEMORY_KINDS.length : 1 + memory;
}

/** Names of views that the data can show, in the order of their buttons; of one name the first is meant. @param {any} model @returns {string[]} */
export function viewsOf(model) {
	return model.views.filter((/** @type {View} */ view) => (!view.needs_chains || model.has_chains) && viewOf(model, view.name) === view)
		.sort((/** @type {View} */ a, /** @type {View} */ b) => rankOf(a) - rankOf(b)).map((/** @type {View} */ view) => view.name);
}

export class Look {
	/** @param {any} model */
	constructor(model) {
		this.model = model;
		this.labels = new Labels(model.labels);
		this.memory = {verdicts: new Memory(), weights: new Memory(), events: new Memory(), series: new Memory(), paths: new Memory(), tries: new Memory(), callers: new Memory(), trees: new Memory(), middles: new Memory(), functions: new Memory()};
	}

	/** @param {import('./state.js').State} state @returns {import('./weigh.js').Filter} */
	filter(state) {
		const {process, thread} = state;
		return {from: state.from, to: state.to, bandMin: state.bandMin, bandMax: state.bandMax,
			off: new Set(state.off), idle: state.idle, thing: thingNumber(this.model, state.thing), line: state.line <= this.model.lines.length ? state.line : 0,
			passes: process || thread ? (one) => (!process || one.names.name === process) &&
				(!thread || one.names.thread === thread) : null};
	}

	/** What counts, whatever range is chosen: brushing asks for it again and again. @param {import('./state.js').State} state */
	verdicts(state) {
		const key = JSON.stringify([state.bandMin, state.bandMax, state.off, state.idle, state.thing, state.line, state.process, state.thread]);
		return {key, verdicts: this.memory.verdicts.get(key, () => judge(this.model, this.filter(state)))};
	}

	/** @param {import('./state.js').State} state */
	weights(state) {
		const {key: filterKey, verdicts} = this.verdicts(state), key = `${state.from}-${state.to}/${filterKey}`;
		return {key, weights: this.memory.weights.get(key, () => weigh(this.model, this.filter(state), verdicts))};
	}

	/** Weights of a view: of a measure only thread and range choose. @param {View} view @param {import('./state.js').State} state */
	weightsOf(view, state) {
		if (!view.measure) return this.weights(state);
		const key = JSON.stringify([view.name, state.from, state.to, state.process, state.thread]);
		return {key, weights: this.memory.events.get(key, () => weigh(modelOf(this.model, view), this.eventFilter(state)))};
	}

	/** What a measure has over time and by thread. @param {View} view @param {import('./state.js').State} state */
	events(view, state) {
		const model = modelOf(this.model, view), all = {...state, process: '', thread: ''};
		const key = JSON.stringify([view.name, state.from, state.to, state.process, state.thread, 'sums']);
		return this.memory.events.get(key, () => ({overTime: eventsOverTime(model, this.eventFilter(state)),
			byThread: eventsByThread(model, this.weightsOf(view, all).weights)}));
	}

	/** Events have no length and no reason, and are never idle. @param {import('./state.js').State} state @returns {import('./weigh.js').Filter} */
	eventFilter(state) {
		const {from, to, passes} = this.filter(state);
		return {...openFilter(this.model), from, to, passes};
	}

	/** @param {import('./state.js').State} state */
	series(state) {
		const {key, verdicts} = this.verdicts(state);
		return this.memory.series.get(key, () => overTime(this.model, this.filter(state), verdicts));
	}

	/** The view of a state, as far as the data has it. @param {import('./state.js').State} state */
	view(state) {
		const {model} = this;
		return /** @type {View} */ (viewOf(model, viewsOf(model).includes(state.view) ? state.view : 'offcpu'));
	}

	/** View and way of naming, as far as the data has them. @param {import('./state.js').State} state */
	paths(state) {
		const {labels, memory} = this;
		const view = this.view(state), model = modelOf(this.model, view);
		const by = Object.hasOwn(model.threads[0]?.names || {comm: 1}, state.by) ? state.by : 'comm';
		const pathsKey = `${view.name}/${by}`;
		return {view, model, by, pathsKey, paths: memory.paths.get(pathsKey, () => makePaths(model, labels, view.name, by))};
	}

	/** Weights of the stacks of a state, and which of them stay. @param {import('./state.js').State} state */
	stacks(state) {
		const {view, model, by, pathsKey, paths} = this.paths(state);
		const {key, weights} = this.weightsOf(view, state);
		const keeps = () => keysToKeep(model, paths, this.labels.texts.length, this.labels.find(state.only), this.labels.find(state.without));
		return {view, model, paths, pathsKey, by, weights, keeps, told: {isStriped: view.name === 'hotcold', tellsWhy: view.has_reasons}, stacksKey: JSON.stringify([pathsKey, key, state.only, state.without])};
	}

	/** What trees from the roots have in common, whatever weighs. @param {import('./state.js').State} state @returns {Descent} */
	trie(state) {
		const {model, paths, pathsKey} = this.paths(state);
		return this.memory.tries.get(pathsKey, () => new Descent(new Stacks(model, paths), this.labels.texts.length));
	}

	/** The tree from the roots. @param {import('./state.js').State} state */
	tree(state) {
		const {model, weights, keeps, told, stacksKey} = this.stacks(state), trie = this.trie(state);
		const tree = this.memory.trees.get(stacksKey, () => new DescentTree(trie, new Weights(model, trie.stacks, weights, told, keeps())));
		return {tree, treeKey: stacksKey};
	}

	/** What the waits in a box of a tree from the roots were for. @param {import('./state.js').State} state @param {DescentTree} tree of that state @param {number} node */
	thingsIn(state, tree, node) {
		if (this.view(state).measure || !this.model.things.length) return [];
		return thingsInBox(this.model, tree, node);
	}

	/** The tree from the leaves. @param {import('./state.js').State} state */
	callersTree(state) {
		const {model, paths, pathsKey, weights, keeps, told, stacksKey} = this.stacks(state);
		const trie = this.memory.callers.get(pathsKey, () => new Callers(model, paths, this.labels.texts.length));
		const treeKey = `${stacksKey}/callers`;
		return {tree: this.memory.trees.get(treeKey, () => new CallersTree(model, trie, weights, told, keeps())), treeKey};
	}

	/** Everything for one state; `weights` are of time, whatever the tree's are. @param {import('./state.js').State} state */
	at(state) {
		const view = this.view(state);
		const {tree, treeKey} = state.inverted ? this.callersTree(state) : this.tree(state);
		const {weights} = this.weights(state);
		const zoomNode = followPath(tree.trie, this.labels, state.zoom);
		const search = compile(state.search, state.exact);
		const matches = search.expression ? matchLabels(this.labels.texts, search.expression) : null;
		const found = matches ? matchTree(tree, matches, zoomNode) : {ns: 0, nodes: 0, first: -1};
		return {view, tree, treeKey, weights, zoomNode, search, matches, found};
	}

	/** Functions of what is zoomed, and what that weighs. @param {import('./state.js').State} state */
	functions(state) {
		const {tree, treeKey} = this.tree(state), view = this.view(state);
		// The picture of callers has the same functions; its zoom means nothing here.
		const zoom = state.inverted ? 0 : followPath(tree.trie, this.labels, state.zoom);
		// By the path: numbers of nodes depend on what was looked at before.
		return this.memory.functions.get(JSON.stringify([treeKey, zoom ? state.zoom : []]), () => ({functions: topFunctions(tree, zoom, waysOf(this.model, view, this.labels)), whole: tree.totalOf(zoom)}));
	}

	/** Callers and callees of state.middle. @param {import('./state.js').State} state */
	middle(state) {
		const {tree, treeKey} = this.tree(state);
		return this.memory.middles.get(`${treeKey}/${state.middle}`, () => sandwich(tree, new Set(this.labels.find(state.middle))));
	}
}
