// SPDX-License-Identifier: GPL-2.0-or-later
// What is likely to be asked for next is made while nothing else happens, bit by bit: whoever clicks meanwhile waits for
// one bit at the most. Nothing depends on it.

/** @param {any} app */
export function prepare(app) {
	const {look, state} = app;
	const bits = [
		() => look.callersTree({...state, inverted: true, zoom: []}),
		() => look.callersTree({...state, inverted: true, zoom: []}).tree.trie.childList(0),
		() => look.callersTree({...state, inverted: true, zoom: []}).tree.totalOf(0),
	];
	const ask = window.requestIdleCallback || ((/** @type {() => void} */ callback) => setTimeout(callback, 100));
	const next = () => {
		const bit = bits.shift();
		// What somebody has gone on to look at comes first.
		if (!bit || app.state !== state) return;
		bit();
		ask(next);
	};
	ask(next);
}
