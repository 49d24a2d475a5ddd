// SPDX-License-Identifier: GPL-2.0-or-later
// "In short" of what is chosen: the report's verdict (render/report/report_verdict.c) in the same words, made of what
// the page holds. What only the whole recording tells is left out: deadlocks, who had the CPUs, what was computed in.
import {bucketMoment} from './buckets.js';
import {causeSentence, explainLines} from './explain.js';
import {duration, moment} from './format.js';
import {processLines} from './lines.js';
import {PREEMPTED, RUNNING, WOKEN} from './weigh.js';

const MOST_WAITS = 2;
const LARGE_PART = 7;
const MOST_HOPS_TOLD = 4;
const IDLE_PART = 20;
const NEARLY_PART = 20;
const OPEN_PART = 10;
// Smaller lines are not looked into: what they were for is left out.
const MOST_EXPLAINED = 40;

/** @typedef {import('./lines.js').Line} Line */

/** Does a wait count for the verdict by itself? One for the end of others does not: what those did tells more. @param {any} model @param {Line} line */
function isStory(model, line) {
	const told = model.lines[line.number - 1];
	return !line.isRunnable && !(told && told.is_for_end) && line.reason !== 'child' && line.reason !== 'stopped';
}

/** @typedef {(string | {number: number, text: string})[]} Parts text, and within it what is said of a line, with its number in the report */

/** "app waited 3.0 s for a mutex (ask), held by ..." @param {any} model @param {Line} line @param {string} causes @returns {Parts} */
function waitText(model, line, causes) {
	const told = model.lines[line.number - 1] || {};
	const what = told.what || (line.operation ? `in ${line.operation}` : `for ${/^[aeiou]/.test(line.reason) ? 'an' : 'a'} ${line.reason}`);
	const text = `${line.name} ${line.reason === 'sleep' && told.spot ? 'slept' : 'waited'} ${duration(line.ns)} `;
	const after = !causes ? '.' : /^(Not explained|It had|Of these waits)/.test(causes) ? `. ${causes}` : `, ${causes[0].toLowerCase()}${causes.slice(1)}`;
	return [text, {number: line.number, text: what}, after];
}

const largestCause = (/** @type {any} */ explanation) => explanation?.causes.slice().sort((/** @type {any} */ a, /** @type {any} */ b) => b.ran + b.nocpu + b.waited - a.ran - a.nocpu - a.waited)[0];
const storyOf = (/** @type {any} */ {name, reason, operation, spot}) => JSON.stringify([name, reason, operation, spot]);

/** The largest waits; what another of them tells is left out. @param {any} model @param {Line[]} stories @param {Map<number, any>} explained @param {number} waited @returns {Parts[]} */
function waitTexts(model, stories, explained, waited) {
	const told = new Set(), texts = [];
	const idOf = (/** @type {Line} */ line) => storyOf({...line, spot: model.lines[line.number - 1]?.spot || ''});
	for (const line of stories) {
		const isLarge = line.ns >= waited / LARGE_PART, explanation = explained.get(line.place);
		if (texts.length === MOST_WAITS || !explanation || (!isLarge && texts.length)) break;
		let first = largestCause(explanation);
		if (told.has(idOf(line)) || (first && told.has(storyOf(first)))) continue;
		texts.push([isLarge ? '' : 'many waits, none of them large; of these ', ...waitText(model, line, causeSentence(model, explanation, line.name))]);
		for (let i = 0; i < MOST_HOPS_TOLD && first; i++) {
			const id = storyOf(first), next = stories.find((other) => idOf(other) === id);
			told.add(id);
			first = first.waited && next ? largestCause(explained.get(next.place)) : null;
		}
	}
	return texts;
}

/** ", 13.1 s of it postgres": the process that has most of it. @param {any[]} processes @param {'running' | 'runnable'} word @param {number} all */
function leaderText(processes, word, all) {
	const most = processes.reduce((best, line) => line[word] > best[word] ? line : best, processes[0]);
	if (processes.filter((line) => line.running + line.runnable + line.blocked > 0).length < 2 || !most) return '';
	if (most[word] >= all) return `, all of it ${most.name}`;
	return most[word] >= all - all / NEARLY_PART ? `, nearly all of it ${most.name}` : `, ${duration(most[word])} of it ${most.name}`;
}

