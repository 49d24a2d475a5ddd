// SPDX-License-Identifier: GPL-2.0-or-later
// Made-up data for the tests of the page's modules: as the program writes it, without the packing.
import {parseData} from '../../../web/page/data.js';
import {Descent} from '../../../web/page/descent.js';
import {DescentTree, Weights} from '../../../web/page/descent_tree.js';
import {packFrame} from '../../../web/page/frames.js';
import {Stacks} from '../../../web/page/stacks.js';
import {NOTHING_TOLD} from '../../../web/page/whys.js';

function varint(number) {
	const bytes = [];
	let rest = BigInt(number);
	do {
		bytes.push(Number(rest & 127n) | (rest > 127n ? 128 : 0));
		rest >>= 7n;
	} while (rest);
	return bytes;
}

export const zigzag = (number) => number < 0 ? -number * 2 - 1 : number * 2;

/** Bytes as page_data.c writes them, from {name: {column: [encoding, values]}}; "keys@2" are keys of the second measure. */
export function encode(head, tables) {
	const specs = [], bytes = [];
	for (const [id, columns] of Object.entries(tables)) {
		const names = Object.keys(columns), [name, measure] = id.split('@');
		specs.push({name, rows: columns[names[0]][1].length, columns: names.map((column) => [column, columns[column][0]]), ...measure && {measure: Number(measure)}});
		for (const column of names) {
			const [encoding, values] = columns[column];
			values.forEach((value, row) => bytes.push(...varint(encoding === 'plain' ? value :
				encoding === 'back' ? row - value : zigzag(value - (row ? values[row - 1] : 0)))));
		}
	}
	const json = new TextEncoder().encode(JSON.stringify({...head, tables: specs}));
	const all = new Uint8Array(4 + json.length + bytes.length);
	new DataView(all.buffer).setUint32(0, json.length, true);
	all.set(json, 4);
	all.set(bytes, 4 + json.length);
	return all;
}

const column = (rows, at, encoding = 'plain') => [encoding, rows.map((row) => row[at])];

/** As src/profile/view_types.c has them. */
const view = (name, title, states, marks, needs_chains = false) => ({name, title, about: '', states, needs_chains, marks, has_reasons: ['offcpu', 'offwake', 'chain'].includes(name),
	weight: 'thread time', counted: name === 'oncpu' ? 'sample' : 'wait', counts: name === 'oncpu' ? 'samples' : 'waits', unit: 'ns', unit_word: 'ns'});
const NO_MARKS = ['', '', '', '', ''];

export const VIEWS = [
	view('offcpu', 'Off-CPU', 0b01110, ['', '[runq]', '[preempted]', '', '']),
	view('oncpu', 'On-CPU', 0b10001, NO_MARKS),
	view('runq', 'Run queue', 0b00110, ['', '[woken]', '[preempted]', '', '']),
	view('hotcold', 'Hot/cold', 0b11111, ['[running]', '[runnable]', '[runnable]', '[blocked *]', '[running]']),
	view('wakeup', 'Wakers', 0b01000, NO_MARKS, true),
	view('offwake', 'Off-wake', 0b01000, NO_MARKS, true),
	view('chain', 'Chains', 0b01000, NO_MARKS, true),
];

/** Two measures, as view_of_measure() makes their views. */
const NO_FOLDS = {keys: 0, keys_weight: 0, cells: 0, cells_weight: 0};
export const MEASURES = [
	{name: 'page-faults', title: 'Page faults', about: 'first touches', weight: 'page faults', counted: 'page fault', counts: 'page faults', unit: 'count', unit_word: 'count',
		needs_chains: false, marks: NO_MARKS, measure: 1, folded: NO_FOLDS},
	{name: 'alloc', title: 'Allocations', about: '', weight: 'allocations', counted: 'allocation', counts: 'allocations', unit: 'bytes', unit_word: 'bytes',
		needs_chains: false, marks: NO_MARKS, measure: 2, folded: NO_FOLDS},
];

