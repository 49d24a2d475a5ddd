// SPDX-License-Identifier: GPL-2.0-or-later
// Views: the list is the data's (src/profile/view_types.c), with what the recording counts beside time at
// its end; and the texts of frames.
import {RUNNING} from './weigh.js';

/** @typedef {{name: string, title: string, about: string, states?: number, needs_chains: boolean, has_reasons: boolean, marks: string[],
 *   weight: string, counted: string, counts: string, unit: string, unit_word: string, measure?: number, kind?: string}} View
 *   states: bits, by state; has_reasons: boxes have the colour of why their time went; marks: by state, the frame that ends a stack, with * for the reason of a wait; weight: what its
 *   weights are ("off-CPU time", "page faults"); counted, counts: what one is called that is counted, and several; unit: ns, count, bytes, or ''
 *   for one that unit_word names; measure: its number from 1 on, if it is no time; kind: of a measure, as the recording has it */

/** @param {any} model @param {string} name @returns {View | undefined} */
export function viewOf(model, name) {
	return model.views.find((/** @type {View} */ view) => view.name === name);
}

/** The model that a view's weights are in. @param {any} model of time @param {View} view */
export function modelOf(model, view) {
	return view.measure ? model.measures[view.measure - 1] : model;
}

/** Kinds of measures of memory, in the order in which people ask for them. */
export const MEMORY_KINDS = ['alloc', 'live', 'leaks', 'freed', 'growth', 'shrink'];

/** @param {View} view */
export function isOfMemory({kind}) {
	return MEMORY_KINDS.includes(kind || '');
}

/** All that a measure's model has is for its view. @param {View} view @param {number} state */
export function wants(view, state) {
	return view.states === undefined || (view.states >> state & 1) === 1;
}

/** Frames that end stacks of that kind of time, one in a line. @param {any} model @param {View} view @param {number} kind */
export function endOf(model, view, kind) {
	const state = model.kinds.state[kind];
	const mark = view.marks[state].replace('*', () => model.reasons[model.kinds.reason[kind]][0]);
	return state === RUNNING ? `[unsampled]\n${mark}` : mark;
}

export const BYS = {comm: 'thread name', process: 'process', thread: 'thread', name: 'process name',
	container: 'container'};

/** Texts of labels, with those that the page adds behind those of the data. */
export class Labels {
	/** @param {string[]} texts */
	constructor(texts) {
		this.texts = texts.slice();
		this.first = texts.length;
		/** @type {Map<string, number>} */
		this.added = new Map();
	}

	/** @param {string} text */
	add(text) {
		let number = this.added.get(text);
		if (number === undefined) {
			number = this.texts.push(text) - 1;
			this.added.set(text, number);
		}
		return number;
	}

	/** All numbers of a text: data and page may both have it. @param {string} text */
	find(text) {
		/** @type {number[]} */
		const found = [];
		if (!text) return found;
		const added = this.added.get(text);
		if (added !== undefined) found.push(added);
		const at = this.texts.indexOf(text);
		if (at >= 0 && at < this.first) found.push(at);
		return found;
	}
}