/** How much of all that was waited nothing explains, if that is much. @param {Line[]} stories @param {Map<number, any>} explained @param {number} waited */
function openText(stories, explained, waited) {
	let open = 0, known = 0, isRough = false;
	for (const {place, ns} of stories) {
		const explanation = explained.get(place);
		if (!explanation) continue;
		known += ns;
		isRough ||= explanation.isOfWhole;
		open += explanation.open - (explanation.byEnd.get('not woken') || 0);
	}
	return open > waited / OPEN_PART ? ` Of all that was waited ${known < waited * 0.995 ? 'at least ' : ''}${isRough ? 'about ' : ''}${Math.round(100 * open / waited)} % is not explained.` : '';
}

/** @param {any} model @param {any} weights @param {Line[]} lines of these weights @param {number} window ns that were looked at @returns {Parts} */
export function verdictParts(model, weights, lines, window) {
	const classNs = (/** @type {number} */ one) => weights.classS[one] * 1e9 + weights.classNs[one];
	const running = classNs(RUNNING), runnable = classNs(WOKEN) + classNs(PREEMPTED), aside = weights.asideS * 1e9 + weights.asideNs;
	if (!(weights.total > 0)) return [aside ? `nothing but idle, ${duration(aside)}.` : 'no time at all.'];
	const stories = lines.filter((line) => isStory(model, line)), waited = stories.reduce((sum, line) => sum + line.ns, 0);
	const explained = model.has_chains ? explainLines(model, weights, stories.slice(0, MOST_EXPLAINED)) : new Map(stories.slice(0, MOST_EXPLAINED).map((line) => [line.place, {causes: [], open: 0, byEnd: new Map()}]));
	const processes = processLines(model, weights), largest = stories.length ? stories[0].ns : 0;
	/** @type {{size: number, ns: number, texts: () => Parts[]}[]} */
	const parts = [{size: largest < waited / LARGE_PART ? waited : largest, ns: waited, texts: () => waitTexts(model, stories, explained, waited)},
		{size: running, ns: running, texts: () => [[`computing: ${duration(running)}${leaderText(processes, 'running', running)}.`]]},
		{size: runnable, ns: runnable, texts: () => [[`ready without a CPU: ${duration(runnable)}${leaderText(processes, 'runnable', runnable)}.`]]}];
	const order = parts.filter((part) => part.size > 0).sort((a, b) => b.size - a.size);
	const texts = order.filter((part, i) => !i || part.ns > order[0].ns / LARGE_PART).flatMap((part) => part.texts());
	const before = aside && weights.total < window / IDLE_PART ? 'almost nothing but idle. The rest is ' : '';
	// All of it can be waits for the ends of others.
	if (!texts.length) return [`${duration(weights.total)} in ${lines.length ? `waits, most of it ${lines[0].name} for ${lines[0].reason}` : 'all'}.`];
	return [before, ...texts.flatMap((text, i) => [i ? ' Then ' : '', ...text]), waited ? openText(stories, explained, waited) : ''];
}

/** @param {Parts} parts */
export function plainText(parts) {
	return parts.map((part) => typeof part === 'string' ? part : part.text).join('');
}

/** "In short, from 2 s to 4 s: ..." @param {any} model @param {import('./state.js').State} state @param {boolean} hasOthers is there any other filter? @param {string} text */
export function verdictSentence(model, {from, to, idle}, hasOthers, text) {
	const isRange = from > 0 || to < model.buckets;
	const range = isRange ? `from ${moment(bucketMoment(model, from))} to ${moment(bucketMoment(model, to))}` : '';
	const idleWords = idle === 'show' ? 'with idle time' : idle === 'only' ? 'of idle time alone' : '';
	return `${['In short', range, hasOthers ? 'of what the filters leave' : '', idleWords].filter(Boolean).join(', ')}: ${text}`;
}
