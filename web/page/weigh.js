// SPDX-License-Identifier: GPL-2.0-or-later
// Filters: which keys of the table count, with how much time. Running time has no stacks of its own;
// each thread's is divided among its samples here, so that nothing is gained or lost.
import {exactNs} from './format.js';

export const RUNNING = 0;
export const WOKEN = 1;
export const PREEMPTED = 2;
export const BLOCKED = 3;
export const SAMPLE = 4;
// Classes of time: the states, with blocked time by reason.
export const FIRST_REASON = 3;

/**
 * @typedef {{from: number, to: number, bandMin: number, bandMax: number, off: Set<string>,
 *   idle: string, passes: ((thread: any) => boolean) | null}} Filter
 *   buckets from..to, bands min..max, classes left out, idle show/hide/only
 */

/** @param {any} model @returns {Filter} */
export function openFilter(model) {
	return {from: 0, to: model.buckets, bandMin: 0, bandMax: model.bands.length - 1, off: new Set(),
		idle: 'show', passes: null};
}

/** The class of a kind of time. @param {any} model @param {number} kind */
export function classOf(model, kind) {
	const state = model.kinds.state[kind];
	if (state === SAMPLE) return RUNNING;
	return state === BLOCKED ? FIRST_REASON + model.kinds.reason[kind] : state;
}

/** The word of a class, as chips and links have it. @param {any} model @param {number} class_ */
export function className(model, class_) {
	if (class_ === RUNNING) return 'running';
	return class_ < FIRST_REASON ? 'runnable' : model.reasons[class_ - FIRST_REASON][0];
}

/** By kind: 0 left out, 1 counted, 2 idle and set aside. @param {any} model @param {Filter} filter */
function judgeKinds(model, filter) {
	const verdicts = new Uint8Array(model.kinds.rows);
	for (let kind = 0; kind < model.kinds.rows; kind++) {
		const isIdle = model.kinds.idle[kind] > 0;
		if (filter.off.has(className(model, classOf(model, kind)))) continue;
		if (filter.idle === 'only' && !isIdle) continue;
		verdicts[kind] = isIdle && filter.idle === 'hide' ? 2 : 1;
	}
	return verdicts;
}

/** A function that tells what a key is: 0, 1 or 2 as above. @param {any} model @param {Filter} filter */
export function judge(model, filter) {
	const {kind, thread, band} = model.keys;
	const {state} = model.kinds;
	const kinds = judgeKinds(model, filter);
	const threads = model.threads.map((/** @type {any} */ one) => !filter.passes || filter.passes(one));
	const allBands = filter.bandMin === 0 && filter.bandMax === model.bands.length - 1;
	return (/** @type {number} */ key) => {
		if (!threads[thread[key]]) return 0;
		const one = state[kind[key]];
		if (!allBands && one !== RUNNING && one !== SAMPLE &&
			(band[key] < filter.bandMin || band[key] > filter.bandMax)) return 0;
		return kinds[kind[key]];
	};
}

export function isWhole(/** @type {any} */ model, /** @type {Filter} */ filter) {
	return filter.from === 0 && filter.to === model.buckets;
}

/**
 * Sums of a filter: by key, and exactly by class and by thread.
 * @param {any} model @param {Filter} filter
 */
export function weigh(model, filter) {
	const rows = model.keys.rows;
	const classes = FIRST_REASON + model.reasons.length;
	const weights = {
		ns: new Float64Array(rows), // time of the key's stack; of samples their part of it
		count: new Float64Array(rows),
		classS: new Float64Array(classes), classNs: new Float64Array(classes),
		asideS: 0, asideNs: 0,
		threadNs: new Float64Array(model.threads.length * 4), // running, runnable, blocked, aside
		total: 0,
		isWhole: isWhole(model, filter),
	};
	const verdict = judge(model, filter);
	const add = (/** @type {any} */ table, /** @type {number} */ row, /** @type {number} */ key) => {
		const what = verdict(key);
		if (!what) return;
		addTo(model, weights, table, row, key, what);
	};
	if (weights.isWhole) {
		for (let key = 0; key < rows; key++) add(model.keys, key, key);
	} else {
		const {cells, starts} = model;
		for (let row = starts[filter.from]; row < starts[filter.to]; row++)
			add(cells, row, cells.key[row]);
	}
	spreadRunning(model, weights);
	for (let class_ = 0; class_ < classes; class_++)
		weights.total += weights.classS[class_] * 1e9 + weights.classNs[class_];
	return weights;
}

