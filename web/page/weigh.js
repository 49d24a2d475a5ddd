// SPDX-License-Identifier: GPL-2.0-or-later
// Filters: which keys of the table count, with how much time. Running time has no stacks of its own;
// each thread's is divided among its samples here, so that nothing is gained or lost. The model of a
// measure (data.js) is weighed alike; what is called ns here is in its unit then.
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
 *   idle: string, thing: number, line: number, passes: ((thread: any) => boolean) | null}} Filter
 *   buckets from..to, bands min..max, classes left out, idle show/hide/only, what waits were for (-1: anything), of which line of the report they are (0: any time)
 */

/** @param {any} model @returns {Filter} */
export function openFilter(model) {
	return {from: 0, to: model.buckets, bandMin: 0, bandMax: model.bands.length - 1, off: new Set(),
		idle: 'show', thing: -1, line: 0, passes: null};
}

/** The class of a kind of time. @param {any} model @param {number} kind */
export function classOf(model, kind) {
	const state = model.kinds.state[kind];
	if (state === SAMPLE) return RUNNING;
	return state === BLOCKED ? FIRST_REASON + model.kinds.called[kind] : state;
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
		if (filter.thing >= 0 && (model.kinds.state[kind] !== BLOCKED || model.kinds.thing[kind] !== filter.thing)) continue;
		if (filter.line && model.kinds.line[kind] !== filter.line) continue;
		verdicts[kind] = isIdle && filter.idle === 'hide' ? 2 : 1;
	}
	return verdicts;
}

/** By key: 0, 1 or 2 as above, whatever range is chosen. @param {any} model @param {Filter} filter */
export function judge(model, filter) {
	const {kind, thread, band, rows} = model.keys;
	const {state} = model.kinds;
	const kinds = judgeKinds(model, filter);
	const threads = Uint8Array.from(model.threads, (one) => !filter.passes || filter.passes(one) ? 1 : 0);
	const isOpen = filter.bandMin === 0 && filter.bandMax === model.bands.length - 1;
	const verdicts = new Uint8Array(rows);
	for (let key = 0; key < rows; key++) {
		if (!threads[thread[key]]) continue;
		const one = state[kind[key]];
		if (!isOpen && one !== RUNNING && one !== SAMPLE && (band[key] < filter.bandMin || band[key] > filter.bandMax)) continue;
		verdicts[key] = kinds[kind[key]];
	}
	return verdicts;
}

export function isWhole(/** @type {any} */ model, /** @type {Filter} */ filter) {
	return filter.from === 0 && filter.to === model.buckets;
}

/**
 * Sums of a filter: by key, and exactly by class and by thread.
 * @param {any} model @param {Filter} filter @param {Uint8Array} verdicts of judge()
 */
export function weigh(model, filter, verdicts = judge(model, filter)) {
	const rows = model.keys.rows;
	const classes = FIRST_REASON + model.reasons.length;
	const weights = {
		ns: new Float64Array(rows), // time of the key's stack; of samples their part of it
		count: new Float64Array(rows),
		samples: model.keys.samples ? new Float64Array(rows) : null, // of a measure: how many of these were looked at
		classS: new Float64Array(classes), classNs: new Float64Array(classes),
		asideS: 0, asideNs: 0,
		threadNs: new Float64Array(model.threads.length * 4), // running, runnable, blocked, aside
		total: 0,
		isWhole: isWhole(model, filter),
	};
	if (weights.isWhole) {
		addRows(model, weights, verdicts, model.keys, null, 0, rows);
	} else {
		const {cells, starts} = model;
		addRows(model, weights, verdicts, cells, cells.key, starts[filter.from], starts[filter.to]);
	}
	spreadRunning(model, weights);
	for (let class_ = 0; class_ < classes; class_++)
		weights.total += weights.classS[class_] * 1e9 + weights.classNs[class_];
	return weights;
}

