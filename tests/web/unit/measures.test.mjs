// SPDX-License-Identifier: GPL-2.0-or-later
// What a recording counts beside time, in the page: a view like the others, in its own unit, and no part of time.
import assert from 'node:assert/strict';
import {test} from 'node:test';
import {parseData} from '../../../web/page/data.js';
import {foldedText} from '../../../web/page/folded.js';
import {amount, amountOf, bytes, countedText, errorText} from '../../../web/page/format.js';
import {waitLines, processLines} from '../../../web/page/lines.js';
import {Look, viewsOf} from '../../../web/page/look.js';
import {initialState} from '../../../web/page/state.js';
import {topFunctions} from '../../../web/page/top.js';
import {viewOf} from '../../../web/page/views.js';
import {openFilter, overTime, weigh} from '../../../web/page/weigh.js';
import {encode, HEAD, MEASURES, model, modelOfTime, tables} from './model.mjs';

const GIB3 = 3 * 2 ** 30;
const look = (patch, data = model()) => {
	const one = new Look(data), state = {...initialState(data), ...patch};
	return {...one.at(state), labels: one.labels, one, state};
};
const folded = (patch) => {
	const {tree, view, labels} = look(patch);
	return foldedText(tree, labels.texts, 0, Boolean(patch.inverted), view.unit).trim().split('\n').sort();
};

test('measures are views behind those of time', () => {
	assert.deepEqual(viewsOf(model()).slice(7), ['page-faults', 'alloc']);
	assert.deepEqual(folded({view: 'page-faults'}), ['app;main;work 30', 'app;main;work;read 5', 'srv;main;write 10']);
	assert.deepEqual(folded({view: 'alloc'}), [`app;main ${GIB3}`, 'srv;[other] 512']);
	assert.equal(look({view: 'alloc'}).tree.countOf(0), 3);
});

test('threads and the range choose among events; what only time has does not', () => {
	const total = (patch) => look({view: 'page-faults', ...patch}).tree.totalOf(0);
	assert.equal(total({}), 45);
	for (const patch of [{bandMin: 3}, {bandMax: 2}, {off: ['running', 'disk', 'futex', 'runnable']}, {idle: 'only'}, {idle: 'show'}])
		assert.equal(total(patch), 45, JSON.stringify(patch));
	assert.equal(total({process: 'srv'}), 10);
	assert.equal(total({thread: 'app-1/1'}), 35);
	assert.deepEqual([0, 1, 2, 3].map((from) => total({from, to: from + 1})), [20, 20, 0, 5]);
	assert.equal(total({only: 'read'}), 5);
	assert.equal(total({without: 'work'}), 10);
});

test('time is the same with and without events', () => {
	const counted = model(), plain = modelOfTime();
	assert.equal(plain.measures.length, 0);
	for (const changes of [{}, {idle: 'hide'}, {from: 1, to: 3}, {bandMin: 2, idle: 'only'}]) {
		assert.deepEqual(weigh(counted, {...openFilter(counted), ...changes}), weigh(plain, {...openFilter(plain), ...changes}));
		assert.deepEqual(overTime(counted, {...openFilter(counted), ...changes}), overTime(plain, {...openFilter(plain), ...changes}));
	}
	const weights = weigh(counted, openFilter(counted));
	assert.deepEqual(waitLines(counted, weights), waitLines(plain, weights));
	assert.deepEqual(processLines(counted, weights), processLines(plain, weights));
	for (const view of viewsOf(plain)) assert.equal(look({view}).tree.totalOf(0), look({view}, plain).tree.totalOf(0), view);
});

test('figures of time are of time while events are looked at', () => {
	const {one, state, weights} = look({view: 'page-faults', idle: 'hide'});
	assert.equal(weights, one.weights({...state, view: 'offcpu'}).weights);
	assert.equal(weights.total, look({idle: 'hide'}).weights.total);
});

test('going from time to events and back shows each as if it were looked at alone', () => {
	const data = model(), one = new Look(data);
	for (const view of ['offcpu', 'page-faults', 'alloc', 'oncpu', 'page-faults', 'offcpu'])
		for (const inverted of [false, true]) {
			const {tree, view: {unit}} = one.at({...initialState(data), view, inverted});
			assert.deepEqual(foldedText(tree, one.labels.texts, 0, inverted, unit).trim().split('\n').sort(), folded({view, inverted}), view);
		}
});

