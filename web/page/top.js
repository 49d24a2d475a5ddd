// SPDX-License-Identifier: GPL-2.0-or-later
// Functions by their own time and by the time with all they called; recursion is counted once. As in the report
// (src/profile/functions.h) own time is that of the innermost function of a stack, of a thread that left its CPU that
// of the caller of the scheduler, whose own functions would hide it; names and words like [runq] are no functions, and stand
// in for one where a stack has none. In views of wakers, which have two stacks in one, every box is counted as it is.
import {KERNEL, MARK, NAME} from './trie.js';

/**
 * @typedef {{label: number, kind: number, self: number, total: number, count: number}} Row
 * @typedef {{schedulers?: Set<number>, hasRun?: boolean, running?: number, isOfWakers?: boolean}} Ways
 *   labels of the scheduler's functions; did all of it run, or only what ends in the label `running`?
 * @param {import('./tree.js').Tree} tree @param {number} zoom @param {Ways} ways
 * @returns {Row[]} largest own time first
 */
export function topFunctions(tree, zoom, {schedulers = new Set(), hasRun = false, running = -1, isOfWakers = false} = {}) {
	const {trie} = tree;
	/** @type {Map<number, Row>} */
	const rows = new Map();
	trie.link();
	/** @type {Map<number, number>} */
	const open = new Map(); // how often a label is on the way down
	/** @type {number[]} */
	const path = []; // that way
	const todo = [zoom];
	while (todo.length) {
		const node = /** @type {number} */ (todo.pop());
		if (node < 0) {
			const label = trie.label[~node];
			if (isFunction(~node)) open.set(label, (open.get(label) || 1) - 1);
			path.pop();
			continue;
		}
		if (node > 0) enter(node);
		for (let child = trie.first[node]; child; child = trie.next[child]) if (tree.totalOf(child) > 0) todo.push(child);
	}
	return [...rows.values()].filter((row) => row.total > 0).sort((a, b) => b.self - a.self || b.total - a.total || a.label - b.label);

	function isFunction(/** @type {number} */ node) {
		const kind = trie.kind[node] & 3;
		return isOfWakers || (kind !== NAME && kind !== MARK);
	}

	/** Is it passed over where it led to a wait? */
	function isScheduler(/** @type {number} */ node) {
		return !hasRun && !isOfWakers && (trie.kind[node] & 3) === KERNEL && schedulers.has(trie.label[node]);
	}

	function rowOf(/** @type {number} */ node) {
		const label = trie.label[node];
		let row = rows.get(label);
		if (!row) rows.set(label, row = {label, kind: trie.kind[node], self: 0, total: 0, count: 0});
		return row;
	}

	/** A stack ends here. */
	function end(/** @type {number} */ leaf, /** @type {number} */ self) {
		const isRun = hasRun || trie.label[leaf] === running;
		let innermost = -1, telling = -1;
		for (let i = path.length - 1; i >= 0 && telling < 0; i--) {
			if (!isFunction(path[i])) continue;
			if (innermost < 0) innermost = path[i];
			if (isRun || !isScheduler(path[i])) telling = path[i];
		}
		// The name of the thread says less than the word that says why there is no function.
		const row = rowOf(telling >= 0 ? telling : innermost >= 0 ? innermost : path.find((node) => (trie.kind[node] & 3) === MARK) ?? path[0]);
		row.self += self;
		if (innermost < 0) addStack(row, leaf, self);
		else if (!hasRun && !isOfWakers && (isRun || telling < 0)) addSchedulers(leaf, self);
	}

	/** What is not passed over after all: enter() has left it out. */
	function addSchedulers(/** @type {number} */ leaf, /** @type {number} */ self) {
		for (const row of new Set(path.filter((node) => isFunction(node) && isScheduler(node)).map(rowOf))) addStack(row, leaf, self);
	}

	function addStack(/** @type {Row} */ row, /** @type {number} */ leaf, /** @type {number} */ self) {
		row.total += self;
		// Of a box that others stand on only the sum of their counts is known.
		if (!trie.first[leaf]) row.count += tree.countOf(leaf);
	}

	function enter(/** @type {number} */ node) {
		const self = tree.selfOf(node);
		path.push(node);
		todo.push(~node);
		if (isFunction(node)) {
			const label = trie.label[node], depth = open.get(label) || 0;
			open.set(label, depth + 1);
			if (!depth && !isScheduler(node)) {
				const row = rowOf(node);
				row.total += tree.totalOf(node);
				row.count += tree.countOf(node);
			}
		}
		if (self) end(node, self);
	}
}

/** Sorted by a column; equal ones as they were. @param {Row[]} rows @param {string} column @param {string[]} texts */
export function sortRows(rows, column, texts) {
	const ways = {
		name: (/** @type {Row} */ a, /** @type {Row} */ b) => texts[a.label] < texts[b.label] ? -1 : 1,
		self: (/** @type {Row} */ a, /** @type {Row} */ b) => b.self - a.self,
		total: (/** @type {Row} */ a, /** @type {Row} */ b) => b.total - a.total,
		count: (/** @type {Row} */ a, /** @type {Row} */ b) => b.count - a.count,
	};
	return rows.slice().sort(ways[/** @type {keyof ways} */ (column)] || ways.self);
}