/** Rows of a table whose keys are in `keyOf`; null: rows are keys. */
function addRows(/** @type {any} */ model, /** @type {any} */ weights, /** @type {Uint8Array} */ verdicts, /** @type {any} */ table,
	/** @type {Int32Array | null} */ keyOf, /** @type {number} */ begin, /** @type {number} */ end) {
	const {kind, thread} = model.keys, {s, ns, total, count} = table;
	const {ns: nsOf, count: countOf, samples: samplesOf, classS, classNs, threadNs} = weights, {samples} = table;
	const classes = Uint8Array.from({length: model.kinds.rows}, (_, one) => classOf(model, one));
	// By kind: its column of threadNs, -1 for samples, which are no time.
	const columns = Int8Array.from(model.kinds.state, (state) => [0, 1, 1, 2, -1][state]);
	for (let row = begin; row < end; row++) {
		const key = keyOf ? keyOf[row] : row, what = verdicts[key];
		if (!what) continue;
		const place = thread[key] * 4;
		if (what === 2) {
			weights.asideS += s[row];
			weights.asideNs += ns[row];
			threadNs[place + 3] += total[row];
			continue;
		}
		nsOf[key] += total[row];
		countOf[key] += count[row];
		if (samplesOf && samples) samplesOf[key] += samples[row];
		const one = kind[key];
		if (columns[one] < 0) continue;
		classS[classes[one]] += s[row];
		classNs[classes[one]] += ns[row];
		threadNs[place + columns[one]] += total[row];
	}
}

/** floor(whole * part / all) without leaving the exact numbers. */
export function portion(/** @type {number} */ whole, /** @type {number} */ part, /** @type {number} */ all) {
	const each = Math.floor(whole / all), rest = whole - each * all;
	return each * part + Math.floor(rest * part / all);
}

/** Each thread's running time goes to its samples; without any it stays where it is. */
function spreadRunning(/** @type {any} */ model, /** @type {any} */ {ns, count}) {
	const {thread, kind} = model.keys;
	const {state} = model.kinds;
	const keys = model.runs;
	for (let begin = 0, end; begin < keys.length; begin = end) {
		let running = -1, samples = 0;
		for (end = begin; end < keys.length && thread[keys[end]] === thread[keys[begin]]; end++) {
			const key = keys[end];
			if (state[kind[key]] === SAMPLE) {
				samples += count[key];
			} else if (ns[key]) {
				if (running >= 0) ns[key] += ns[running], ns[running] = 0;
				running = key;
			}
		}
		if (running < 0 || !samples) continue;
		const whole = ns[running];
		let given = 0, seen = 0;
		for (let i = begin; i < end; i++) {
			const key = keys[i];
			if (state[kind[key]] !== SAMPLE || !count[key]) continue;
			seen += count[key];
			const due = portion(whole, seen, samples);
			ns[key] = due - given;
			given = due;
		}
		ns[running] = 0;
	}
}

/** Events by bucket, whatever range is chosen. @param {any} model of a measure @param {Filter} filter */
export function eventsOverTime(model, filter) {
	const sums = new Float64Array(model.buckets), verdicts = judge(model, filter);
	const {bucket, key, total, rows} = model.cells;
	for (let row = 0; row < rows; row++) if (verdicts[key[row]]) sums[bucket[row]] += total[row];
	return sums;
}

/** Events by thread. @param {any} model of a measure @param {any} weights */
export function eventsByThread(model, {ns}) {
	const sums = new Float64Array(model.threads.length), {thread, rows} = model.keys;
	for (let key = 0; key < rows; key++) sums[thread[key]] += ns[key];
	return sums;
}

/** Exact ns of a class, as a BigInt. @param {any} weights @param {number} class_ */
export function classTotal(weights, class_) {
	return exactNs(weights.classS[class_], weights.classNs[class_]);
}

/** By class and bucket, whatever range is chosen: for the strip. @param {any} model @param {Filter} filter @param {Uint8Array} verdicts of judge() */
export function overTime(model, filter, verdicts = judge(model, filter)) {
	const classes = FIRST_REASON + model.reasons.length;
	const sums = Array.from({length: classes}, () => new Float64Array(model.buckets));
	const aside = new Float64Array(model.buckets);
	const {bucket, key: keyOf, total, rows} = model.cells, {kind} = model.keys;
	// By kind: where its time goes; samples are no time.
	const places = Array.from(model.kinds.state, (state, one) => state === SAMPLE ? null : sums[classOf(model, one)]);
	for (let row = 0; row < rows; row++) {
		const key = keyOf[row], what = verdicts[key];
		if (!what) continue;
		const place = what === 2 ? aside : places[kind[key]];
		if (place) place[bucket[row]] += total[row];
	}
	return {sums, aside};
}
