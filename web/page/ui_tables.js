// SPDX-License-Identifier: GPL-2.0-or-later
// Functions and threads as tables: real HTML, for eyes, searches and screen readers.
import {bucketStart} from './buckets.js';
import {h} from './dom.js';
import {amount, amountOf, count, duration, percent} from './format.js';
import {processLines} from './lines.js';
import {sortRows} from './top.js';
import {ThreadStrips} from './ui_thread_strips.js';

const MOST_ROWS = 300;

/** @param {any} app */
export function functionsTable(app) {
	const {state, labels, view} = app;
	const {expression} = app.search;
	const {functions, whole} = app.look.functions(state);
	const all = functions.filter((/** @type {import('./top.js').Row} */ row) => !expression || expression.test(labels.texts[row.label]));
	const rows = sortRows(all, state.sort, labels.texts).slice(0, MOST_ROWS);
	const head = (/** @type {string} */ column, /** @type {string} */ text, /** @type {string} */ style) => h('th', {class: style,
		'aria-sort': state.sort === column ? (column === 'name' ? 'ascending' : 'descending') : 'none'},
	h('button', {class: 'plain', onclick: () => app.update({sort: column})}, text, state.sort === column ? (column === 'name' ? ' ▲' : ' ▼') : ''));
	const share = (/** @type {number} */ ns) => ns ? [amount(view, ns), ' ', h('span', {class: 'dim hideable'}, percent(ns, whole))] : h('span', {class: 'dim'}, '–');
	// Where weights are counts, they say it all.
	const hasCounts = view.unit !== 'count';
	return h('div', {id: 'functions'},
		h('p', {class: 'note'}, `${count(all.length)} functions of ${amountOf(view, whole)}${expression ? ' that match the search' : ''}. A name leads to its callers and callees.`),
		h('div', {class: 'scroll'}, h('table', {}, h('caption', {class: 'aside'}, 'Functions'), h('thead', {}, h('tr', {}, head('self', 'self', 'n'), head('total', 'total', 'n'),
			hasCounts ? head('count', 'count', 'n hideable') : null, head('name', 'function', ''))),
		h('tbody', {}, rows.map((row) => h('tr', {'data-self': row.self, 'data-total': row.total},
			h('td', {class: 'n'}, share(row.self)), h('td', {class: 'n'}, share(row.total)), hasCounts ? h('td', {class: 'n hideable'}, count(row.count)) : null,
			h('td', {class: 'name'}, app.anchor({tab: 'sandwich', middle: labels.texts[row.label]}, {}, labels.texts[row.label]),
				(row.kind & 3) === 2 ? h('span', {class: 'dim'}, ' kernel') : null)))))),
		all.length > rows.length ? h('p', {class: 'note'}, `${count(all.length - rows.length)} more; search narrows the list.`) : null);
}

/** A row's states in words. @param {any} line */
function shareWords(line) {
	const whole = line.running + line.runnable + line.blocked + line.aside || 1;
	return [['running', line.running], ['no CPU', line.runnable], ['blocked', line.blocked], ['idle', line.aside]].map(([word, ns]) => ns ? `${word} ${percent(ns, whole)}` : '').filter(Boolean).join(', ') || 'no time';
}

