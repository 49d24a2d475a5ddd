// SPDX-License-Identifier: GPL-2.0-or-later
// "In short" on the page: what it says of waits leads to their stacks.
import {h} from './dom.js';
import {tied} from './format.js';

const PHRASE = / (?:waited|slept) ([\d.]+ (?:ns|us|ms|s)) (.+?)(?:, (?:held|for|until|through) |: |\. |\.$)/g;

/** Can a phrase of the verdict be about this line? @param {any} told of the report @param {string} before the phrase @param {string} phrase */
function tells(told, before, phrase) {
	if (!before.endsWith(told.name)) return false;
	const words = [told.what, told.spot && `(${told.spot})`, !told.spot && told.known, !told.spot && told.operation].filter(Boolean);
	return phrase.startsWith(told.what || '\n') || (told.what && words.slice(1).some((word) => phrase.includes(word)));
}

/** @type {Record<string, number>} */
const UNITS = {ns: 1, us: 1e3, ms: 1e6, s: 1e9};

/** Is it this amount, with as many digits as that has? @param {number} ns @param {string} amount as in "4.8 s" */
function isAbout(ns, amount) {
	const [figure, unit] = amount.split(' '), digits = (figure.split('.')[1] || '').length;
	return Math.abs(ns / UNITS[unit] - Number(figure)) <= 0.51 / 10 ** digits;
}

/** The verdict of the recording as a whole, which the program wrote: a phrase is of the one line with its words and its amount. @param {string} text @param {any[]} lines of the report @param {{number: number, ns: number}[]} sums of them @returns {import('./verdict.js').Parts} */
export function wholeParts(text, lines, sums) {
	/** @type {import('./verdict.js').Parts} */
	const parts = [];
	const amounts = new Map(sums.map(({number, ns}) => [number, ns]));
	let at = 0;
	for (const match of text.matchAll(PHRASE)) {
		const [whole, amount, phrase] = match, begin = match.index + whole.indexOf(phrase, whole.indexOf(amount) + amount.length);
		const numbers = lines.map((told, i) => tells(told, text.slice(0, match.index), phrase) && isAbout(amounts.get(i + 1) || 0, amount) ? i + 1 : 0).filter(Boolean);
		if (numbers.length !== 1) continue;
		parts.push(text.slice(at, begin), {number: numbers[0], text: phrase});
		at = begin + phrase.length;
	}
	return [...parts, text.slice(at)];
}

/** Leads to the stacks of a line of the report. @param {any} app @param {number} number @param {...any} children */
export function stacksLink(app, number, ...children) {
	const isChosen = app.state.line === number, {reason} = app.model.lines[number - 1];
	return app.anchor({line: isChosen ? 0 : number, view: reason === 'no CPU' ? 'runq' : 'offcpu', by: 'comm', tab: 'flame', inverted: false, zoom: [], search: '', only: '', without: ''},
		{class: 'stacks', 'aria-current': isChosen ? 'true' : null, title: isChosen ? 'Show all stacks again' : 'Only the stacks of these waits'}, ...children);
}

/** @param {any} app @param {HTMLElement} element @param {import('./verdict.js').Parts} parts */
export function showVerdict(app, element, parts) {
	element.replaceChildren(...parts.map((part) => typeof part === 'string' ? tied(part)
		: part.number ? stacksLink(app, part.number, h('span', {}, tied(part.text))) : tied(part.text)));
}
