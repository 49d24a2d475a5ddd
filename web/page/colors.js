// SPDX-License-Identifier: GPL-2.0-or-later
// Colours, each with a letter or a word beside it: hues of Okabe and Ito that colour-blind people
// can tell apart, reasons of one family by lightness, which tells user from kernel code in grey too.
import {KERNEL, MARK, NAME, USER, WAKER} from './trie.js';

const REASON_COLORS = {
	running: '#009e73', runnable: '#e69f00', aside: '#9a9a9a',
	disk: '#d55e00', journal: '#b35a1f', 'page fault': '#f0935a',
	lock: '#e3a6c8', futex: '#c06aa0',
	socket: '#2b83bf', accept: '#6aa5d1',
	pipe: '#56b4e9', poll: '#93d2f5', io_uring: '#3fa0a8', tty: '#b4cfdc',
	child: '#b5a642', vfork: '#8f8542', signal: '#dcd389', stopped: '#9c9570', sleep: '#a3b14a',
	kernel: '#9a86b3', 'kernel thread': '#bfb0d3', 'lost stack': '#858585', other: '#a8a8a8',
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
	[USER | WAKER]: {hue: 140, saturation: 45, light: 78, dark: 30},
	[KERNEL | WAKER]: {hue: 178, saturation: 45, light: 72, dark: 27},
};

/** What the boxes of a kind look like, for the legend. @param {number} kind @param {boolean} isDark */
export function kindColor(kind, isDark) {
	const base = HUES[/** @type {keyof HUES} */ (kind)];
	return `hsl(${base.hue} ${base.saturation}% ${isDark ? base.dark : base.light}%)`;
}

// How much paper is mixed in, 0 to 1: at least, and how much more a name may have; as flame_reasons.c on white.
const PAPER = {light: {paper: 255, least: 0.22, more: 0.26}, dark: {paper: 18, least: 0.52, more: 0.12}};
const MIXED_COLOR = '#cdccc4';

/** The box of a frame where colours tell why its time went; names differ a little in lightness. @param {string} text @param {string} word a class, '' for mixed ones @param {boolean} isDark */
export function whyColor(text, word, isDark) {
	const {paper, least, more} = isDark ? PAPER.dark : PAPER.light;
	return mixIn(word ? classColor(word) : MIXED_COLOR, paper, least + more * (hashText(text) % 64) / 63);
}

/** The same in a legend. @param {string} word @param {boolean} isDark */
export function legendColor(word, isDark) {
	const {paper, least, more} = isDark ? PAPER.dark : PAPER.light;
	return mixIn(word ? classColor(word) : MIXED_COLOR, paper, least + more / 2);
}

/** @param {string} color #rrggbb or #rgb @param {number} paper @param {number} part of it */
function mixIn(color, paper, part) {
	const digits = color.length === 4 ? color.replace(/[0-9a-f]/gi, '$&$&') : color;
	const mixed = [1, 3, 5].map((at) => Math.round(parseInt(digits.slice(at, at + 2), 16) * (1 - part) + paper * part));
	return `rgb(${mixed.join(' ')})`;
}

/** Wakers where colours tell why: paler than any reason, as in the pictures of dwell flame. @param {string} text @param {boolean} isDark */
export function wakerColor(text, isDark) {
	const hash = hashText(text);
	return `hsl(${128 + hash % 25 - 12} ${isDark ? 16 : 30}% ${(isDark ? 24 : 86) + (hash >> 8) % 7 - 3}%)`;
}

/** The box of a frame; names differ a little in hue. @param {string} text @param {number} kind @param {boolean} isDark */
export function frameColor(text, kind, isDark) {
	const base = HUES[/** @type {keyof HUES} */ (kind)] || HUES[/** @type {keyof HUES} */ (kind & 3)];
	const hash = hashText(text);
	const isCode = (kind & 3) === USER || (kind & 3) === KERNEL;
	const turn = isCode ? hash % 25 - 12 : 0;
	const lift = isCode ? (hash >> 8) % 9 - 4 : 0;
	return `hsl(${base.hue + turn} ${base.saturation}% ${(isDark ? base.dark : base.light) + lift}%)`;
}
