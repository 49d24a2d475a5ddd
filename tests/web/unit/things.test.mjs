// SPDX-License-Identifier: GPL-2.0-or-later
import assert from 'node:assert/strict';
import {test} from 'node:test';
import {Look} from '../../../web/page/look.js';
import {followPath} from '../../../web/page/layout.js';
import {initialState} from '../../../web/page/state.js';
import {ANY_THING, largeThings, shortThing, thingList, thingNumber, thingsOfLines} from '../../../web/page/things.js';
import {waitLines} from '../../../web/page/lines.js';
import {openFilter, weigh} from '../../../web/page/weigh.js';
import {model} from './model.mjs';

const data = model();
const at = (changes) => weigh(data, {...openFilter(data), ...changes});
const state = (changes) => ({...initialState(data), idle: 'show', ...changes});

test('things are known by their text, and what a page does not have is no filter', () => {
	assert.equal(thingNumber(data, 'mutex m'), 2);
	assert.equal(thingNumber(data, '[not told]'), 0);
	assert.equal(thingNumber(data, ''), ANY_THING);
	assert.equal(thingNumber(data, 'something else'), ANY_THING);
});

test('the list adds up to the blocked time, with what is not told last', () => {
	const list = thingList(data, at({}));
	assert.deepEqual(list.map(({text, ns}) => [text, ns]), [['mutex m', 2e9], ['/var/log/db', 500000007], ['[not told]', 1749000000]]);
	assert.equal(list.reduce((sum, {ns}) => sum + ns, 0), 2e9 + 500000007 + 1749000000);
});

test('a thing leaves its waits and no other time', () => {
	assert.equal(at({thing: 1}).total, 500000007);
	assert.equal(at({thing: 2}).total, 2e9);
	assert.equal(at({thing: 0}).total, 1749000000, 'what is not told are waits, too');
	assert.equal(at({thing: 3}).total, 0);
	assert.equal(at({thing: 2, from: 0, to: 1}).total, 1e9, 'and so in a part of the time');
});

test('every view of a state has the waits for its thing only', () => {
	const look = new Look(data);
	for (const view of ['offcpu', 'hotcold', 'wakeup', 'offwake', 'chain']) {
		const {tree} = look.at(state({view, thing: '/var/log/db'}));
		assert.equal(tree.totalOf(0), 500000007, view);
	}
	assert.equal(look.at(state({view: 'oncpu', thing: '/var/log/db'})).tree.totalOf(0), 0);
	assert.equal(look.at(state({thing: 'not in this page'})).tree.totalOf(0), look.at(state({})).tree.totalOf(0));
});

test('a box tells what its waits were for', () => {
	const look = new Look(data), one = state({view: 'offcpu'});
	const {tree} = look.at(one);
	const node = (...path) => followPath(tree.trie, look.labels, path);
	const texts = (place) => look.thingsIn(one, tree, place).map(({text, ns}) => [text, ns]);
	assert.deepEqual(texts(node('app', 'main', 'work')), [['/var/log/db', 500000007]]);
	assert.deepEqual(texts(node('srv')), [['mutex m', 2e9], ['[not told]', 1749000000]]);
	assert.equal(texts(0).length, 3);
});

test('a long path keeps its end, other long texts their beginning', () => {
	assert.equal(shortThing('/short'), '/short');
	assert.equal(shortThing(`/${'folder/'.repeat(40)}wal`).length, 60);
	assert.ok(shortThing(`/${'folder/'.repeat(40)}wal`).endsWith('/wal'));
	assert.ok(shortThing(`unix socket ${'x'.repeat(100)}`).startsWith('unix socket x'));
});

test('lines of waits have things, and small ones are not worth a word', () => {
	const weights = at({}), lines = waitLines(data, weights);
	const things = thingsOfLines(data, weights, data.waitGroups.lineOf);
	const disk = lines.find((line) => line.reason === 'disk');
	assert.deepEqual(things.get(disk.place).map(({text}) => text), ['/var/log/db']);
	assert.deepEqual(largeThings(things.get(disk.place), disk.ns).map(({text}) => text), ['/var/log/db']);
	assert.deepEqual(largeThings([{number: 1, text: 'a', kind: '', ns: 4}, {number: 0, text: '[not told]', kind: '', ns: 96}], 100), []);
});
