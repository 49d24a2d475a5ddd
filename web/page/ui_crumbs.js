// SPDX-License-Identifier: GPL-2.0-or-later
// What is left out and where we are: each filter and each step of the zoom can be taken back.
import {bucketMoment} from './buckets.js';
import {h, select} from './dom.js';
import {chipWords, duration, moment, plural} from './format.js';
import {isThere, lineWords} from './lines.js';
import {ANY_THING, shortThing, thingNumber} from './things.js';

// Where bands begin.
const STARTS = ['0', '10 us', '100 us', '1 ms', '10 ms', '100 ms', '1 s'];

/** By what becomes of idle time. @type {Record<string, string>} */
const NOTHING_OUT = {hide: 'Nothing is filtered out.', show: 'Nothing is filtered out, idle time is in it.', only: 'All but idle time is left out.'};

/** Of a band that a newer dwell recorded only its word is known. @param {any} model @param {number} band */
function bandStart(model, band) {
	return STARTS[band] || model.bands[band];
}

/** What is said beside choices among time while events are looked at. @param {any} app */
export function timeOnly({view}) {
	return view.measure ? h('span', {class: 'note timeonly'}, 'only for time, not for ', h('span', {class: 'short'}, view.weight)) : null;
}

/** Bands as two choices: waits from ... to ... @param {any} app */
export function bandChoices(app) {
	const {model, state} = app;
	const least = model.bands.map((/** @type {string} */ _, /** @type {number} */ i) => [String(i), bandStart(model, i)]);
	const most = model.bands.map((/** @type {string} */ _, /** @type {number} */ i) => [String(i), bandStart(model, i + 1) || 'any length']);
	return h('span', {class: 'group'}, h('span', {class: 'dim'}, 'Only waits of '),
		select('Shortest wait', least, String(state.bandMin), (value) => app.update({bandMin: Number(value), bandMax: Math.max(state.bandMax, Number(value))})),
		h('span', {class: 'dim'}, ' to '), select('Longest wait', most.reverse(), String(state.bandMax), (value) => app.update({bandMax: Number(value), bandMin: Math.min(state.bandMin, Number(value))})), timeOnly(app));
}

/** How much is counted, and what becomes of idle time. @param {any} app */
function counted(app) {
	const {model, state, weights} = app;
	const aside = BigInt(weights.asideS) * 1000000000n + BigInt(weights.asideNs);
	const {passes} = app.look.filter(state);
	const threads = model.threads.reduce((/** @type {number} */ sum, /** @type {any} */ thread, /** @type {number} */ i) => sum + ((!passes || passes(thread)) && isThere(model, weights, i) ? thread.count : 0), 0);
	const idle = select('Idle time', [['hide', 'set aside'], ['show', 'shown like other waits'], ['only', 'alone']],
		state.idle, (value) => app.update({idle: value}));
	return h('span', {class: 'counted'}, plural(threads, 'thread'), '; ', h('b', {id: 'busy'}, duration(weights.total)), ` counted. Idle${state.idle === 'hide' ? '' : ' time'}: `,
		h('span', {id: 'aside', 'data-ns': aside}, state.idle === 'hide' ? `${Number(aside) ? duration(Number(aside)) : 'none'} ` : ''), idle);
}

/** Filters count for the whole page. @param {any} app */
export function filterBar(app) {
	const {model, state, initial, view} = app;
	/** @type {HTMLElement[]} */
	const filters = [];
	const put = (/** @type {string} */ text, /** @type {any} */ patch, isOfTime = false) => {
		const isUnused = isOfTime && view.measure;
		filters.push(h('button', {class: isUnused ? 'crumb filter unused' : 'crumb filter', onclick: () => app.update(patch),
			title: `Take this filter back${isUnused ? `; it is for time, not for ${view.weight}` : ''}`}, isUnused ? 'time only: ' : '', text, ' ✕'));
	};
	if (state.from > 0 || state.to < model.buckets)
		put(`${moment(bucketMoment(model, state.from))} to ${moment(bucketMoment(model, state.to))}`, {from: 0, to: model.buckets});
	if (state.bandMin > 0 || state.bandMax < initial.bandMax)
		put(`waits ${state.bandMin ? `of ${bandStart(model, state.bandMin)} or longer` : ''}${state.bandMin && state.bandMax < initial.bandMax ? ', ' : ''}${state.bandMax < initial.bandMax ? `shorter than ${bandStart(model, state.bandMax + 1)}` : ''}`, {bandMin: 0, bandMax: initial.bandMax}, true);
	if (state.process) put(`process ${state.process}`, {process: ''});
	if (state.thread) put(`thread ${state.thread}`, {thread: ''});
	for (const word of state.off) put(`without ${chipWords(word)}`, {off: state.off.filter((/** @type {string} */ other) => other !== word)}, true);
	if (thingNumber(model, state.thing) !== ANY_THING) put(`for ${shortThing(state.thing)}`, {thing: ''}, true);
	const told = model.lines[state.line - 1];
	if (told) put(`${told.name}: ${lineWords({...told, known: told.known || '', isRest: told.is_rest})}`, {line: 0}, true);
	if (state.only) put(`only stacks with ${state.only}`, {only: ''});
	if (state.without) put(`no stacks with ${state.without}`, {without: ''});
	return h('nav', {class: 'crumbs', 'aria-label': 'Filters'}, h('button', {id: 'undo', disabled: !app.canUndo(), onclick: () => app.undo(), title: 'Undo (u)'}, '↶ Undo'), counted(app), filters,
		filters.length > 1 ? h('button', {class: 'crumb filter', onclick: () => app.update({from: 0, to: model.buckets, bandMin: 0, bandMax: initial.bandMax, process: '', thread: '', off: [], thing: '', line: 0, only: '', without: ''})}, 'all filters ✕') : null,
		filters.length ? null : h('span', {class: 'note'}, NOTHING_OUT[state.idle] || NOTHING_OUT.hide));
}

/** Steps of the zoom. @param {any} app */
export function zoomPath(app) {
	const {labels, tree} = app;
	const path = tree.trie.path(app.zoomNode).map((/** @type {number} */ label) => labels.texts[label]);
	const steps = ['all', ...path].map((text, i) => h('button', {class: 'crumb', 'aria-current': i === path.length ? 'true' : null, title: 'Zoom out to this box',
		onclick: () => app.update({zoom: path.slice(0, i)})}, text));
	const shown = steps.length > 9 ? [...steps.slice(0, 3), h('span', {class: 'dim'}, '…'), ...steps.slice(-5)] : steps;
	return [h('span', {class: 'dim'}, 'Zoom: '), ...shown];
}