/** Processes, each with its threads; a measure that is looked at has a column. @param {any} app */
export function threadsTable(app) {
	const {model, state, view, events} = app;
	const eventsOf = (/** @type {number[]} */ threads) => threads.reduce((sum, i) => sum + events.byThread[i], 0);
	const needle = app.threadSearch.toLowerCase();
	const fits = (/** @type {any} */ thread) => !needle || `${thread.names.thread} ${thread.names.name} ${thread.exe || ''} ${thread.container || ''}`.toLowerCase().includes(needle);
	const lines = processLines(model, app.threadWeights);
	const strips = new ThreadStrips(app);
	let room = MOST_ROWS;
	const rows = [];
	let hidden = 0;
	for (const line of lines) {
		const threads = line.threads.filter((/** @type {number} */ i) => fits(model.threads[i]));
		if (!threads.length) continue;
		if (room-- <= 0) {
			hidden += threads.length;
			continue;
		}
		if (events) line.events = eventsOf(line.threads);
		rows.push(threadRow(app, line, line.name, line.count, {process: state.process === line.name ? '' : line.name, thread: '', zoom: []}, state.process === line.name, true, strips.make(line.threads, shareWords(line))));
		const isOpen = needle || state.process === line.name || app.openProcesses.has(line.name) || line.threads.length === 1;
		if (!isOpen) {
			rows.push(h('tr', {class: 'more'}, h('td', {colspan: events ? '7' : '6'}, h('button', {class: 'plain', onclick: () => {
				app.openProcesses.add(line.name);
				app.renderTab();
			}}, `show ${count(threads.length)} threads`))));
			continue;
		}
		for (const i of threads.slice(0, Math.max(room, 0))) {
			const thread = model.threads[i];
			const [running, runnable, blocked, aside] = app.threadWeights.threadNs.subarray(i * 4, i * 4 + 4);
			const title = thread.names.thread;
			room--;
			const row = {running, runnable, blocked, aside, thread, events: events && events.byThread[i], isMain: thread.tid && thread.tid === thread.pid && line.threads.some((/** @type {number} */ other) => other !== i && model.threads[other].pid === thread.pid)};
			rows.push(threadRow(app, row, title, 1, {thread: state.thread === title ? '' : title, process: '', zoom: []}, state.thread === title, false, strips.make([i], shareWords(row))));
		}
	}
	return h('div', {id: 'threads'},
		h('div', {class: 'scroll'}, h('table', {}, h('caption', {class: 'aside'}, 'Processes and threads'), h('thead', {}, h('tr', {}, h('th', {}, 'process, thread'), events ? h('th', {class: 'n'}, h('span', {class: 'short'}, view.weight)) : null, h('th', {class: 'n'}, 'running'), h('th', {class: 'n'}, 'no CPU'),
			h('th', {class: 'n'}, 'blocked'), h('th', {class: 'n hideable'}, 'idle'), h('th', {class: 'hideable'}, 'over time'))), h('tbody', {}, rows))),
		h('p', {class: 'note hideable'}, `The small pictures are the ${duration(bucketStart(model, model.buckets))} that were recorded: from the bottom running, without a CPU, blocked by reason, in the colours on top of the page. A thread that fills its picture lived all through; grey is idle. Those of processes are as high as their highest column, without idle time.`),
		model.folded.threads ? h('p', {class: 'note'}, `${count(model.folded.threads)} small threads are folded by name.`) : null,
		hidden ? h('p', {class: 'note'}, `${count(hidden)} more threads; search narrows the list.`) : null);
}

function threadRow(/** @type {any} */ app, /** @type {any} */ line, /** @type {string} */ title, /** @type {number} */ number,
	/** @type {any} */ patch, /** @type {boolean} */ isChosen, /** @type {boolean} */ isProcess, /** @type {HTMLElement} */ strip) {
	return h('tr', {class: isProcess ? 'process' : 'thread', 'data-thread': isProcess ? null : title,
		'data-running': line.running, 'data-runnable': line.runnable, 'data-blocked': line.blocked, 'data-aside': line.aside, 'data-events': app.events && line.events},
	h('td', {}, app.anchor(patch, {'aria-current': isChosen ? 'true' : null, title: line.thread && line.thread.exe || ''}, title),
		isProcess && number > 1 ? h('span', {class: 'dim'}, ` (${count(number)})`) : null, line.isMain ? [' ', h('span', {class: 'main', title: 'The main thread of its process'}, 'main')] : null, isChosen ? ' ✓' : ''),
	app.events ? h('td', {class: 'n'}, line.events ? amount(app.view, line.events) : '') : null,
	h('td', {class: 'n'}, duration(line.running)), h('td', {class: 'n'}, duration(line.runnable)), h('td', {class: 'n'}, duration(line.blocked)),
	h('td', {class: 'n hideable'}, line.aside ? duration(line.aside) : ''), h('td', {class: 'hideable'}, strip));
}

/** What is inside the box that is zoomed: the picture as a table. @param {any} app @param {number[]} children */
export function boxTable(app, children) {
	const {tree, labels, zoomNode, view} = app;
	const whole = tree.totalOf(zoomNode);
	return h('table', {}, h('caption', {}, `Inside ${zoomNode ? labels.texts[tree.trie.label[zoomNode]] : 'all'}: ${amountOf(view, whole)}, ` +
		`${amount(view, tree.selfOf(zoomNode))} of it by itself`), h('thead', {}, h('tr', {}, h('th', {}, 'frame'), h('th', {class: 'n'}, h('span', {class: 'short'}, view.measure ? view.weight : 'time')), h('th', {class: 'n'}, 'share'))),
	h('tbody', {}, children.slice(0, 100).map((node) => h('tr', {}, h('td', {class: 'name'}, h('button', {class: 'plain', onclick: () => app.zoomTo(node)}, labels.texts[tree.trie.label[node]])),
		h('td', {class: 'n'}, amount(view, tree.totalOf(node))), h('td', {class: 'n'}, percent(tree.totalOf(node), whole))))));
}
