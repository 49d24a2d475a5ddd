// SPDX-License-Identifier: GPL-2.0-or-later
// What is remembered, and what is made before anybody asks, changes nothing that is shown.
import assert from 'node:assert/strict';
import {test} from 'node:test';
import {parseData} from '../../../web/page/data.js';
import {Look} from '../../../web/page/look.js';
import {bitsOf} from '../../../web/page/prepare.js';
import {initialState} from '../../../web/page/state.js';
import {BYS} from '../../../web/page/views.js';
import {encode, HEAD, MEASURES, model, tables, VIEWS} from './model.mjs';

/** A recording of so many measures. */
function counted(number) {
	const all = tables(), measures = Array.from({length: number}, (_, i) => ({...MEASURES[0], name: `event-${i}`, measure: i + 1}));
	for (let i = 1; i <= number; i++) for (const table of ['keys', 'cells']) all[`${table}@${i}`] = all[`${table}@1`];
	return parseData(encode({...HEAD, views: [...VIEWS, ...measures]}, all));
}

test('what is prepared leaves the tree that is shown where it was, whatever is counted', () => {
	for (const number of [2, 8, 40]) for (const inverted of [false, true]) {
		const data = counted(number), look = new Look(data), state = {...initialState(data), inverted};
		const {tree} = look.at(state);
		for (const bit of bitsOf({look, model: data})) bit(state);
		assert.equal(look.at(state).tree, tree, `${number} measures`);
		assert.equal(look.at(state).tree.trie, tree.trie, `${number} measures`);
		const made = Object.values(look.memory).map(({kept}) => kept.size);
		assert.ok(made.some((size) => size >= VIEWS.length), 'views are there before somebody asks');
	}
});

test('functions are those of the box, whatever was looked at before', () => {
	const data = model(), look = new Look(data), state = {...initialState(data), idle: 'show'};
	const rows = (look, zoom) => look.functions({...state, zoom}).functions.map(({label, total}) => [look.labels.texts[label], total]);
	rows(look, ['app', 'main']);
	// So many other pictures that the first one is forgotten, and its nodes have other numbers when it is made again.
	for (const {name: view} of VIEWS) for (const by of Object.keys(BYS).slice(0, 3)) look.at({...state, view, by});
	for (const zoom of [['srv', 'main'], ['srv'], ['app', 'main'], []]) assert.deepEqual(rows(look, zoom), rows(new Look(data), zoom), zoom.join());
});