export const HEAD = {
	views: [...VIEWS, ...MEASURES],
	version: 3, from_ns: 0, to_ns: 4e9, buckets: 4, bucket_ns: 1e9, start: {by: 'comm', idle: 'hide'},
	states: ['running', 'woken', 'preempted', 'blocked', 'sample'],
	reasons: [['other', 'X'], ['disk', 'D'], ['futex', 'F'], ['sleep', 'Z']],
	bands: ['< 10 us', '10-100 us', '0.1-1 ms', '1-10 ms', '10-100 ms', '0.1-1 s', '>= 1 s'],
	idles: ['', 'unended', 'main_loop', 'own_timer'], recording: {}, folded: {threads: 0, ...NO_FOLDS},
	threads: [{comm: 'app', process: 'app', pid: 1, tid: 1, life_s: 4, life_ns: 0}, {comm: 'srv', process: 'srv', pid: 2, tid: 2, life_s: 4, life_ns: 0}],
	labels: ['', 'main', 'work', 'read', 'write', '[other]', 'fdatasync', 'jbd2', 'commit', 'vda', '[disk vda]'],
	things: [['/var/log/db', 'file', false], ['mutex m', 'futex', false], ['other files', 'file', true]],
	has_chains: true, lines: [], hop_kinds: [['task', false], ['disk', true]],
	chain_ends: [['metal', '', false], ['awake', '', false], ['depth limit', '[depth limit]', true], ['not woken', '[not woken]', true]],
};

// Stacks: 1 main, 2 main;work, 3 main;work;read (kernel), 4 main;write (kernel), 5 [other]; wakers: 7 jbd2;commit, 8 [disk vda].
export const FRAMES = [[0, 0], [1, 0], [2, 0], [3, 0], [4, 0], [5, 0], [7, 0], [8, 0], [10, 0]];
export const NODES = [[0, 0, 3], [0, 1, 1], [1, 2, 1], [2, 3, 2], [1, 4, 2], [0, 5, 3], [0, 6, 0], [6, 7, 2], [0, 8, 0]];
// The disk's waits: by jbd2, which the disk woke; or the disk at once. The futex's: not woken.
export const CHAINS = [[0, 2, 0], [2, 1, 0], [3, 0, 3]];
export const HOPS = [[0, 7, 7, 0, 0, 0, 0], [1, 9, 8, 1, 1, 6, 0], [1, 9, 8, 0, 0, 0, 0]];
// Of keys 3, 4 and 7: ran, no CPU, earlier
export const SHARES = [[100000000, 50000000, 1], [349999999, 0, 0], [0, 0, 0], [7, 0, 0], [0, 0, 0], [2000000000, 0, 0]];
// state, letter, reason, idle, operation, unsliced
export const KINDS = [[0, 0, 0, 0, 0, 0, 0], [4, 0, 0, 0, 0, 0, 0], [3, 68, 1, 0, 6, 0, 0], [3, 83, 2, 0, 0, 0, 0], [3, 83, 3, 3, 0, 0, 0], [1, 0, 0, 0, 0, 0, 0], [2, 0, 0, 0, 0, 0, 0], [3, 0, 0, 0, 0, 1, 0]];
// What they were for: the disk's the file, the futex's the mutex; of the sleep it is not told.
export const THINGS_OF_KINDS = [0, 0, 1, 2, 0, 0, 0, 0];
// thread, kind, node, band, s, ns, count, unended, max
export const KEYS = [
	[0, 0, 0, 7, 1, 1, 3, 0, 0], // app ran 1.000000001 s
	[0, 1, 1, 7, 0, 0, 1, 0, 0], // one sample in main
	[0, 1, 2, 7, 0, 0, 2, 0, 0], // two in work
	[0, 2, 3, 4, 0, 500000000, 20, 0, 60000000], // disk, 10-100 ms
	[0, 2, 3, 3, 0, 7, 1, 0, 7], // disk, 1-10 ms
	[0, 5, 3, 1, 0, 1000, 4, 0, 500], // woken after the disk
	[1, 0, 0, 7, 0, 250000000, 2, 0, 0], // srv ran without samples
	[1, 3, 4, 6, 2, 0, 1, 0, 2000000000], // futex
	[1, 4, 4, 6, 1, 749000000, 0, 1, 1749000000], // its own sleep: idle
	[1, 6, 1, 2, 0, 999000, 2, 0, 900000], // preempted
];
// bucket, key, s, ns, count
export const CELLS = [[0, 0, 1, 1, 3], [0, 1, 0, 0, 1], [0, 2, 0, 0, 2], [0, 7, 1, 0, 0], [1, 3, 0, 500000000, 20], [1, 4, 0, 7, 1], [1, 5, 0, 1000, 4],
	[1, 7, 1, 0, 1], [2, 6, 0, 250000000, 2], [2, 8, 1, 0, 0], [2, 9, 0, 999000, 2], [3, 8, 0, 749000000, 0]];

