// SPDX-License-Identifier: GPL-2.0-or-later
// Functions by their own time and by the time with all they called; recursion is counted once. As in the report
// (src/profile/functions.h) own time is that of the innermost function of a stack, of a thread that left its CPU that
// of the caller of the scheduler, whose own functions would hide it; names and words like [runq] are no functions, and stand
// in for one where a stack has none. In views of wakers, which have two stacks in one, every box is counted as it is.
import {kindOf, labelOf} from './frames.js';
import {KERNEL, MARK, NAME} from './trie.js';
import {walk} from './walk.js';

/**
 * @typedef {{label: number, kind: number, self: number, total: number, count: number}} Row
 * @typedef {{schedulers?: Set<number>, hasRun?: boolean, running?: number, isOfWakers?: boolean}} Ways
 *   labels of the scheduler's functions; did all of it run, or only what ends in the label `running`?
 * @param {import('./descent_tree.js').DescentTree} tree @param {number} zoom @param {Ways} ways
 * @returns {Row[]} largest own time first
 */
export function topFunctions(tree, zoom, {schedulers = new Set(), hasRun = false, running = -1, isOfWakers = false} = {}) {
	const {weights: {ns, total, count}, trie} = tree, labels = trie.childOf.length;
	const selfs = new Float64Array(labels), totals = new Float64Array(labels), counts = new Float64Array(labels), kinds = new Uint8Array(labels);
	const open = new Int32Array(labels); // how often a label is on the way down
	const begin = new Int32Array(labels); // where the outermost of each label begins
	const passedOver = new Uint8Array(hasRun || isOfWakers ? 0 : labels); // where it led to a wait
	for (const label of passedOver.length ? schedulers : []) passedOver[label] = 1;
	/** Frames that are entered. @type {number[]} */
	const way = [];
	walk(tree, zoom, {
		enter(frame, place) {
			way.push(frame);
			if (!isFunction(frame)) return;
			const label = labelOf(frame);
			if (open[label]++) return;
			begin[label] = place;
			kinds[label] = kindOf(frame);
		},
		leave(place) {
			const frame = /** @type {number} */ (way.pop()), label = labelOf(frame);
			if (!isFunction(frame) || --open[label] || isScheduler(frame)) return;
			totals[label] += total[place] - total[begin[label]];
			counts[label] += count[place] - count[begin[label]];
		},
		weigh,
	});
	/** @type {Row[]} */
	const rows = [];
	for (let label = 0; label < labels; label++)
		if (totals[label] > 0) rows.push({label, kind: kinds[label], self: selfs[label], total: totals[label], count: counts[label]});
	return rows.sort((a, b) => b.self - a.self || b.total - a.total || a.label - b.label);

	function isFunction(/** @type {number} */ frame) {
		const kind = kindOf(frame) & 3;
		return isOfWakers || (kind !== NAME && kind !== MARK);
	}

	function isScheduler(/** @type {number} */ frame) {
		return passedOver[labelOf(frame)] === 1 && (kindOf(frame) & 3) === KERNEL;
	}

	/** A stack with all frames of the way ends at the place. */
	function weigh(/** @type {number} */ place) {
		if (!way.length) return;
		const isRun = hasRun || labelOf(way[way.length - 1]) === running;
		let innermost = -1, telling = -1;
		for (let i = way.length - 1; i >= 0 && telling < 0; i--) {
			if (!isFunction(way[i])) continue;
			if (innermost < 0) innermost = way[i];
			if (isRun || !isScheduler(way[i])) telling = way[i];
		}
		// The name of the thread says less than the word that says why there is no function.
		const own = telling >= 0 ? telling : innermost >= 0 ? innermost : way.find((frame) => (kindOf(frame) & 3) === MARK) ?? way[0];
		selfs[labelOf(own)] += ns[place];
		if (innermost < 0) addStack(own, place);
		// What leave() passes over, but is not to be passed over after all.
		else if (isRun || telling < 0)
			for (const frame of new Map(way.filter((one) => isFunction(one) && isScheduler(one)).map((one) => [labelOf(one), one])).values()) addStack(frame, place);
	}

	function addStack(/** @type {number} */ frame, /** @type {number} */ place) {
		const label = labelOf(frame);
		kinds[label] = kindOf(frame);
		totals[label] += ns[place];
		counts[label] += count[place + 1] - count[place];
	}
}

/** What of a stack counts in a view. @param {any} model @param {import('./views.js').View} view @param {import('./views.js').Labels} labels @returns {Ways} */
export function waysOf(model, view, labels) {
	if (!model.schedulers) {
		const {frames} = model;
		model.schedulers = new Set();
		for (let frame = 0; frame < frames.rows; frame++) if (frames.scheduler[frame]) model.schedulers.add(frames.label[frame]);
	}
	return {schedulers: model.schedulers, hasRun: view.name === 'oncpu' || Boolean(view.measure), running: labels.find('[running]')[0] ?? -1, isOfWakers: view.needs_chains};
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
