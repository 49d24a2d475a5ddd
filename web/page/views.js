// SPDX-License-Identifier: GPL-2.0-or-later
// Views: from the table of keys to call trees. A view says which keys it wants and which frame ends
// their stacks; the tree of a view and a way of naming is made once, and every filter is only a new
// sum over it.
import {BLOCKED, PREEMPTED, RUNNING, SAMPLE, WOKEN} from './weigh.js';
import {MARK, NAME, sumUp, sumUpBoth, Trie, WAKER} from './trie.js';

/** @type {Record<string, {title: string, about: string, wants: (state: number) => boolean,
 *   end: (model: any, kind: number) => string, needsChains?: boolean}>} needsChains: src/profile/chain_view.c
 *   has the same grammar */
export const VIEWS = {
	offcpu: {
		title: 'Off-CPU', about: 'blocked and runnable time, by where the thread went off CPU',
		wants: (state) => state === WOKEN || state === PREEMPTED || state === BLOCKED,
		end: (model, kind) => ['', '[runq]', '[preempted]', '', ''][model.kinds.state[kind]],
	},
	oncpu: {
		title: 'On-CPU', about: 'running time: samples, scaled to each thread\'s exact running time',
		wants: (state) => state === RUNNING || state === SAMPLE,
		end: (model, kind) => model.kinds.state[kind] === RUNNING ? '[unsampled]' : '',
	},
	runq: {
		title: 'Run queue', about: 'runnable time: ready, but without a CPU',
		wants: (state) => state === WOKEN || state === PREEMPTED,
		end: (model, kind) => model.kinds.state[kind] === WOKEN ? '[woken]' : '[preempted]',
	},
	hotcold: {
		title: 'Hot/cold', about: 'all time of the threads in one tree',
		wants: () => true,
		end: (model, kind) => {
			const state = model.kinds.state[kind];
			if (state === RUNNING) return '[unsampled]\n[running]';
			if (state === SAMPLE) return '[running]';
			return state === BLOCKED ? `[blocked ${model.reasons[model.kinds.reason[kind]][0]}]`
				: '[runnable]';
		},
	},
	wakeup: {
		title: 'Wakers', about: 'blocked time, by the stack of who ended it, then by who had waited',
		wants: (state) => state === BLOCKED, end: () => '', needsChains: true,
	},
	offwake: {
		title: 'Off-wake', about: 'blocked time, by where the thread waited, and behind "--" the stack of who woke it',
		wants: (state) => state === BLOCKED, end: () => '', needsChains: true,
	},
	chain: {
		title: 'Chains', about: 'blocked time, by where the thread waited, and behind each "--" the next waker of the chain',
		wants: (state) => state === BLOCKED, end: () => '', needsChains: true,
	},
};

export const BYS = {comm: 'thread name', process: 'process', thread: 'thread', name: 'process name',
	container: 'container'};

/** Texts of labels, with those that the page adds behind those of the data. */
export class Labels {
	/** @param {string[]} texts */
	constructor(texts) {
		this.texts = texts.slice();
		this.first = texts.length;
		/** @type {Map<string, number>} */
		this.added = new Map();
	}

	/** @param {string} text */
	add(text) {
		let number = this.added.get(text);
		if (number === undefined) {
			number = this.texts.push(text) - 1;
			this.added.set(text, number);
		}
		return number;
	}

	/** All numbers of a text: data and page may both have it. @param {string} text */
	find(text) {
		/** @type {number[]} */
		const found = [];
		if (!text) return found;
		const added = this.added.get(text);
		if (added !== undefined) found.push(added);
		const at = this.texts.indexOf(text);
		if (at >= 0 && at < this.first) found.push(at);
		return found;
	}
}

/**
 * The shape of a view: which node each key ends in, -1 for those it does not want.
 * @param {any} model @param {Labels} labels @param {string} view @param {string} by @param {boolean} isInverted
 */