// Of each measure: thread, node, s, ns, count, samples; and the cells as above. 3 GiB are more than 2^31.
export const EVENTS = [
	[[0, 2, 0, 30, 30, 30], [0, 3, 0, 5, 5, 5], [1, 4, 0, 10, 10, 10]],
	[[0, 1, 3, 221225472, 2, 1], [1, 5, 0, 512, 1, 1]],
];
export const EVENT_CELLS = [
	[[0, 0, 0, 10, 10, 10], [0, 2, 0, 10, 10, 10], [1, 0, 0, 20, 20, 20], [3, 1, 0, 5, 5, 5]],
	[[2, 0, 3, 221225472, 2, 1], [2, 1, 0, 512, 1, 1]],
];

const cellColumns = (cells) => ({bucket: column(cells, 0, 'delta'), key: column(cells, 1, 'delta'), s: column(cells, 2), ns: column(cells, 3), count: column(cells, 4)});

export function tables() {
	return {...timeTables(), ...Object.fromEntries(EVENTS.flatMap((events, i) => [
		[`keys@${i + 1}`, {thread: column(events, 0, 'delta'), node: column(events, 1, 'delta'), s: column(events, 2), ns: column(events, 3), count: column(events, 4), samples: column(events, 5)}],
		[`cells@${i + 1}`, {...cellColumns(EVENT_CELLS[i]), samples: column(EVENT_CELLS[i], 5)}]]))};
}

export function timeTables() {
	return {
		frames: {label: column(FRAMES, 0, 'delta'), plumbing: column(FRAMES, 1), scheduler: ['plain', FRAMES.map(() => 0)]},
		objects: {label: ['delta', [1]], object: ['delta', [2]]},
		nodes: {parent: column(NODES, 0, 'back'), frame: column(NODES, 1, 'delta'), kind: column(NODES, 2)},
		kinds: {state: column(KINDS, 0), letter: column(KINDS, 1), reason: column(KINDS, 2), called: column(KINDS, 2), idle: column(KINDS, 3), operation: column(KINDS, 4), unsliced: column(KINDS, 5), line: column(KINDS, 6), thing: ['plain', THINGS_OF_KINDS]},
		keys: {thread: column(KEYS, 0, 'delta'), kind: column(KEYS, 1, 'delta'), node: column(KEYS, 2, 'delta'), chain: ['delta', KEYS.map((_, key) => key === 3 ? 1 : key === 4 ? 2 : key === 7 ? 3 : 0)], band: column(KEYS, 3), s: column(KEYS, 4), ns: column(KEYS, 5),
			count: column(KEYS, 6), unended: column(KEYS, 7), max: column(KEYS, 8)},
		chains: {first: ['delta', CHAINS.map((row) => row[0])], count: column(CHAINS, 1), end: column(CHAINS, 2)},
		hops: {kind: column(HOPS, 0), name: column(HOPS, 1, 'delta'), node: column(HOPS, 2, 'delta'), waited: column(HOPS, 3), reason: column(HOPS, 4), operation: column(HOPS, 5), spot: column(HOPS, 6), lock: ['plain', HOPS.map(() => 0)]},
		shares: {ran: column(SHARES, 0), nocpu: column(SHARES, 1), earlier: column(SHARES, 2)},
		cells: cellColumns(CELLS),
	};
}

export const model = () => parseData(encode(HEAD, tables()));
/** The same recording without anything counted beside time. */
export const modelOfTime = () => parseData(encode({...HEAD, views: VIEWS}, timeTables()));

/** A tree: by node, from 1 on, its parent, label, own time and kind (user frames if none is given); all below a node comes before its next sibling. */
export function madeTree(rows) {
	const all = [[0, 0, 0], ...rows], last = all.map((_, node) => node);
	for (let node = rows.length; node > 0; node--) last[all[node][0]] = Math.max(last[all[node][0]], last[node]);
	const column = (values) => Int32Array.from(all, values), zeros = column(() => 0);
	const nodes = {parent: column(([parent]) => parent), packed: column(([, label, , kind = 1]) => packFrame(label, kind)), last: Int32Array.from(last), rows: all.length};
	const stacks = new Stacks({nodes, keys: {node: column((_, node) => node), rows: all.length}}, {name: column(() => -1), node: column((_, node) => node), end: zeros, ends: [zeros.slice(0, 0)], waker: 0});
	const weights = new Weights({kinds: {state: [3]}, keys: {kind: zeros}}, stacks, {ns: all.map(([, , self]) => self), count: zeros}, NOTHING_TOLD, null);
	return new DescentTree(new Descent(stacks, 1 + Math.max(...all.map(([, label]) => label))), weights);
}
