// SPDX-License-Identifier: GPL-2.0-or-later
// Why the time of a box went: the class of time (weigh.js) that has half of it or more, by which pictures are coloured, as
// src/render/flame/flame_reasons.c does it.
import {frameColor, wakerColor, whyColor} from './colors.js';
import {MARK, WAKER} from './trie.js';
import {className, classOf, PREEMPTED, WOKEN} from './weigh.js';

export const MIXED = -1;
export const UNTOLD = -2;

/** @typedef {{isStriped: boolean, tellsWhy: boolean}} Told what of a box's time is kept apart: states, classes */
/** @type {Told} */
export const NOTHING_TOLD = {isStriped: false, tellsWhy: false};

/** By kind of time its class; to have no CPU is one. @param {any} model */
export function classesOf(model) {
	return Uint8Array.from({length: model.kinds.rows}, (_, kind) => model.kinds.state[kind] === PREEMPTED ? WOKEN : classOf(model, kind));
}

/** @param {Float64Array} sums by class */
export function mainClass(sums) {
	let whole = 0, main = 0;
	for (let class_ = 0; class_ < sums.length; class_++) {
		whole += sums[class_];
		if (sums[class_] > sums[main]) main = class_;
	}
	if (!whole) return UNTOLD;
	return sums[main] * 2 >= whole ? main : MIXED;
}

/** The words of classes with their share, largest first; small ones are left out. @param {any} model @param {Float64Array} sums by class @param {number} least share @returns {{word: string, share: number}[]} */
export function sharesOf(model, sums, least = 0) {
	const whole = sums.reduce((sum, ns) => sum + ns, 0);
	return Array.from(sums, (ns, class_) => ({word: ns ? className(model, class_) : '', share: ns / (whole || 1)}))
		.filter(({word, share}) => word && share >= least).sort((a, b) => b.share - a.share);
}

/** The class that the colour of a node tells, MIXED, or UNTOLD: of wakers and marks of chains, and where there is none. @param {import('./tree.js').Weighted} tree @param {number} node @param {boolean} hasWakers */
export function toldClass(tree, node, hasWakers) {
	if (node <= 0 || !tree.tellsWhy) return UNTOLD;
	const kind = tree.trie.kind[node];
	return kind & WAKER || (hasWakers && (kind & MARK) === MARK) ? UNTOLD : tree.mainClassOf(node);
}

/** The colour of a box. @param {any} model @param {import('./tree.js').Weighted} tree @param {number} told of toldClass() @param {string} text @param {number} kind @param {boolean} isDark */
export function boxColor(model, tree, told, text, kind, isDark) {
	if (told === UNTOLD) return tree.tellsWhy && kind & WAKER && (kind & MARK) !== MARK ? wakerColor(text, isDark) : frameColor(text, kind, isDark);
	return whyColor(text, told === MIXED ? '' : className(model, told), isDark);
}
