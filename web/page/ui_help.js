// SPDX-License-Identifier: GPL-2.0-or-later
// The keys, written once: the help lists what main.js obeys.
import {h} from './dom.js';

/** @type {[string, string][]} */
export const KEYS = [
	['?', 'this list'],
	['/ or Ctrl-F', 'search by regular expression'],
	['n, N', 'next and previous match'],
	['arrows', 'walk from box to box; in the time strip: move the range, with Shift widen it'],
	['Enter', 'zoom into the box'],
	['0', 'zoom out to all'],
	['Esc', 'leave: list, search, zoom, then the range of time'],
	['u or Backspace', 'undo the last step, as the browser\'s back button'],
	['1 to 9', 'views, in the order of their buttons'],
	['i', 'root on top, or at the bottom'],
	['c', 'callers: stacks from their leaf'],
	['a', 'siblings by name, or by size'],
	['f, t, w, p, k', 'flame graph, functions, sandwich, processes and threads, who woke them'],
	['x', 'callers and callees of the box'],
	['o, O', 'only stacks with the box\'s function; without it'],
	['y', 'copy the stack'],
	['s, S', 'save as SVG; as folded text'],
	['d', 'light or dark'],
];

export function helpDialog() {
	const dialog = h('dialog', {id: 'help', 'aria-label': 'Keys'},
		h('h2', {}, 'Keys'),
		h('table', {}, h('tbody', {}, KEYS.map(([key, text]) => h('tr', {}, h('th', {}, h('kbd', {}, key)), h('td', {}, text))))),
		h('p', {class: 'note'}, 'A click zooms; a right click only chooses the box. Links keep everything: view, filters, zoom and search.'),
		h('form', {method: 'dialog'}, h('button', {}, 'Close')));
	return dialog;
}
