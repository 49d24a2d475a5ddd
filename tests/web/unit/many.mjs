// SPDX-License-Identifier: GPL-2.0-or-later
// More data than one can read: 900 keys on 400 nodes.
import {parseData} from '../../../web/page/data.js';
import {encode, HEAD, tables} from './model.mjs';

const LABELS = ['', 'a', 'b', 'c', 'd', '[other]'];

/** Nodes with all that is below one before its next sibling. */
function inOrder(made) {
	const nodes = [];
	const put = (node, parent) => {
		const number = nodes.push([parent, ...made[node].slice(1)]) - 1;
		made.forEach(([above], child) => { if (child && above === node) put(child, number); });
	};
	put(0, 0);
	return nodes;
}

/** Many stacks of few functions, recursion too. The numbers are made up, but always the same. */
export function many() {
	let seed = 7;
	const random = (below) => ((seed = Math.imul(seed, 1103515245) + 12345 >>> 0) >>> 8) % below;
	const made = [[0, 0, 3]], known = new Set();
	while (made.length < 400) {
		const parent = random(made.length), frame = 1 + random(4);
		if (known.has(`${parent}/${frame}`)) continue;
		known.add(`${parent}/${frame}`);
		made.push([parent, frame, 1 + random(2)]);
	}
	const nodes = inOrder(made);
	const keys = Array.from({length: 900}, (_, i) => [i < 450 ? 0 : 1, [2, 3, 4, 5, 6][random(5)], 1 + random(399), random(7), random(2), random(1e9), 1 + random(9), 0, 0]);
	const column = (rows, at) => ['plain', rows.map((row) => row[at])];
	const all = {...tables(),
		frames: {label: ['plain', [0, 1, 2, 3, 4]]},
		nodes: {parent: column(nodes, 0), frame: column(nodes, 1), kind: column(nodes, 2)},
		keys: {thread: column(keys, 0), kind: column(keys, 1), node: column(keys, 2), chain: ['plain', keys.map(() => 0)], band: column(keys, 3), s: column(keys, 4), ns: column(keys, 5),
			count: column(keys, 6), unended: column(keys, 7), max: column(keys, 8)},
		cells: {bucket: ['plain', keys.map((_, i) => i * 4 / 900 | 0)], key: ['plain', keys.map((_, i) => i)], s: column(keys, 4), ns: column(keys, 5), count: column(keys, 6)}};
	return parseData(encode({...HEAD, labels: [...LABELS, 'fdatasync', 'jbd2', 'commit', 'vda', '[disk vda]']}, all));
}