export function makeShape(model, labels, view, by, isInverted) {
	const {keys, kinds, nodes, frames} = model;
	const {wants, end, needsChains} = VIEWS[view];
	if (needsChains) return makeChainShape(model, labels, view, by, isInverted);
	const trie = new Trie(nodes.rows * 2 + 1024, isInverted ? nodes.rows : 0);
	const leaf = new Int32Array(keys.rows).fill(-1);
	const names = model.threads.map((/** @type {any} */ thread) => labels.add(thread.names[by]));
	const ends = Array.from({length: kinds.rows}, (_, kind) => wants(kinds.state[kind])
		? end(model, kind).split('\n').filter(Boolean).map((text) => labels.add(text)) : null);
	const place = isInverted ? placeInverted : placePlain;
	// Keys of one name after the other, so that one array tells where a stack is below the name.
	const order = Array.from({length: keys.rows}, (_, key) => key);
	if (new Set(names).size < names.length) order.sort((a, b) => names[keys.thread[a]] - names[keys.thread[b]] || a - b);
	const at = {trie, nodes, frames, places: new Int32Array(nodes.rows), rootOf: new Int32Array(nodes.rows), path: []};
	for (const key of order) {
		const marks = ends[keys.kind[key]];
		if (marks) leaf[key] = place(at, names[keys.thread[key]], keys.node[key], marks);
	}
	return {trie, leaf, view, by, isInverted};
}

/** Name, frames from the root, marks. Siblings of the data's stacks differ in their labels. */
function placePlain(/** @type {any} */ at, /** @type {number} */ name, /** @type {number} */ node,
	/** @type {number[]} */ marks) {
	const {trie, nodes, frames, places, rootOf, path} = at;
	const root = trie.child(0, name, NAME);
	path.length = 0;
	for (; node > 0 && rootOf[node] !== root; node = nodes.parent[node]) path.push(node);
	let place = node > 0 ? places[node] : root;
	for (let i = path.length; i-- > 0;) {
		const next = path[i];
		place = trie.add(place, frames.label[nodes.frame[next]], nodes.kind[next]);
		places[next] = place;
		rootOf[next] = root;
	}
	for (const mark of marks) place = trie.child(place, mark, MARK);
	return place;
}

/** A view whose stacks have wakers. */
function makeChainShape(/** @type {any} */ model, /** @type {Labels} */ labels, /** @type {string} */ view,
	/** @type {string} */ by, /** @type {boolean} */ isInverted) {
	const {keys, kinds} = model;
	const trie = new Trie();
	const leaf = new Int32Array(keys.rows).fill(-1);
	/** @type {Map<string, number>} */
	const known = new Map();
	for (let key = 0; key < keys.rows; key++) {
		if (kinds.state[keys.kind[key]] !== BLOCKED) continue;
		const name = labels.add(model.threads[keys.thread[key]].names[by]);
		const id = `${name}/${keys.node[key]}/${keys.chain[key]}/${kinds.unsliced[keys.kind[key]]}`;
		let place = known.get(id);
		if (place === undefined) {
			const path = chainPath(model, labels, view, key, name);
			place = 0;
			if (isInverted) path.reverse();
			for (const [label, kind] of path) place = trie.child(place, label, kind);
			known.set(id, place);
		}
		leaf[key] = place;
	}
	return {trie, leaf, view, by, isInverted};
}

/** Frames of a stack of the data from its leaf. @returns {[number, number][]} */
function upwards(/** @type {any} */ {nodes, frames}, /** @type {number} */ node) {
	/** @type {[number, number][]} */
	const path = [];
	for (; node > 0; node = nodes.parent[node]) path.push([frames.label[nodes.frame[node]], nodes.kind[node]]);
	return path;
}

/** @returns {[number, number]} */
function asWaker(/** @type {[number, number]} */ [label, kind]) {
	return [label, kind | WAKER];
}

/** What is said where there is no waker. */
function missingWaker(/** @type {any} */ model, /** @type {number} */ key) {
	const {keys, kinds, chains} = model;
	if (keys.chain[key]) return model.chain_ends[chains.end[keys.chain[key] - 1]][1];
	const [leaf] = upwards(model, keys.node[key]);
	const text = leaf ? model.labels[leaf[0]] : '';
	if (text === '[other]') return text;
	return kinds.unsliced[keys.kind[key]] || text === '[overflow]' ? '[overflow]' : '[no waker]';
}

