// SPDX-License-Identifier: GPL-2.0-or-later
// The data inside the page, from bytes to tables of numbers. src/render/page/page_data.c writes it and
// says how. Nothing here trusts more than its own program's output, yet bad bytes end in an Error
// with a sentence, not in a loop.
import {packFrame} from './frames.js';
import {SAMPLE} from './weigh.js';

export const DATA_VERSION = 3;
const NS = 1e9;

// Columns that can hold more than 31 bits.
const WIDE = new Set(['s', 'ns', 'count', 'samples', 'unended', 'max', 'ran', 'nocpu', 'earlier']);

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

/**
 * One column. Most numbers are one byte, and there are millions: each encoding has a loop of its own that
 * calls nobody for them.
 * @param {Reader} reader @param {string} name @param {string} encoding @param {number} rows
 */
function readColumn(reader, name, encoding, rows) {
	const column = WIDE.has(name) ? new Float64Array(rows) : new Int32Array(rows);
	if (encoding === 'back') readBack(reader, column);
	else if (encoding === 'delta') readDelta(reader, column);
	else readPlain(reader, column);
	return column;
}

/** @param {Reader} reader @param {Int32Array | Float64Array} column */
function readPlain(reader, column) {
	const {bytes} = reader;
	let {at} = reader;
	for (let row = 0; row < column.length; row++) {
		const byte = bytes[at];
		if (byte < 128) {
			column[row] = byte;
			at++;
		} else {
			reader.at = at;
			column[row] = reader.number();
			at = reader.at;
		}
	}
	reader.at = at;
}

/** @param {Reader} reader @param {Int32Array | Float64Array} column */
function readDelta(reader, column) {
	const {bytes} = reader;
	let {at} = reader, before = 0;
	for (let row = 0; row < column.length; row++) {
		const byte = bytes[at];
		if (byte < 128) {
			before += byte & 1 ? -(byte + 1 >> 1) : byte >> 1;
			at++;
		} else {
			reader.at = at;
			before += reader.signed();
			at = reader.at;
		}
		column[row] = before;
	}
	reader.at = at;
}

/** @param {Reader} reader @param {Int32Array | Float64Array} column */
function readBack(reader, column) {
	const {bytes} = reader;
	let {at} = reader;
	for (let row = 0; row < column.length; row++) {
		const byte = bytes[at];
		if (byte < 128) {
			column[row] = row - byte;
			at++;
		} else {
			reader.at = at;
			column[row] = row - reader.number();
			at = reader.at;
		}
	}
	reader.at = at;
}

/** Seconds and the rest as one number, for pictures; exact below 2^53 ns. @param {Table} table */
function addTotals(table) {
	const {rows, s, ns} = table, total = table.total = new Float64Array(rows);
	for (let row = 0; row < rows; row++) total[row] = s[row] * NS + ns[row];
}

/** By node of a stack its label and kind as one number (frames.js). @param {Model} model */
function packNodes({nodes, frames}) {
	const {frame, kind, rows} = nodes, {label} = frames;
	const packed = nodes.packed = new Int32Array(rows);
	for (let node = 0; node < rows; node++) packed[node] = packFrame(label[frame[node]], kind[node]);
}

/** By node the last one below it: all that is below has the numbers between. @param {Table} nodes */
function findLasts(nodes) {
	const {parent, rows} = nodes, last = nodes.last = new Int32Array(rows);
	for (let node = 1; node < rows; node++) {
		const above = parent[node];
		for (let before = node - 1; before !== above; before = parent[before]) {
			if (before < above || above < 0) throw new Error('the data of this page has stacks in no order');
			last[before] = node - 1;
		}
	}
	for (let node = rows - 1; node > 0; node = parent[node]) last[node] = rows - 1;
	if (rows) last[0] = rows - 1;
}

/** Where each key's shares begin: one for each hop of its chain and one for the rest. @param {Model} model */
function shareStarts({keys, chains}) {
	const {chain, rows} = keys, {count} = chains, starts = new Int32Array(rows);
	let next = 0;
	for (let key = 0; key < rows; key++) {
		starts[key] = next;
		if (chain[key]) next += count[chain[key] - 1] + 1;
	}
	return starts;
}

/** Keys of running time and of its samples, thread by thread as all keys are. @param {Model} model */
function runsOf({keys, kinds, states}) {
	const isRun = Uint8Array.from(kinds.state, (/** @type {number} */ state) => Number(['running', 'sample'].includes(states[state])));
	const {kind, rows} = keys, runs = [];
	for (let key = 0; key < rows; key++) if (isRun[kind[key]]) runs.push(key);
	return Int32Array.from(runs);
}

/** Where each bucket's cells begin. @param {Table} cells @param {number} buckets */
function bucketStarts(cells, buckets) {
	const {bucket, rows} = cells, starts = new Int32Array(buckets + 1);
	for (let row = 0; row < rows; row++) starts[bucket[row] + 1]++;
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
	findLasts(model.nodes);
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

/** @param {string} text base64 @returns {Uint8Array<ArrayBuffer>} */
function fromBase64(text) {
	const known = /** @type {any} */ (Uint8Array);
	if (known.fromBase64) return known.fromBase64(text);
	const binary = atob(text), bytes = new Uint8Array(binary.length);
	for (let i = 0; i < bytes.length; i++) bytes[i] = binary.charCodeAt(i);
	return bytes;
}

/** Base64 to bytes to the model. @param {string} text @returns {Promise<Model>} */
export async function unpack(text) {
	const stream = new Blob([fromBase64(text)]).stream().pipeThrough(new DecompressionStream('gzip'));
	return parseData(new Uint8Array(await new Response(stream).arrayBuffer()));
}
