// SPDX-License-Identifier: GPL-2.0-or-later
// A wait hop by hop: chains that differ only in their wakers' stacks are one, as in the report. Each
// hop has its own share of the wait; shares of a chain add up to it, and the chains to the wait.
import {BLOCKED} from './weigh.js';

/**
 * @typedef {{kind: number, name: string, reason: string, operation: string, spot: string, ran: number, nocpu: number,
 *   earlier: number, node: number, nodeNs: number}} Hop
 * @typedef {{hops: Hop[], end: number, rest: number, ns: number, count: number}} Chain
 */

/** How a line of waits is known in links; the report's by their numbers, too. @param {{name: string, reason: string, operation: string, number?: number}} line */
export function lineId({name, reason, operation, number}) {
	return [name, reason, operation, ...number ? [number] : []].join('/');
}

/** The words of a key, as in its line. @param {any} model @param {number} key */
function idOfKey(model, key) {
	const kind = model.keys.kind[key], number = model.kinds.line[kind];
	if (number) return lineId({...model.lines[number - 1], number});
	return lineId({name: model.threads[model.keys.thread[key]].names.comm, reason: model.reasons[model.kinds.reason[kind]][0],
		operation: model.labels[model.kinds.operation[kind]]});
}

/**
 * The chains of a line, largest first, and the time that has none.
 * @param {any} model @param {any} weights @param {string} line
 * @returns {{chains: Chain[], without: number, total: number}}
 */
export function chainsOf(model, weights, line) {
	const {keys, kinds} = model;
	/** @type {Map<string, Chain>} */
	const chains = new Map();
	/** @type {Map<number, string>} */
	const ids = new Map();
	let without = 0, total = 0;
	for (let key = 0; key < keys.rows; key++) {
		if (!weights.ns[key] || kinds.state[keys.kind[key]] !== BLOCKED || idOfKey(model, key) !== line) continue;
		total += weights.ns[key];
		const number = keys.chain[key] - 1;
		if (number < 0) {
			without += weights.ns[key];
			continue;
		}
		if (!ids.has(number)) ids.set(number, nameOf(model, number));
		const id = /** @type {string} */ (ids.get(number));
		const chain = chains.get(id) || newChain(model, number);
		chains.set(id, chain);
		addKey(model, weights, chain, number, key);
	}
	return {chains: [...chains.values()].sort((a, b) => b.ns - a.ns), without, total};
}

function nameOf(/** @type {any} */ model, /** @type {number} */ number) {
	const {chains, hops} = model;
	const parts = [chains.end[number]];
	for (let hop = chains.first[number]; hop < chains.first[number] + chains.count[number]; hop++)
		parts.push(hops.kind[hop], hops.name[hop], hops.waited[hop] ? hops.reason[hop] : '', hops.operation[hop], hops.spot[hop]);
	return parts.join('/');
}

/** @returns {Chain} */
function newChain(/** @type {any} */ model, /** @type {number} */ number) {
	const {chains, hops, labels, reasons} = model;
	const first = chains.first[number];
	return {end: chains.end[number], rest: 0, ns: 0, count: 0,
		hops: Array.from({length: chains.count[number]}, (_, i) => ({kind: hops.kind[first + i], name: labels[hops.name[first + i]],
			reason: i && hops.waited[first + i] ? reasons[hops.reason[first + i]][0] : '', operation: labels[hops.operation[first + i]],
			spot: labels[hops.spot[first + i]], ran: 0, nocpu: 0, earlier: 0, node: 0, nodeNs: 0}))};
}

/** Of a part of the key's time each hop has the same share; what rounding takes, the next one gets. */
function addKey(/** @type {any} */ model, /** @type {any} */ weights, /** @type {Chain} */ chain, /** @type {number} */ number,
	/** @type {number} */ key) {
	const {keys, shares, hops, chains} = model;
	const part = weights.ns[key], whole = keys.total[key];
	let at = keys.share[key], seen = 0, given = 0;
	const take = (/** @type {number} */ ns) => {
		seen += ns;
		const due = part === whole ? seen : Math.round(seen / whole * part);
		const got = due - given;
		given = due;
		return got;
	};
	chain.ns += part;
	chain.count += weights.count[key] + (weights.isWhole ? keys.unended[key] : 0);
	chain.hops.forEach((hop, i) => {
		const before = given;
		hop.ran += take(shares.ran[at]);
		hop.nocpu += take(shares.nocpu[at]);
		hop.earlier += take(shares.earlier[at]);
		at++;
		if (given - before >= hop.nodeNs) {
			hop.nodeNs = given - before;
			hop.node = hops.node[chains.first[number] + i];
		}
	});
	chain.rest += part - given;
}

const OWN_TIMERS = ['hrtimer_wakeup', 'process_timeout', 'posix_timer_fn', 'it_real_fn', 'timerfd_tmrproc'];

/** "disk vda", "its own timer", "jbd2/vda1-8"; of a kind that is new to this dwell "KIND NAME". @param {any} model @param {Hop} hop */
export function wakerName(model, hop) {
	const [kind, isMetal, isNew] = model.hop_kinds[hop.kind];
	/** @type {Record<string, [string, string]>} */
	const words = {irq: ['interrupt', 'an interrupt'], softirq: ['softirq', 'a softirq'], timer: ['a timer', 'a timer'],
		ipi: ['another CPU\'s interrupt', 'another CPU\'s interrupt'], disk: ['disk', 'a disk']};
	if (!isMetal && !isNew) return hop.name || 'an unknown waker';
	const [named, plain] = words[kind] || [kind, kind];
	if (kind === 'timer' && OWN_TIMERS.includes(hop.name)) return 'its own timer';
	if (kind === 'softirq' && hop.name === 'NET_RX') return 'the network';
	if (!hop.name) return plain;
	return kind === 'timer' || kind === 'ipi' ? `${named} (${hop.name})` : `${named} ${hop.name}`;
}
