// SPDX-License-Identifier: GPL-2.0-or-later
// Views: which keys of the table a view wants and which frame ends their stacks; and the texts of frames.
import {BLOCKED, PREEMPTED, RUNNING, SAMPLE, WOKEN} from './weigh.js';

/** @type {Record<string, {title: string, about: string, wants: (state: number) => boolean,
 *   end: (model: any, kind: number) => string, needsChains?: boolean}>} needsChains: src/profile/chain_view.c
 *   has the same grammar */
export const VIEWS = {
	offcpu: {
		title: 'Off-CPU', about: 'blocked and runnable time, by where the thread went off CPU',
		wants: (state) => state === WOKEN || state === PREEMPTED || state === BLOCKED,
		end: (model, kind) => ['', '[runq]', '[preempted]', '', ''][model.kinds.state[kind]],
	},
	oncpu: {
		title: 'On-CPU', about: 'running time: samples, scaled to each thread\'s exact running time',
		wants: (state) => state === RUNNING || state === SAMPLE,
		end: (model, kind) => model.kinds.state[kind] === RUNNING ? '[unsampled]' : '',
	},
	runq: {
		title: 'Run queue', about: 'runnable time: ready, but without a CPU',
		wants: (state) => state === WOKEN || state === PREEMPTED,
		end: (model, kind) => model.kinds.state[kind] === WOKEN ? '[woken]' : '[preempted]',
	},
	hotcold: {
		title: 'Hot/cold', about: 'all time of the threads in one tree',
		wants: () => true,
		end: (model, kind) => {
			const state = model.kinds.state[kind];
			if (state === RUNNING) return '[unsampled]\n[running]';
			if (state === SAMPLE) return '[running]';
			return state === BLOCKED ? `[blocked ${model.reasons[model.kinds.reason[kind]][0]}]`
				: '[runnable]';
		},
	},
	wakeup: {
		title: 'Wakers', about: 'blocked time, by the stack of who ended it, then by who had waited',
		wants: (state) => state === BLOCKED, end: () => '', needsChains: true,
	},
	offwake: {
		title: 'Off-wake', about: 'blocked time, by where the thread waited, and behind "--" the stack of who woke it',
		wants: (state) => state === BLOCKED, end: () => '', needsChains: true,
	},
	chain: {
		title: 'Chains', about: 'blocked time, by where the thread waited, and behind each "--" the next waker of the chain',
		wants: (state) => state === BLOCKED, end: () => '', needsChains: true,
	},
};

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
