// SPDX-License-Identifier: GPL-2.0-or-later
// The data inside the page, from bytes to tables of numbers. src/render/page/page_data.c writes it and
// says how. Nothing here trusts more than its own program's output, yet bad bytes end in an Error
// with a sentence, not in a loop.
import {packFrame} from './frames.js';
import {SAMPLE} from './weigh.js';

export const DATA_VERSION = 2;
const NS = 1e9;

// Columns that can hold more than 31 bits.
const WIDE = new Set(['s', 'ns', 'count', 'unended', 'max', 'ran', 'nocpu', 'earlier']);

/**
 * @typedef {Record<string, any>} Table  columns by name, and `rows`
 * @typedef {Record<string, any>} Model
 */

/** Reads numbers of seven bits a byte, lowest first. */
export class Reader {
	/** @param {Uint8Array} bytes @param {number} at */
	constructor(bytes, at) {
		this.bytes = bytes;
		this.at = at;
	}

	number() {
		const bytes = this.bytes;
		let byte = bytes[this.at++];
		let value = byte & 127;
		let scale = 128;
		while (byte > 127) {
			byte = bytes[this.at++];
			value += (byte & 127) * scale;
			scale *= 128;
		}
		if (byte === undefined) throw new Error('the data of this page is cut short');
		return value;
	}

	signed() {
		const value = this.number();
		return value % 2 ? -(value + 1) / 2 : value / 2;
	}
}

/** @param {Reader} reader @param {string} name @param {string} encoding @param {number} rows */
function readColumn(reader, name, encoding, rows) {
	const column = WIDE.has(name) ? new Float64Array(rows) : new Int32Array(rows);
	let before = 0;
	for (let row = 0; row < rows; row++) {
		if (encoding === 'back') column[row] = row - reader.number();
		else if (encoding === 'delta') column[row] = before += reader.signed();
		else column[row] = reader.number();
	}
	return column;
}

/** Seconds and the rest as one number, for pictures; exact below 2^53 ns. @param {Table} table */
function addTotals(table) {
	table.total = new Float64Array(table.rows);
	for (let row = 0; row < table.rows; row++) table.total[row] = table.s[row] * NS + table.ns[row];
}

/** By node of a stack its label and kind as one number (frames.js). @param {Model} model */
function packNodes({nodes, frames}) {
	const {frame, kind, rows} = nodes, {label} = frames;
	nodes.packed = new Int32Array(rows);
	for (let node = 0; node < rows; node++) nodes.packed[node] = packFrame(label[frame[node]], kind[node]);
}

/** Where each key's shares begin: one for each hop of its chain and one for the rest. @param {Model} model */
function shareStarts({keys, chains}) {
	const starts = new Int32Array(keys.rows);
	let next = 0;
	for (let key = 0; key < keys.rows; key++) {
		starts[key] = next;
		if (keys.chain[key]) next += chains.count[keys.chain[key] - 1] + 1;
	}
	return starts;
}

/** Keys of running time and of its samples, thread by thread as all keys are. @param {Model} model */
function runsOf({keys, kinds, states}) {
	const isRun = states.map((/** @type {string} */ word) => word === 'running' || word === 'sample');
	const runs = [];
	for (let key = 0; key < keys.rows; key++) if (isRun[kinds.state[keys.kind[key]]]) runs.push(key);
	return Int32Array.from(runs);
}

/** Where each bucket's cells begin. @param {Table} cells @param {number} buckets */
function bucketStarts(cells, buckets) {
	const starts = new Int32Array(buckets + 1);
	for (let row = 0; row < cells.rows; row++) starts[cells.bucket[row] + 1]++;
	for (let bucket = 0; bucket < buckets; bucket++) starts[bucket + 1] += starts[bucket];
	return starts;
}

/**
 * The one kind of a measure's keys: to filters and trees an event is what a sample is, something that is
 * counted and took no time.
 */
const EVENT_KINDS = {rows: 1, state: Int32Array.of(SAMPLE), letter: new Int32Array(1), reason: new Int32Array(1), idle: new Int32Array(1),
	operation: new Int32Array(1), unsliced: new Int32Array(1), thing: new Int32Array(1)};

/**
 * What a measure counts, in a model like that of time: the same threads and stacks with keys and cells of
 * its own, whose `total` is in its unit. No sum over time can meet it.
 * @param {Model} model of time, complete @param {{keys: Table, cells: Table}} tables @param {any} folded @returns {Model}
 */
function measureModel(model, {keys, cells}, folded) {
	addTotals(keys);
	addTotals(cells);
	keys.kind = new Int32Array(keys.rows);
	return {...model, keys, cells, kinds: EVENT_KINDS, starts: bucketStarts(cells, model.buckets), runs: new Int32Array(0), folded};
}

/** @param {Uint8Array} bytes @returns {Model} */
export function parseData(bytes) {
	if (bytes.length < 4) throw new Error('the data of this page is missing');
	const length = new DataView(bytes.buffer, bytes.byteOffset).getUint32(0, true);
	const model = JSON.parse(new TextDecoder().decode(bytes.subarray(4, 4 + length)));
	if (model.version !== DATA_VERSION)
		throw new Error(`this page's data has version ${model.version}, its script reads ${DATA_VERSION}`);
	const reader = new Reader(bytes, 4 + length);
	/** Tables of measures, by their number. @type {any[]} */
	const measured = [];
	for (const {name, rows, columns, measure} of model.tables) {
		/** @type {Table} */
		const table = {rows};
		for (const [column, encoding] of columns)
			table[column] = readColumn(reader, column, encoding, rows);
		if (measure) (measured[measure] = measured[measure] || {})[name] = table;
		else model[name] = table;
	}
	addTotals(model.keys);
	addTotals(model.cells);
	packNodes(model);
	model.keys.share = shareStarts(model);
	model.starts = bucketStarts(model.cells, model.buckets);
	model.runs = runsOf(model);
	nameThreads(model);
	model.lines.forEach((/** @type {any} */ line, /** @type {number} */ i) => Object.assign(line, model.phrases && model.phrases[i]));
	model.measures = model.views.filter((/** @type {any} */ view) => view.measure)
		.map((/** @type {any} */ view) => measureModel(model, measured[view.measure], view.folded));
	return model;
}

/** What is in front of a stack, by each way of naming. @param {Model} model */
function nameThreads(model) {
	for (const thread of model.threads) {
		const clean = (/** @type {string} */ text) => (text || '[no name]').replaceAll(';', ':');
		const comm = clean(thread.comm), process = clean(thread.process);
		const many = `${thread.threads} more`;
		thread.count = thread.threads ?? 1;
		thread.names = {
			comm,
			name: process,
			process: thread.tid ? `${process}-${thread.pid}` : `${process} (${many})`,
			thread: thread.tid ? `${comm}-${thread.pid}/${thread.tid}` : `${comm} (${many})`,
			container: thread.container ? clean(thread.container).slice(0, 12) : '[host]',
		};
	}
}

/** Base64 to bytes to the model. @param {string} text @returns {Promise<Model>} */
export async function unpack(text) {
	const binary = atob(text);
	const bytes = new Uint8Array(binary.length);
	for (let i = 0; i < binary.length; i++) bytes[i] = binary.charCodeAt(i);
	const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream('gzip'));
	return parseData(new Uint8Array(await new Response(stream).arrayBuffer()));
}