function addTo(/** @type {any} */ model, /** @type {any} */ weights, /** @type {any} */ table,
	/** @type {number} */ row, /** @type {number} */ key, /** @type {number} */ what) {
	const kind = model.keys.kind[key];
	const state = model.kinds.state[kind];
	const place = model.keys.thread[key] * 4;
	if (what === 2) {
		weights.asideS += table.s[row];
		weights.asideNs += table.ns[row];
		weights.threadNs[place + 3] += table.total[row];
		return;
	}
	weights.ns[key] += table.total[row];
	weights.count[key] += table.count[row];
	if (state === SAMPLE) return;
	const class_ = classOf(model, kind);
	weights.classS[class_] += table.s[row];
	weights.classNs[class_] += table.ns[row];
	weights.threadNs[place + (state === RUNNING ? 0 : state === BLOCKED ? 2 : 1)] +=
		table.total[row];
}

/** floor(whole * part / all) without leaving the exact numbers. */
export function portion(/** @type {number} */ whole, /** @type {number} */ part, /** @type {number} */ all) {
	const each = Math.floor(whole / all), rest = whole - each * all;
	return each * part + Math.floor(rest * part / all);
}

/** Each thread's running time goes to its samples; without any it stays where it is. */
function spreadRunning(/** @type {any} */ model, /** @type {any} */ weights) {
	const {thread, kind} = model.keys;
	const {state} = model.kinds;
	const rows = model.keys.rows;
	for (let begin = 0, end; begin < rows; begin = end) {
		let running = -1, samples = 0;
		for (end = begin; end < rows && thread[end] === thread[begin]; end++) {
			if (state[kind[end]] === RUNNING && weights.ns[end]) {
				if (running >= 0) weights.ns[end] += weights.ns[running], weights.ns[running] = 0;
				running = end;
			}
			if (state[kind[end]] === SAMPLE) samples += weights.count[end];
		}
		if (running < 0 || !samples) continue;
		const whole = weights.ns[running];
		let given = 0, seen = 0;
		for (let key = begin; key < end; key++) {
			if (state[kind[key]] !== SAMPLE || !weights.count[key]) continue;
			seen += weights.count[key];
			const due = portion(whole, seen, samples);
			weights.ns[key] = due - given;
			given = due;
		}
		weights.ns[running] = 0;
	}
}

/** Exact ns of a class, as a BigInt. @param {any} weights @param {number} class_ */
export function classTotal(weights, class_) {
	return exactNs(weights.classS[class_], weights.classNs[class_]);
}

/** By class and bucket, whatever range is chosen: for the strip. @param {any} model @param {Filter} filter */
export function overTime(model, filter) {
	const classes = FIRST_REASON + model.reasons.length;
	const sums = Array.from({length: classes}, () => new Float64Array(model.buckets));
	const aside = new Float64Array(model.buckets);
	const verdict = judge(model, filter);
	const {cells} = model;
	for (let row = 0; row < cells.rows; row++) {
		const key = cells.key[row], kind = model.keys.kind[key];
		const what = verdict(key);
		if (what === 2) aside[cells.bucket[row]] += cells.total[row];
		else if (what && model.kinds.state[kind] !== SAMPLE)
			sums[classOf(model, kind)][cells.bucket[row]] += cells.total[row];
	}
	return {sums, aside};
}
