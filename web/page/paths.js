// SPDX-License-Identifier: GPL-2.0-or-later
// What the stack of each key is in a view: a name in front, the frames down to a node of the data, and
// an end, which many keys share. Nothing is spelled out: that is for those who look.
import {labelOf, packFrame} from './frames.js';
import {MARK, NAME, WAKER} from './trie.js';
import {endOf, viewOf, wants} from './views.js';

/**
 * `name`: by key the label in front, or -1; `node`: by key, -1: the view does not want it; `end`: by
 * key its number in `ends`, which hold frames (frames.js) from the root on; `waker`: added to the kind of
 * the node's frames.
 * @typedef {{name: Int32Array, node: Int32Array, end: Int32Array, ends: Int32Array[], waker: number}} Paths
 */

/** Ends by their words, each made once. */
class Ends {
	constructor() {
		/** @type {Int32Array[]} */
		this.list = [];
		/** @type {Map<string | number, number>} */
		this.known = new Map();
	}

	/** @param {string | number} id @param {() => [number, number][]} frames label and kind */
	get(id, frames) {
		let number = this.known.get(id);
		if (number === undefined) {
			number = this.list.push(Int32Array.from(frames(), ([label, kind]) => packFrame(label, kind))) - 1;
			this.known.set(id, number);
		}
		return number;
	}
}

/** @param {any} model @param {import('./views.js').Labels} labels @param {string} view @param {string} by @returns {Paths} */
export function makePaths(model, labels, view, by) {
	const {keys, kinds} = model;
	const type = /** @type {import('./views.js').View} */ (viewOf(model, view)), needsChains = type.needs_chains;
	const ends = new Ends(), missing = new Missing(model);
	const names = model.threads.map((/** @type {any} */ thread) => labels.add(thread.names[by]));
	const paths = {name: new Int32Array(keys.rows), node: new Int32Array(keys.rows).fill(-1), end: new Int32Array(keys.rows), ends: ends.list,
		waker: view === 'wakeup' ? WAKER : 0};
	const marks = Array.from({length: kinds.rows}, (_, kind) => !needsChains && wants(type, kinds.state[kind]) ? ends.get(endOf(model, type, kind),
		() => endOf(model, type, kind).split('\n').filter(Boolean).map((text) => [labels.add(text), MARK])) : -1);
	const isWanted = Uint8Array.from(kinds.state, (/** @type {number} */ state) => Number(wants(type, state)));
	for (let key = 0; key < keys.rows; key++) {
		const kind = keys.kind[key];
		if (!isWanted[kind]) continue;
		paths.name[key] = names[keys.thread[key]];
		paths.node[key] = keys.node[key];
		if (view === 'wakeup') putWaker(model, labels, paths, ends, missing, key);
		else paths.end[key] = needsChains ? hopsOf(model, labels, view, ends, missing, key) : marks[kind];
	}
	return paths;
}

/** The waker's stack, and behind it who had waited. */
function putWaker(/** @type {any} */ model, /** @type {import('./views.js').Labels} */ labels, /** @type {Paths} */ paths,
	/** @type {Ends} */ ends, /** @type {Missing} */ missing, /** @type {number} */ key) {
	const {keys, chains, hops} = model;
	const chain = keys.chain[key] - 1, name = paths.name[key];
	const hasWaker = chain >= 0 && chains.count[chain];
	paths.name[key] = -1;
	paths.node[key] = hasWaker ? hops.node[chains.first[chain]] : 0;
	const why = hasWaker ? -1 : missing.whyOf(key);
	paths.end[key] = ends.get(name * missing.texts.length + why + 1, () => hasWaker ? [[name, NAME]] : [[labels.add(missing.texts[why]), MARK], [name, NAME]]);
}