test('events from their leaf, by function, around a function, and searched', () => {
	assert.deepEqual(folded({view: 'page-faults', inverted: true}), folded({view: 'page-faults'}));
	const {tree, labels, one, state} = look({view: 'page-faults'});
	assert.deepEqual(topFunctions(tree, 0).slice(0, 3).map(({label, self, total}) => [labels.texts[label], self, total]), [['work', 30, 35], ['write', 10, 10], ['read', 5, 5]]);
	const {callers, callees, total, self} = one.middle({...state, middle: 'work'});
	assert.deepEqual([total, self, callers.totalOf(0), callees.totalOf(0)], [35, 30, 35, 35]);
	assert.deepEqual(look({view: 'page-faults', search: '^read$'}).found.ns, 5);
	assert.deepEqual(look({view: 'page-faults', search: '^read$', inverted: true}).found.ns, 5);
	const zoomed = look({view: 'page-faults', zoom: ['app', 'main', 'work', 'read']});
	assert.equal(zoomed.tree.totalOf(zoomed.zoomNode), 5);
});

test('events over time and by thread, whatever is zoomed', () => {
	const {one, view, state} = look({view: 'page-faults', from: 1, to: 2});
	const {overTime: line, byThread} = one.events(view, state);
	assert.deepEqual([...line], [20, 20, 0, 5], 'the line shows the whole range');
	assert.deepEqual([...byThread], [20, 0]);
	const narrow = one.events(view, {...state, process: 'srv'});
	assert.deepEqual([...narrow.overTime], [10, 0, 0, 0]);
	assert.deepEqual([...narrow.byThread], [20, 0], 'threads beside the chosen one keep theirs');
});

test('each view prints its own unit', () => {
	const [faults, alloc] = MEASURES, time = viewOf(model(), 'offcpu');
	assert.deepEqual([0, 1, 12345].map((value) => amountOf(faults, value)), ['0 page faults', '1 page fault', '12,345 page faults']);
	assert.equal(amount(faults, 12345), '12,345');
	assert.equal(amountOf(alloc, GIB3), '3.0 GiB of allocations');
	assert.equal(amountOf(time, 4900000), '4.9 ms');
	assert.equal(amountOf({...alloc, unit: 'ns'}, 4900000), '4.9 ms of allocations');
	assert.equal(amountOf({...alloc, unit: '', unit_word: 'furlongs', weight: 'quanta'}, 1234), '1,234 furlongs of quanta');
	assert.deepEqual([1, 2].map((number) => countedText(alloc, number)), ['1 allocation', '2 allocations']);
	assert.deepEqual([1, 2].map((number) => countedText(time, number)), ['1 wait', '2 waits']);
});

test('what is estimated says how sure it is, from roots and from leaves, in a range, too', () => {
	for (const inverted of [false, true]) for (const range of [{}, {from: 2, to: 3}]) {
		const {tree} = look({view: 'alloc', inverted, ...range});
		assert.deepEqual([tree.countOf(0), tree.samplesOf(0)], [3, 2], JSON.stringify({inverted, ...range}));
	}
	assert.equal(look({view: 'offcpu'}).tree.samplesOf(0), 0);
	assert.deepEqual([[100, 100], [0, 0], [10, 1], [1000, 625], [20000, 10000], [20000, 10001]].map(([events, samples]) => errorText(events, samples)),
		['', '', ' ± 100 %', ' ± 4 %', ' ± 1 %', ' ± < 1 %']);
});

test('bytes as the report prints them', () => {
	assert.deepEqual([0, 812, 1023, 1024, 1536, 10 * 1024, 2 ** 20, 256 * 2 ** 20, 1.5 * 2 ** 30, 2 ** 40, 5000 * 2 ** 40].map(bytes),
		['0 B', '812 B', '1023 B', '1.0 KiB', '1.5 KiB', '10 KiB', '1.0 MiB', '256 MiB', '1.5 GiB', '1.0 TiB', '5000 TiB']);
});

test('a measure under the name of a view of time is not in its way', () => {
	const data = parseData(encode({...HEAD, views: HEAD.views.map((view) => view.measure === 1 ? {...view, name: 'offcpu'} : view)}, tables()));
	assert.deepEqual(viewsOf(data).slice(6), ['chain', 'alloc']);
	assert.equal(look({}, data).tree.totalOf(0), look({}).tree.totalOf(0));
});

test('a link to a measure that is not there shows time', () => {
	assert.equal(look({view: 'page-faults'}, modelOfTime()).view.name, 'offcpu');
});
