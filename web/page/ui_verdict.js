// SPDX-License-Identifier: GPL-2.0-or-later
// "In short" on the page: what it says of waits leads to their stacks.
import {h} from './dom.js';

const PHRASE = / (?:waited|slept) [\d.]+ (?:ns|us|ms|s) (.+?)(?:, (?:held|for|until|through) |: |\. |\.$)/g;

/** Does a phrase of the verdict tell of this line? @param {any} told of the report @param {string} before the phrase @param {string} phrase */
function tells(told, before, phrase) {
	if (!before.endsWith(told.name)) return false;
	const words = [told.what, told.spot && `(${told.spot})`, !told.spot && told.known, !told.spot && told.operation].filter(Boolean);
	return phrase.startsWith(told.what || '\n') || (told.what && words.slice(1).some((word) => phrase.includes(word)));
}

/** A sentence as nodes: each phrase that one of the report's lines is meant by is made a link. @param {string} text @param {any[]} lines of the report, largest first @param {(number: number, phrase: string) => Node} link */
export function linkPhrases(text, lines, link) {
	/** @type {(string | Node)[]} */
	const parts = [];
	let at = 0;
	for (const match of text.matchAll(PHRASE)) {
		const [whole, phrase] = match, begin = match.index + whole.indexOf(phrase);
		const number = lines.findIndex((told) => tells(told, text.slice(0, match.index), phrase)) + 1;
		if (!number) continue;
		parts.push(text.slice(at, begin), link(number, phrase));
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

/** @param {any} app @param {HTMLElement} element @param {string} text */
export function showVerdict(app, element, text) {
	element.replaceChildren(...linkPhrases(text, app.model.lines, (number, phrase) => stacksLink(app, number, h('span', {}, phrase))));
}
