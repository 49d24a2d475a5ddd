// SPDX-License-Identifier: GPL-2.0-or-later
// The chain explorer: choose a wait, walk its chains hop by hop.
import {chainsOf, lineId, wakerName} from './chains.js';
import {classColor} from './colors.js';
import {h, select} from './dom.js';
import {count, duration, percent, plural} from './format.js';
import {lineWords, stackLabels, waitLines} from './lines.js';

const MOST_CHAINS = 12;

/** Metal does not run: it is waited for, in the colour that such waits have. @type {Record<string, [string, string]>} */
const METAL = {timer: ['sleep', 'waited for a timer'], disk: ['disk', 'waited for a disk'], network: ['socket', 'waited for the network'], other: ['kernel', 'waited for an interrupt']};

/** @param {any} model @param {import('./chains.js').Hop} hop @returns {[string, string] | null} colour and word; null: it is a thread */
export function metalOf(model, hop) {
	return METAL[metalKind(model, hop)] || null;
}

/** @param {any} model @param {import('./chains.js').Hop} hop */
function metalKind(model, hop) {
	const [kind, isMetal] = model.hop_kinds[hop.kind];
	if (!isMetal) return '';
	return kind === 'softirq' && hop.name === 'NET_RX' ? 'network' : Object.hasOwn(METAL, kind) ? kind : 'other';
}

/** Kinds of metal that have time in these chains. @param {any} model @param {import('./chains.js').Chain[]} chains */
function metalIn(model, chains) {
	const found = new Set(chains.flatMap(({hops}) => hops.filter((hop) => hop.ran > 0).map((hop) => metalKind(model, hop))));
	return Object.keys(METAL).filter((kind) => found.has(kind));
}

/** @param {any} app */
export function chainTab(app) {
	const {model, state} = app;
	const lines = waitLines(model, app.weights).filter((line) => !line.isRunnable);
	if (!model.has_chains) return [h('p', {class: 'note'}, 'The recording has no wake chains: it was made with --depth 0, or by an older dwell.')];
	if (!lines.length) return [h('p', {class: 'note'}, 'No waits here.')];
	// As the table of waits has them.
	const numbers = new Map(app.waitLines.map((/** @type {import('./lines.js').Line} */ line, /** @type {number} */ i) => [line.place, i + 1]));
	const chosen = lines.find((line) => lineId(line) === state.wait) || lines[0];
	const {chains, without, total} = chainsOf(model, app.weights, lineId(chosen));
	const shown = chains.slice(0, MOST_CHAINS);
	const hidden = chains.slice(MOST_CHAINS).reduce((sum, chain) => sum + chain.ns, 0);
	return [h('label', {class: 'group'}, h('span', {class: 'dim'}, 'Wait '), select('Wait', lines.slice(0, 200).map((line) => [lineId(line),
		`${numbers.get(line.place)}. ${line.name}: ${lineWords(line)}, ${duration(line.ns)}`]),
	lineId(chosen), (wait) => app.update({wait}))),
	h('p', {class: 'note', id: 'chain-note', 'data-ns': total}, `${duration(total)} in ${plural(chains.length, 'chain')}. Each hop shows its own share: who had to act next, and what it did until it woke the one before.${app.weights.isWhole ? '' : ' Of waits that reach beyond the range these are the shares of whole waits.'} `,
		h('span', {class: 'tag', color: classColor('running')}, 'ran'), ' ', h('span', {class: 'tag', color: classColor('runnable')}, 'had no CPU'), ' ',
		metalIn(model, shown).map((kind) => [h('span', {class: 'tag', color: classColor(METAL[kind][0])}, METAL[kind][1]), ' ']).flat(),
		h('span', {class: 'tag', color: classColor('aside')}, 'farther back than it remembers: not explained')),
	shown.map((chain, i) => chainCard(app, chain, i, total, chosen.name)),
	hidden ? h('p', {class: 'note'}, `${count(chains.length - shown.length)} more chains with ${duration(hidden)}.`) : null,
	without ? h('p', {class: 'note'}, `${duration(without)} without a chain: not recorded, or folded.`) : null].flat().filter(Boolean);
}

