// SPDX-License-Identifier: GPL-2.0-or-later
// Colours, each with a letter or a word beside it: hues of Okabe and Ito that colour-blind people
// can tell apart, and lightness that tells user from kernel code in grey too.
import {KERNEL, MARK, NAME, USER} from './trie.js';

const REASON_COLORS = {
	running: '#009e73', runnable: '#e69f00', aside: '#9a9a9a',
	disk: '#d55e00', journal: '#d55e00', 'page fault': '#d55e00',
	lock: '#cc79a7', futex: '#b8689a',
	socket: '#0072b2', accept: '#0072b2',
	pipe: '#56b4e9', poll: '#56b4e9', io_uring: '#56b4e9', tty: '#56b4e9',
	child: '#b5a642', vfork: '#b5a642', signal: '#b5a642', stopped: '#b5a642', sleep: '#8f9b3a',
	kernel: '#7d6b91', 'kernel thread': '#7d6b91', 'lost stack': '#777', other: '#777',
};

/** @param {string} word a reason, or running, runnable, aside */
export function classColor(word) {
	return /** @type {Record<string, string>} */ (REASON_COLORS)[word] || '#777';
}

/** One letter for each class. @param {any} model @param {string} word */
export function classLetter(model, word) {
	if (word === 'running') return 'R';
	if (word === 'runnable') return 'q';
	const found = model.reasons.find((/** @type {string[]} */ reason) => reason[0] === word);
	return found ? found[1] : 'i';
}

/** A small stable number from a text. @param {string} text */
export function hashText(text) {
	let hash = 0;
	for (let i = 0; i < text.length && i < 64; i++) hash = Math.imul(hash, 31) + text.charCodeAt(i) | 0;
	return hash >>> 0;
}

const HUES = {
	[NAME]: {hue: 220, saturation: 8, light: 84, dark: 30},
	[USER]: {hue: 42, saturation: 88, light: 72, dark: 31},
	[KERNEL]: {hue: 205, saturation: 62, light: 74, dark: 34},
	[MARK]: {hue: 0, saturation: 0, light: 88, dark: 26},
};

/** The box of a frame; names differ a little in hue. @param {string} text @param {number} kind @param {boolean} isDark */
export function frameColor(text, kind, isDark) {
	const base = HUES[/** @type {keyof HUES} */ (kind)] || HUES[USER];
	const hash = hashText(text);
	const turn = kind === USER || kind === KERNEL ? hash % 25 - 12 : 0;
	const lift = kind === NAME || kind === MARK ? 0 : (hash >> 8) % 9 - 4;
	return `hsl(${base.hue + turn} ${base.saturation}% ${(isDark ? base.dark : base.light) + lift}%)`;
}
