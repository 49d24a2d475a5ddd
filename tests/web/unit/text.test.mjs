// SPDX-License-Identifier: GPL-2.0-or-later
import assert from 'node:assert/strict';
import {test} from 'node:test';
import {classColor, classLetter, frameColor} from '../../../web/page/colors.js';
import {count, duration, moment, percent} from '../../../web/page/format.js';
import {layOut} from '../../../web/page/layout.js';
import {looksNs, processLines, stackLabels, stackLine, waitLines} from '../../../web/page/lines.js';
import {PairMap} from '../../../web/page/pairs.js';
import {fromHash, initialState, toHash} from '../../../web/page/state.js';
import {escapeXml, svgText} from '../../../web/page/svg.js';
import {openFilter, weigh} from '../../../web/page/weigh.js';
import {madeTree, model} from './model.mjs';

test('durations, counts and shares as people write them', () => {
	assert.deepEqual([0, 850, 12000, 4900000, 61e6, 999.6e6, 22.6e9, 1840e9].map(duration), ['0 ns', '850 ns', '12 us', '4.9 ms', '61 ms', '1.00 s', '22.6 s', '1840.0 s']);
	assert.equal(count(1234567), '1,234,567');
	assert.deepEqual([[1, 3], [0, 3], [3, 3], [1, 1e9], [999999999, 1e9], [0, 0]].map(([a, b]) => percent(a, b)), ['33.3 %', '0 %', '100 %', '< 0.01 %', '> 99.99 %', '0 %']);
	assert.equal(moment(3250000000), '3.25 s');
});

test('a link holds the state, and only what differs', () => {
	const initial = initialState(model());
	assert.equal(toHash(initial, initial), '');
	const state = {...initial, view: 'oncpu', zoom: ['a b', 'x;y&z=#', 'operator<<(%)'], search: '^f(.*)+$', exact: true, from: 1, to: 3, off: ['page fault', 'disk'], process: 'ä', bandMin: 2};
	assert.deepEqual(fromHash(`#${toHash(state, initial)}`, initial), state);
});

test('a link from anywhere cannot leave the bounds', () => {
	const initial = initialState(model());
	for (const hash of ['#from=99&to=-1', '#from=x', '#bandMin=9&bandMax=-3', '#idle=maybe', '#__proto__=1&constructor=2', '#%E0%A4%A=1&search=%E0%A4%A', '#&&==&zoom'])
		assert.deepEqual({...fromHash(hash, initial), search: ''}, initial, hash);
});

test('waits are told by name, reason and operation, with their heaviest stack', () => {
	const data = model(), weights = weigh(data, {...openFilter(data), idle: 'hide'});
	const lines = waitLines(data, weights);
	assert.deepEqual(lines.map(({name, reason, operation, ns, count: number}) => [name, reason, operation, ns, number]),
		[['srv', 'futex', '', 2e9, 1], ['app', 'disk', 'fdatasync', 500000007, 21], ['srv', 'no CPU', '', 999000, 2], ['app', 'no CPU', '', 1000, 4]]);
	assert.equal(lines[1].max, 60000000);
	assert.deepEqual(stackLabels(data, lines[1].node), ['main', 'work', 'read']);
	assert.equal(stackLine(data, lines[1].node), 'main > work');
	// Its other stacks look otherwise; of one that is shown alike the time counts, too.
	assert.equal(looksNs(data, lines[1]), lines[1].nodeNs);
	assert.equal(looksNs({...data, waitGroups: {...data.waitGroups, stackNode: data.waitGroups.stackNode.map(() => lines[1].node)}}, lines[1]), lines[1].ns);
});

test('processes with what they did and waited in', () => {
	const data = model(), [srv, app] = processLines(data, weigh(data, {...openFilter(data), idle: 'hide'}));
	assert.deepEqual([srv.name, srv.running, srv.runnable, srv.blocked, srv.aside], ['srv', 250000000, 999000, 2e9, 1749000000]);
	assert.deepEqual([...app.reasons], [[1, 500000007]]);
});

test('threads count where they have time', () => {
	const data = model(), counts = (filter) => processLines(data, weigh(data, {...openFilter(data), idle: 'hide', ...filter})).map(({name, count: number}) => [name, number]).sort();
	assert.deepEqual(counts({}), [['app', 1], ['srv', 1]]);
	assert.deepEqual(counts({from: 3, to: 4}), [['app', 0], ['srv', 1]], 'idle ones, too');
});

test('names are text in a picture', () => {
	assert.equal(escapeXml('</svg><script>"&\u0001\ud800'), '&#60;/svg&#62;&#60;script&#62;&#34;&#38;??');
	const tree = madeTree([[0, 0, 5]]);
	const svg = svgText(tree, layOut(tree, 0, 1200), ['<script>x</script>'], {width: 1200, isIcicle: false, title: 't<', amount: (value) => `${value} <script>`, colorOf: () => '#123'});
	assert.ok(!svg.includes('<script') && svg.includes('&#60;script&#62;'));
});

test('kinds of frames differ in lightness, reasons have a letter', () => {
	assert.notEqual(frameColor('f', 1, false), frameColor('f', 2, false));
	assert.equal(frameColor('f', 1, true), frameColor('f', 1, true));
	assert.equal(classLetter(model(), 'disk'), 'D');
	assert.match(classColor('nothing of that name'), /^#/);
});

test('pairs of numbers are found again in a map that grew', () => {
	const map = new PairMap(4);
	for (let i = 0; i < 3000; i++) map.set(i % 50, i, i);
	for (let i = 0; i < 3000; i++) assert.equal(map.get(i % 50, i), i);
	assert.equal(map.get(51, 1), -1);
});
