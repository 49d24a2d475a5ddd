// SPDX-License-Identifier: GPL-2.0-or-later
// What is likely to be asked for next is made while nothing else happens, bit by bit: whoever clicks meanwhile waits for
// one bit at the most. Nothing depends on it.
import {MOST_KEPT, viewsOf} from './look.js';
import {childrenOf} from './tree.js';
import {viewOf} from './views.js';

// Of what is remembered so much is left to what somebody looks at meanwhile.
const SPARE = 4;

/** The bits, in the order of what people do first: views of time only, as events may have dozens. Each is for the state it is given. @param {any} app */
export function bitsOf(app) {
	const {look, model} = app;
	/** @typedef {import('./state.js').State} State */
	const from = (/** @type {State} */ state) => ({...state, inverted: true, zoom: []});
	/** @type {((state: State) => void)[]} */
	const bits = [
		(state) => look.callersTree(from(state)),
		(state) => look.callersTree(from(state)).tree.trie.childList(0),
		(state) => childrenOf(look.callersTree(from(state)).tree, 0),
		(state) => look.functions(state),
	];
	for (const view of viewsOf(model).filter((name) => !viewOf(model, name)?.measure).slice(0, MOST_KEPT - SPARE)) {
		bits.push((state) => look.paths({...state, view}));
		bits.push((state) => look.trie({...state, view}));
		bits.push((state) => childrenOf(look.tree({...state, view}).tree, 0));
	}
	return bits;
}

/** @param {any} app */
export function prepare(app) {
	const bits = bitsOf(app);
	const ask = window.requestIdleCallback || ((/** @type {() => void} */ callback) => setTimeout(callback, 100));
	const next = () => {
		const bit = bits.shift();
		if (!bit) return;
		bit(app.state);
		ask(next);
	};
	ask(next);
}