/** @param {any} app @param {import('./chains.js').Chain} chain @param {number} i @param {number} total @param {string} name */
function chainCard(app, chain, i, total, name) {
	const {model} = app;
	const [endName, , , plain] = model.chain_ends[chain.end];
	const rows = chain.hops.map((hop, at) => hopRow(app, chain, hop, at));
	if (chain.rest) rows.push(h('tr', {'data-ns': chain.rest}, h('td', {class: 'n dim'}, '–'), h('td', {class: 'n'}, percent(chain.rest, chain.ns)), h('td', {class: 'n'}, duration(chain.rest)),
		h('td', {class: 'hideable'}, shareBar([['aside', chain.rest, endName]], chain.ns)), h('td', {}, `not explained: ${plain}`)));
	return h('section', {class: 'chain', 'data-ns': chain.ns}, h('h3', {}, `Chain ${i + 1}: ${duration(chain.ns)} of ${name}'s ${duration(total)}, ${percent(chain.ns, total)}, ${chain.count ? `ends ${plural(chain.count, 'wait')}` : 'part of waits that others end'}`),
		h('div', {class: 'scroll'}, h('table', {}, h('thead', {}, h('tr', {}, h('th', {class: 'n'}, 'hop'), h('th', {class: 'n'}, 'share'), h('th', {class: 'n'}, 'time'), h('th', {class: 'hideable'}, ''), h('th', {}, 'who, and what it did'))), h('tbody', {}, rows))));
}

/** @param {any} app @param {import('./chains.js').Chain} chain @param {import('./chains.js').Hop} hop @param {number} at */
function hopRow(app, chain, hop, at) {
	const {model} = app;
	const isMetal = model.hop_kinds[hop.kind][1];
	const ns = hop.ran + hop.nocpu + hop.earlier;
	const [color, word] = metalOf(model, hop) || ['running', 'ran'];
	const did = [hop.ran ? `${isMetal ? 'waited for' : 'ran'} ${duration(hop.ran)}` : '', hop.nocpu ? `had no CPU ${duration(hop.nocpu)}` : '', hop.earlier ? `not remembered ${duration(hop.earlier)}` : ''].filter(Boolean).join(', ');
	const woke = at === 0 ? 'woke it' : hop.reason ? `woke the one above from ${hop.operation || hop.reason}${hop.spot ? ` (${hop.spot})` : ''}` : 'woke the one above';
	const stack = stackLabels(model, hop.node).slice(1);
	return h('tr', {'data-ns': ns}, h('td', {class: 'n dim'}, String(at + 1)), h('td', {class: 'n'}, percent(ns, chain.ns)), h('td', {class: 'n'}, duration(ns)),
		h('td', {class: 'hideable'}, shareBar([[color, hop.ran, word], ['runnable', hop.nocpu, 'no CPU'], ['aside', hop.earlier, 'not remembered']], chain.ns)),
		h('td', {}, h('b', {}, wakerName(model, hop)), ` ${woke}${did ? `; ${did}` : ''}`,
			stack.length ? h('details', {class: 'hopstack'}, h('summary', {}, 'its stack'), h('div', {class: 'stack'}, stack.reverse().join(' < '))) : null));
}

function shareBar(/** @type {[string, number, string][]} */ parts, /** @type {number} */ whole) {
	return h('span', {class: 'statebar', role: 'img', 'aria-label': parts.filter(([, ns]) => ns).map(([, ns, word]) => `${word} ${percent(ns, whole)}`).join(', ') || 'nothing'},
		parts.map(([word, ns, text]) => ns ? h('i', {'width%': 100 * ns / (whole || 1), color: classColor(word), title: `${text} ${duration(ns)}`}) : null));
}
