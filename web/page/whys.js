// SPDX-License-Identifier: GPL-2.0-or-later
// Why the time of a box went: the class of time (weigh.js) that has half of it or more, by which pictures are coloured, as
// src/render/flame/flame_reasons.c does it.
import {frameColor, wakerColor, whyColor} from './colors.js';
import {MARK, WAKER} from './trie.js';
import {className, classOf, FIRST_REASON, PREEMPTED, WOKEN} from './weigh.js';

export const MIXED = -1;
export const UNTOLD = -2;

/** @typedef {{isStriped: boolean, tellsWhy: boolean}} Told what of a box's time is kept apart: states, classes */
/** @type {Told} */
export const NOTHING_TOLD = {isStriped: false, tellsWhy: false};

/** By kind of time its class; to have no CPU is one. @param {any} model */
export function classesOf(model) {
	return Uint8Array.from({length: model.kinds.rows}, (_, kind) => model.kinds.state[kind] === PREEMPTED ? WOKEN : classOf(model, kind));
}

/** Of equal ones a reason comes before the time without a CPU. @param {Float64Array} sums by class */
function mainClass(sums) {
	let whole = 0, main = sums.length - 1;
	for (let class_ = sums.length - 1; class_ >= 0; class_--) {
		whole += sums[class_];
		if (sums[class_] > sums[main] || (sums[class_] === sums[main] && class_ >= FIRST_REASON)) main = class_;
	}
	if (!whole) return UNTOLD;
	return sums[main] * 2 >= whole ? main : MIXED;
}

/** Main classes of the boxes that were asked for. Whatever is below a box of one class is of that class, so only mixed ones are summed. */
export class MainClasses {
	/** @param {import('./tree.js').Weighted} tree */
	constructor(tree) {
		this.tree = tree;
		/** @type {Map<number, number>} */
		this.known = new Map();
		/** @type {Set<number>} */
		this.pure = new Set();
	}

	/** @param {number} node */
	of(node) {
		const {tree, known, pure} = this, above = tree.trie.parent[node];
		let main = known.get(node);
		if (main !== undefined) return main;
		if (node && pure.has(above)) {
			main = /** @type {number} */ (known.get(above));
			pure.add(node);
		} else {
			const sums = tree.classSums(node);
			main = mainClass(sums);
			if (main >= 0 && sums[main] === tree.totalOf(node)) pure.add(node);
		}
		known.set(node, main);
		return main;
	}
}

/** The words of classes with their share, largest first; small ones are left out. @param {any} model @param {Float64Array} sums by class @param {number} least share @returns {{word: string, share: number}[]} */
export function sharesOf(model, sums, least = 0) {
	const whole = sums.reduce((sum, ns) => sum + ns, 0);
	return Array.from(sums, (ns, class_) => ({word: ns ? className(model, class_) : '', share: ns / (whole || 1)}))
		.filter(({word, share}) => word && share >= least).sort((a, b) => b.share - a.share);
}

/** The class that the colour of a node tells, MIXED, or UNTOLD: of wakers, and where there is none. @param {import('./tree.js').Weighted} tree @param {number} node */
export function toldClass(tree, node) {
	return node > 0 && tree.tellsWhy && !(tree.trie.kind[node] & WAKER) ? tree.mainClassOf(node) : UNTOLD;
}

/** The colour of a box. @param {any} model @param {import('./tree.js').Weighted} tree @param {number} told of toldClass() @param {string} text @param {number} kind @param {boolean} isDark */
export function boxColor(model, tree, told, text, kind, isDark) {
	if (told === UNTOLD) return tree.tellsWhy && kind & WAKER && (kind & MARK) !== MARK ? wakerColor(text, isDark) : frameColor(text, kind, isDark);
	return whyColor(text, told === MIXED ? '' : className(model, told), isDark);
}
