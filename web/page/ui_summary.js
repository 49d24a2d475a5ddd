// SPDX-License-Identifier: GPL-2.0-or-later
// The top of the page: the bar of all time with its chips, why they did not run, and the processes.
import {classColor, classLetter} from './colors.js';
import {lineId} from './chains.js';
import {h} from './dom.js';
import {chipWords, count, duration, percent, plural, tied} from './format.js';
import {causeSentence, explainLines} from './explain.js';
import {lineWords, looksNs, processLines, stackLabels, stackLine} from './lines.js';
import {thingsOfLines} from './things.js';
import {timeOnly} from './ui_crumbs.js';
import {thingLinks} from './ui_things.js';
import {stacksLink} from './ui_verdict.js';
import {className, classTotal, FIRST_REASON} from './weigh.js';

/** Time by chip: classes of one word together, largest reasons first. @param {any} model @param {any} weights */
export function barParts(model, weights) {
	/** @type {Map<string, {word: string, ns: number, exact: bigint}>} */
	const parts = new Map();
	for (let class_ = 0; class_ < FIRST_REASON + model.reasons.length; class_++) {
		const exact = classTotal(weights, class_);
		const word = className(model, class_);
		const part = parts.get(word) || {word, ns: 0, exact: 0n};
		part.exact += exact;
		part.ns = Number(part.exact);
		parts.set(word, part);
	}
	const all = [...parts.values()].filter((part) => part.ns > 0 || ['running', 'runnable'].includes(part.word));
	return [...all.slice(0, 2), ...all.slice(2).sort((a, b) => b.ns - a.ns)];
}

/** @param {any} app */
export function summaryBar(app) {
	const {model, state} = app;
	const parts = barParts(model, app.baseWeights);
	const shown = parts.filter((part) => !state.off.includes(part.word));
	const whole = shown.reduce((sum, part) => sum + part.ns, 0);
	const bar = h('div', {class: 'bar', role: 'img', 'aria-label': `${duration(whole)}: ` + shown.map((part) =>
		`${chipWords(part.word)} ${percent(part.ns, whole)}`).join(', ')},
	shown.filter((part) => part.ns > 0).map((part) => h('span', {'width%': 100 * part.ns / (whole || 1),
		color: classColor(part.word), title: `${chipWords(part.word)} ${duration(part.ns)}`},
	part.ns > whole / 50 ? classLetter(model, part.word) : '')));
	const chips = parts.map((part) => h('button', {class: 'chip', 'aria-pressed': String(!state.off.includes(part.word)),
		color: classColor(part.word), 'data-class': part.word, 'data-ns': part.exact,
		title: 'Click: leave out or take in. Double click: this alone.',
		onclick: () => app.update({off: state.off.includes(part.word)
			? state.off.filter((/** @type {string} */ word) => word !== part.word) : [...state.off, part.word]}),
		ondblclick: () => app.update({off: parts.map((other) => other.word).filter((word) => word !== part.word)}),
	}, h('b', {}, classLetter(model, part.word)), ` ${chipWords(part.word)} `,
	h('span', {class: 'n'}, `${duration(part.ns)}`), ' ', h('span', {class: 'dim'}, percent(part.ns, whole))));
	return h('div', {role: 'group', 'aria-label': 'All time'}, bar, h('div', {class: 'chips', role: 'group', 'aria-label': 'Sorts of time'}, chips, timeOnly(app)));
}

/** A wait's lengths as seven small columns. @param {any} model @param {Float64Array} bands */
function bandColumns(model, bands) {
	const most = Math.max(...bands, 1);
	const all = bands.reduce((a, b) => a + b, 0);
	return h('span', {class: 'bands', role: 'img', 'aria-label': model.bands.map((/** @type {string} */ band, /** @type {number} */ i) =>
		bands[i] ? `${band}: ${percent(bands[i], all)}` : '').filter(Boolean).join(', ')},
	Array.from(bands, (ns, i) => {
		const column = h('i', {title: `${model.bands[i]}: ${percent(ns, all)}`});
		column.style.height = `${ns ? Math.max(2, 16 * ns / most) : 1}px`;
		return column;
	}));
}

/** What a line waited in, which leads to its stacks. @param {any} app @param {import('./lines.js').Line} line */
function tag(app, line) {
	const text = h('span', {class: 'tag', color: classColor(line.called)}, lineWords(line));
	return line.number ? stacksLink(app, line.number, text) : text;
}

/** The picture of all that waited under the line's name. @param {any} line */
function placeOf(line) {
	return {view: line.isRunnable ? 'runq' : 'offcpu', by: 'comm', tab: 'flame', inverted: false, zoom: [line.member], search: '', only: '', without: '', line: 0};
}

/** In there the line's heaviest stack. @param {any} app @param {any} line */
function findHeaviest(app, line) {
	if (!line.isRunnable) app.choose([line.member, ...stackLabels(app.model, line.node)]);
}