/** Labels and kinds from the root on. @returns {[number, number][]} */
function chainPath(/** @type {any} */ model, /** @type {Labels} */ labels, /** @type {string} */ view,
	/** @type {number} */ key, /** @type {number} */ name) {
	const {keys, chains, hops} = model;
	const chain = keys.chain[key] - 1;
	const first = chain < 0 ? 0 : chains.first[chain], number = chain < 0 ? 0 : chains.count[chain];
	const mark = (/** @type {string} */ text) => /** @type {[number, number]} */ ([labels.add(text), MARK]);
	if (view === 'wakeup') {
		const waker = number ? upwards(model, hops.node[first]).reverse().map(asWaker) : [mark(missingWaker(model, key))];
		return [...waker, [name, NAME]];
	}
	/** @type {[number, number][]} */
	const path = [[name, NAME], ...upwards(model, keys.node[key]).reverse()];
	const shown = view === 'offwake' ? Math.min(number, 1) : number;
	for (let hop = first; hop < first + shown; hop++) path.push(mark('--'), ...upwards(model, hops.node[hop]).map(asWaker));
	const hasRest = chain < 0 || model.chain_ends[chains.end[chain]][2];
	if ((view === 'chain' || !number) && hasRest) path.push(mark('--'), mark(missingWaker(model, key)));
	return path;
}

/** Marks, frames from the leaf, name. */
function placeInverted(/** @type {any} */ at, /** @type {number} */ name, /** @type {number} */ node,
	/** @type {number[]} */ marks) {
	const {trie, nodes, frames} = at;
	let place = 0;
	for (let i = marks.length; i-- > 0;) place = trie.child(place, marks[i], MARK);
	for (; node > 0; node = nodes.parent[node])
		place = trie.child(place, frames.label[nodes.frame[node]], nodes.kind[node]);
	return trie.child(place, name, NAME);
}

/**
 * Keys' weights put on a shape. `keeps` by node says whether stacks that end there stay.
 * @param {any} model @param {any} shape @param {any} weights @param {((node: number) => boolean) | null} keeps
 */
export function makeTree(model, shape, weights, keeps) {
	const {trie, leaf} = shape;
	const self = new Float64Array(trie.size), counts = new Float64Array(trie.size);
	const isStriped = shape.view === 'hotcold';
	const running = isStriped ? new Float64Array(trie.size) : null;
	const runnable = isStriped ? new Float64Array(trie.size) : null;
	const {state} = model.kinds;
	for (let key = 0; key < leaf.length; key++) {
		const node = leaf[key];
		if (node < 0 || !weights.ns[key] || (keeps && !keeps(node))) continue;
		self[node] += weights.ns[key];
		const what = state[model.keys.kind[key]];
		// Running time counts by its samples.
		if (what !== RUNNING) counts[node] += weights.count[key];
		if (!running || !runnable) continue;
		if (what === RUNNING || what === SAMPLE) running[node] += weights.ns[key];
		else if (what !== BLOCKED) runnable[node] += weights.ns[key];
	}
	if (running && runnable) {
		sumUp(trie, running);
		sumUp(trie, runnable);
	}
	const total = self.slice();
	sumUpBoth(trie, total, counts);
	return {trie, self, total, count: counts, running, runnable};
}

/**
 * For makeTree(): stacks with one of the labels `only` and none of `without`.
 * @param {Trie} trie @param {Set<number>} only @param {Set<number>} without
 */
export function keepWith(trie, only, without) {
	if (!only.size && !without.size) return null;
	const flags = new Uint8Array(trie.size);
	for (let node = 1; node < trie.size; node++)
		flags[node] = flags[trie.parent[node]] | (only.has(trie.label[node]) ? 1 : 0) |
			(without.has(trie.label[node]) ? 2 : 0);
	const wanted = only.size ? 1 : 0;
	return (/** @type {number} */ node) => (flags[node] & 2) === 0 && (flags[node] & 1) === wanted;
}
