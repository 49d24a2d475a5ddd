// SPDX-License-Identifier: GPL-2.0-or-later
// What waits were for: files, sockets, locks. A thing is known by its number in the data, from 1 on; 0 is
// what was not told. Links hold its text, of which no two are the same.
import {BLOCKED} from './weigh.js';

export const NOT_TOLD = '[not told]';
export const ANY_THING = -1;

/** @typedef {{number: number, text: string, kind: string, ns: number}} Thing */

/** @param {any} model @param {number} number */
export function thingText(model, number) {
	return number ? model.things[number - 1][0] : NOT_TOLD;
}

/** The number of a text; ANY_THING for none, and for one that the page does not have: a link can come from anywhere. @param {any} model @param {string} text */
export function thingNumber(model, text) {
	if (!text || !model.things.length) return ANY_THING;
	if (text === NOT_TOLD) return 0;
	const place = model.things.findIndex((/** @type {any[]} */ thing) => thing[0] === text);
	return place < 0 ? ANY_THING : place + 1;
}

/** Things with their time, largest first; what is not told comes last. @param {any} model @param {Float64Array} sums by number @returns {Thing[]} */
function listOf(model, sums) {
	return Array.from(sums, (ns, number) => ({number, ns, text: thingText(model, number), kind: number ? model.things[number - 1][1] : ''}))
		.filter((thing) => thing.ns > 0).sort((a, b) => Number(!a.number) - Number(!b.number) || b.ns - a.ns || a.number - b.number);
}

/** Of all waits. @param {any} model @param {any} weights */
export function thingList(model, {ns}) {
	const {keys, kinds} = model, sums = new Float64Array(model.things.length + 1);
	for (let key = 0; key < keys.rows; key++) {
		const kind = keys.kind[key];
		if (ns[key] && kinds.state[kind] === BLOCKED) sums[kinds.thing[kind]] += ns[key];
	}
	return listOf(model, sums);
}

/** Of the waits in a box of a tree of time. @param {any} model @param {import('./descent_tree.js').DescentTree} tree @param {number} node */
export function thingsInBox(model, {trie, weights: {ns}}, node) {
	const {keys, kinds} = model, {stacks: {order}, ranges} = trie;
	const sums = new Float64Array(model.things.length + 1);
	for (let range = trie.firstRange[node], end = range + trie.rangeCount[node]; range < end; range++) {
		for (let place = ranges.first[range]; place < ranges.last[range]; place++) {
			const kind = keys.kind[order[place]];
			if (ns[place] && kinds.state[kind] === BLOCKED) sums[kinds.thing[kind]] += ns[place];
		}
	}
	return listOf(model, sums);
}

/** Of each line of waits, by its place among all of them. @param {any} model @param {any} weights @param {Int32Array} lineOf by key, -1: none @returns {Map<number, Thing[]>} */
export function thingsOfLines(model, {ns}, lineOf) {
	const {keys, kinds} = model;
	/** @type {Map<number, Float64Array>} */
	const sums = new Map();
	for (let key = 0; key < keys.rows; key++) {
		const kind = keys.kind[key], line = lineOf[key];
		if (line < 0 || !ns[key] || kinds.state[kind] !== BLOCKED) continue;
		let own = sums.get(line);
		if (!own) sums.set(line, own = new Float64Array(model.things.length + 1));
		own[kinds.thing[kind]] += ns[key];
	}
	return new Map(Array.from(sums, ([line, own]) => [line, listOf(model, own)]));
}

const LONGEST_THING = 60;

/** A text that fits a button or a line: of a path its end, which tells more than the folders. @param {string} text */
export function shortThing(text) {
	const characters = Array.from(text);
	if (characters.length <= LONGEST_THING) return text;
	return text.startsWith('/') ? `…${characters.slice(1 - LONGEST_THING).join('')}` : `${characters.slice(0, LONGEST_THING - 1).join('')}…`;
}

const LEAST_SHARE = 0.05;
const MOST_NAMED = 3;

/** The things that are worth a word: told, and not too small. @param {Thing[]} things @param {number} whole */
export function largeThings(things, whole) {
	return things.filter(({number, ns}) => number && ns >= whole * LEAST_SHARE).slice(0, MOST_NAMED);
}