/** What each line was for. The report's own sentences are about the recording as a whole; of a part they are made here, but who had the CPU is not known for it. @param {any} app @param {import('./lines.js').Line[]} lines @returns {(line: import('./lines.js').Line) => string} */
function sentences(app, lines) {
	const {model, lineWeights: weights} = app;
	if (app.isInitial()) return (line) => line.number ? model.lines[line.number - 1].text : '';
	const waits = model.has_chains ? lines.filter((line) => !line.isRunnable) : [], explained = explainLines(model, weights, waits);
	return (line) => {
		const explanation = explained.get(line.place);
		return explanation ? causeSentence(model, explanation, line.name) : '';
	};
}

/** How many waits a line has, and how long they were; the longest is known of the recording as a whole only. @param {any} app @param {any} line */
function lineFigures(app, line) {
	const {model} = app;
	return h('div', {class: 'figures dim'}, [line.count ? plural(line.count, 'wait') : 'no wait ended here', line.count ? `mean ${duration(line.ns / line.count)}` : '', line.max && app.weights.isWhole ? `longest ${duration(line.max)}` : '']
		.filter(Boolean).map((part, i) => [i ? ', ' : '', part]).flat(), ' ', bandColumns(model, line.bands));
}

/** @param {any} app */
export function waitsTable(app) {
	const {model} = app;
	const lines = app.waitLines;
	const shown = lines.slice(0, app.waitsShown);
	const sentenceOf = sentences(app, shown);
	const share = (/** @type {any} */ line) => {
		const ns = looksNs(model, line);
		return ns < line.ns * 0.95 ? `${percent(ns, line.ns)}: ` : '';
	};
	const things = model.things.length ? thingsOfLines(model, app.lineWeights, model.waitGroups.lineOf) : new Map();
	const rows = shown.map((/** @type {import('./lines.js').Line} */ line, /** @type {number} */ i) => h('tr', {'data-ns': line.ns},
		h('td', {class: 'n dim'}, String(i + 1)),
		h('td', {}, app.anchor(placeOf(line), {after: () => findHeaviest(app, line)}, h('b', {}, line.name)), ' ', tag(app, line),
		lineFigures(app, line),
		line.isRunnable ? null : h('div', {class: 'stack'}, share(line), stackLine(model, line.node)), thingLinks(app, things.get(line.place), line.ns),
		h('div', {class: 'cause'}, tied(sentenceOf(line)), ' ', line.isRunnable || !model.has_chains ? null
			: app.anchor({tab: 'chain', wait: lineId(line)}, {}, 'who woke it'))),
		h('td', {class: 'n'}, duration(line.ns))));
	return h('section', {class: 'card', id: 'waits'}, h('h2', {}, 'Why they did not run'),
		lines.length ? h('div', {class: 'scroll'}, h('table', {}, h('thead', {}, h('tr', {}, h('th', {}, ''), h('th', {}, 'who and in what'),
			h('th', {class: 'n'}, 'total'))), h('tbody', {}, rows)))
			: h('p', {class: 'dim'}, 'No waits here.'),
		lines.length > shown.length ? h('button', {onclick: () => app.moreWaits()},
			`${count(lines.length - shown.length)} more`) : null);
}

/** @param {any} app */
export function processTable(app) {
	const {model, state} = app;
	const lines = processLines(model, app.weights).filter((line) => line.running + line.runnable + line.blocked > 0);
	const shown = lines.slice(0, 8);
	const rows = shown.map((line) => h('tr', {'data-name': line.name},
		h('td', {}, app.anchor({process: state.process === line.name ? '' : line.name, thread: '', zoom: []}, {title: 'Only this process'}, h('b', {}, line.name)), line.count > 1 ? ` (${count(line.count)})` : ''),
		h('td', {class: 'n'}, duration(line.running)), h('td', {class: 'n'}, duration(line.runnable)),
		h('td', {class: 'n'}, duration(line.blocked)),
		h('td', {class: 'hideable'}, blockedIn(model, line))));
	return h('section', {class: 'card', id: 'processes'}, h('h2', {}, 'Processes'),
		lines.length ? h('div', {class: 'scroll'}, h('table', {}, h('thead', {}, h('tr', {}, h('th', {}, 'process (threads)'), h('th', {class: 'n'}, 'running'),
			h('th', {class: 'n'}, 'no CPU'), h('th', {class: 'n'}, 'blocked'), h('th', {class: 'hideable'}, 'blocked in'))),
		h('tbody', {}, rows))) : h('p', {class: 'dim'}, 'No time here.'),
		lines.length > shown.length ? app.anchor({tab: 'threads'}, {},
			`${count(lines.length - shown.length)} more in the list of threads`) : null);
}

function blockedIn(/** @type {any} */ model, /** @type {any} */ line) {
	return [...line.reasons].sort((a, b) => b[1] - a[1]).slice(0, 3)
		.map(([reason, ns]) => `${model.reasons[reason][0]} ${duration(ns)}`).join(', ');
}