/** Behind each "--" the next waker, from its leaf; where the chain has no end, the reason. */
function hopsOf(/** @type {any} */ model, /** @type {import('./views.js').Labels} */ labels, /** @type {string} */ view,
	/** @type {Ends} */ ends, /** @type {Missing} */ missing, /** @type {number} */ key) {
	const {keys, chains, hops} = model;
	const chain = keys.chain[key] - 1;
	return ends.get(chain < 0 ? -1 - missing.whyOf(key) : chain, () => {
		const mark = (/** @type {string} */ text) => /** @type {[number, number]} */ ([labels.add(text), MARK | WAKER]);
		const first = chain < 0 ? 0 : chains.first[chain], number = chain < 0 ? 0 : chains.count[chain];
		const shown = view === 'offwake' ? Math.min(number, 1) : number;
		/** @type {[number, number][]} */
		const frames = [];
		for (let hop = first; hop < first + shown; hop++) frames.push(mark('--'), ...upwards(model, hops.node[hop]));
		const hasRest = chain < 0 || model.chain_ends[chains.end[chain]][2];
		if ((view === 'chain' || !number) && hasRest) frames.push(mark('--'), mark(missing.texts[missing.whyOf(key)]));
		return frames;
	});
}

/** A waker's frames from its leaf. @returns {[number, number][]} */
function upwards(/** @type {any} */ {nodes}, /** @type {number} */ node) {
	/** @type {[number, number][]} */
	const path = [];
	for (; node > 0; node = nodes.parent[node]) path.push([labelOf(nodes.packed[node]), nodes.kind[node] | WAKER]);
	return path;
}

/** What is said where there is no waker; by numbers, because it is asked for each key. */
class Missing {
	/** @param {any} model */
	constructor(model) {
		this.model = model;
		const ends = model.chain_ends.map((/** @type {any[]} */ end) => end[1]);
		this.first = ends.length;
		/** @type {string[]} */
		this.texts = [...ends, '[other]', '[overflow]', '[no waker]', ''];
		this.other = model.labels.indexOf('[other]');
		this.overflow = model.labels.indexOf('[overflow]');
	}

	/** Its number in `texts`, the last of which nobody gets. @param {number} key */
	whyOf(key) {
		const {keys, kinds, chains, nodes} = this.model;
		if (keys.chain[key]) return chains.end[keys.chain[key] - 1];
		const label = keys.node[key] > 0 ? labelOf(nodes.packed[keys.node[key]]) : -1;
		if (label >= 0 && label === this.other) return this.first;
		return kinds.unsliced[keys.kind[key]] || (label >= 0 && label === this.overflow) ? this.first + 1 : this.first + 2;
	}
}

/**
 * By key: has its stack a label that is marked?
 * @param {any} model @param {Paths} paths @param {Uint8Array} marked by label
 */
export function keysWith(model, paths, marked) {
	const inNodes = nodesWith(model, marked);
	const inEnds = paths.ends.map((end) => end.some((frame) => marked[labelOf(frame)]));
	const found = new Uint8Array(paths.node.length);
	for (let key = 0; key < found.length; key++) {
		const node = paths.node[key];
		if (node >= 0 && (inNodes[node] || (paths.name[key] >= 0 && marked[paths.name[key]]) || inEnds[paths.end[key]])) found[key] = 1;
	}
	return found;
}

/** By node of the data: is a marked label in the stack that ends there? @param {any} model @param {Uint8Array} marked by label */
export function nodesWith({nodes}, marked) {
	const found = new Uint8Array(nodes.rows);
	const {parent, packed, rows} = nodes;
	for (let node = 1; node < rows; node++) found[node] = found[parent[node]] | marked[labelOf(packed[node])];
	return found;
}

/**
 * By key: has its stack one of the labels `only` and none of `without`? null: all have.
 * @param {any} model @param {Paths} paths @param {number} labels how many there are @param {number[]} only @param {number[]} without
 */
export function keysToKeep(model, paths, labels, only, without) {
	if (!only.length && !without.length) return null;
	const mark = (/** @type {number[]} */ list) => {
		const marked = new Uint8Array(labels);
		for (const label of list) marked[label] = 1;
		return keysWith(model, paths, marked);
	};
	const wanted = mark(only), unwanted = mark(without);
	return wanted.map((has, key) => !unwanted[key] && (has || !only.length) ? 1 : 0);
}
