// SPDX-License-Identifier: GPL-2.0-or-later
// Which line of waits each key belongs to, and which stacks a line has: what lines.js sums up for any filter. Made
// once, in the order of nodes, so that stacks need not be looked up.
import {PairMap} from './pairs.js';
import {keysByNode} from './stacks.js';
import {BLOCKED, RUNNING, SAMPLE} from './weigh.js';

/** Equal texts have equal numbers. @param {string[]} texts */
function numbers(texts) {
	/** @type {Map<string, number>} */
	const known = new Map();
	return texts.map((text) => {
		if (!known.has(text)) known.set(text, known.size);
		return /** @type {number} */ (known.get(text));
	});
}

/** By key its line, -1 for none, and each line's first key. @param {any} model */
function findLines({keys, kinds, threads}) {
	const {kind: ofKind, thread: threadOf, rows} = keys, {state: stateOf} = kinds;
	const known = new PairMap(), lineOf = new Int32Array(rows).fill(-1);
	/** @type {number[]} */
	const firstKeys = [];
	const names = numbers(threads.map((/** @type {any} */ thread) => thread.names.comm));
	const whats = numbers(Array.from({length: kinds.rows}, (_, kind) => kinds.line[kind] ? `${kinds.line[kind]}`
		: kinds.state[kind] === BLOCKED ? `${kinds.reason[kind]}/${kinds.operation[kind]}` : ''));
	let lastKind = -1, lastThread = -1, line = -1;
	for (let key = 0; key < rows; key++) {
		const kind = ofKind[key], thread = threadOf[key], state = stateOf[kind];
		if (state === RUNNING || state === SAMPLE) continue;
		// Keys of one thread and kind are neighbours.
		if (kind !== lastKind || thread !== lastThread) {
			// Lines of the report may have threads of several names.
			const name = kinds.line[kind] ? -1 : names[thread];
			line = known.get(name, whats[kind]);
			if (line < 0) known.set(name, whats[kind], line = firstKeys.push(key) - 1);
			lastKind = kind;
			lastThread = thread;
		}
		lineOf[key] = line;
	}
	return {lineOf, firstKeys};
}

/**
 * By key its line and its stack in that line; each stack's line, node and the thread of its first key; each line's first
 * key. Stacks are numbered as their nodes are.
 * @param {any} model
 */
export function groupWaits(model) {
	const {keys: {node: nodeOf, thread: threadOf, rows}} = model, {lineOf, firstKeys} = findLines(model), order = keysByNode(model);
	const stackOf = new Int32Array(rows), stackOwner = new Int32Array(rows), stackNode = new Int32Array(rows), stackThread = new Int32Array(rows);
	const newest = new Int32Array(firstKeys.length).fill(-1); // by line: the stack made last
	let stacks = 0;
	for (let i = 0; i < rows; i++) {
		const key = order[i], node = nodeOf[key], line = lineOf[key];
		if (line < 0) continue;
		if (newest[line] < 0 || stackNode[newest[line]] !== node) {
			newest[line] = stacks;
			stackOwner[stacks] = line;
			stackNode[stacks] = node;
			stackThread[stacks++] = threadOf[key];
		}
		stackOf[key] = newest[line];
	}
	return {firstKeys, lineOf, stackOf, stackOwner: stackOwner.slice(0, stacks), stackNode: stackNode.slice(0, stacks), stackThread: stackThread.slice(0, stacks)};
}

/** The heaviest stacks of a line, heaviest first, of equal ones the first. @param {Float64Array} ns by stack @param {Int32Array} owner by stack: its line @param {number} line @param {number} most so many */
export function heaviest(ns, owner, line, most) {
	/** @type {number[]} */
	let top = [];
	let least = 0;
	const cut = () => {
		top.sort((a, b) => ns[b] - ns[a] || a - b);
		top = top.slice(0, most);
		if (top.length === most) least = ns[top[most - 1]];
	};
	for (let stack = 0; stack < ns.length; stack++) {
		if (owner[stack] !== line || !(ns[stack] > least)) continue;
		top.push(stack);
		if (top.length === 2 * most) cut();
	}
	cut();
	return top;
}
