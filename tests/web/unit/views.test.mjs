// SPDX-License-Identifier: GPL-2.0-or-later
import assert from 'node:assert/strict';
import {test} from 'node:test';
import {foldedText} from '../../../web/page/folded.js';
import {boxAt, followPath, layOn, layOut} from '../../../web/page/layout.js';
import {Look, Memory} from '../../../web/page/look.js';
import {sandwich} from '../../../web/page/sandwich.js';
import {compile, matchLabels, matchTree} from '../../../web/page/search.js';
import {initialState} from '../../../web/page/state.js';
import {sortRows, topFunctions} from '../../../web/page/top.js';
import {madeTree, model} from './model.mjs';

const look = (patch) => {
	const data = model(), one = new Look(data);
	return {...one.at({...initialState(data), ...patch}), labels: one.labels, one, data};
};
const folded = (patch) => {
	const {tree, labels} = look(patch);
	return foldedText(tree, labels.texts, 0, Boolean(patch.inverted)).trim().split('\n').sort();
};

test('off-CPU stacks end in what they waited in, or for a CPU', () => {
	assert.deepEqual(folded({view: 'offcpu', idle: 'show'}), ['app;main;work;read 500000', 'app;main;work;read;[runq] 1', 'srv;main;[preempted] 999', 'srv;main;write 3749000']);
});

test('on-CPU stacks are samples; time without samples says so', () => {
	assert.deepEqual(folded({view: 'oncpu'}), ['app;main 333333', 'app;main;work 666667', 'srv;[unsampled] 250000']);
	assert.equal(look({view: 'oncpu'}).tree.countOf(0), 3, 'samples, not intervals');
});

test('the run queue, and all in one', () => {
	assert.deepEqual(folded({view: 'runq'}), ['app;main;work;read;[woken] 1', 'srv;main;[preempted] 999']);
	const all = folded({view: 'hotcold'});
	for (const line of ['srv;[unsampled];[running] 250000', 'app;main;work;read;[blocked disk] 500000', 'srv;main;[runnable] 999', 'app;main;[running] 333333'])
		assert.ok(all.includes(line), `${line} is not in ${all}`);
	const {tree} = look({view: 'hotcold'});
	assert.equal(tree.runningOf(0), 1250000001);
	assert.equal(tree.runnableOf(0), 1000000);
});

test('stacks from their leaf are the same stacks', () => {
	for (const view of ['offcpu', 'oncpu'])
		assert.deepEqual(folded({view, inverted: true}), folded({view}), view);
	const {tree, labels} = look({view: 'offcpu', inverted: true});
	assert.ok(followPath(tree.trie, labels, ['read', 'work', 'main', 'app']) > 0);
});

test('views sum to the classes they show', () => {
	const {tree, weights} = look({view: 'hotcold', idle: 'show'});
	assert.equal(tree.totalOf(0), weights.total);
});

test('stacks are named by thread or process', () => {
	assert.ok(folded({view: 'runq', by: 'thread'})[0].startsWith('app-1/1;main'));
});

test('stacks with a function, and without it', () => {
	assert.deepEqual(folded({view: 'offcpu', only: 'read'}), ['app;main;work;read 500000', 'app;main;work;read;[runq] 1']);
	assert.deepEqual(folded({view: 'offcpu', without: 'read'}), ['srv;main;[preempted] 999', 'srv;main;write 2000000']);
});

test('boxes: at most one for each pixel, and thin ones are told', () => {
	const tree = madeTree(Array.from({length: 5000}, (_, i) => [0, i, i ? 1 : 5000]));
	const layout = layOut(tree, 0, 800);
	assert.equal(layout.rows[1].length, 2);
	assert.equal(layout.rows[1][1].thin, 4999);
	assert.equal(boxAt(layout, 1, 5).node, 1);
	assert.equal(boxAt(layout, 1, 799).node, -1);
	assert.equal(boxAt(layout, 7, 5), null);
	const zoomed = layOut(tree, 1, 800);
	assert.deepEqual(zoomed.boxes.map((box) => [box.node, box.isAbove]), [[0, true], [1, false]]);
});

test('a picture laid out bit by bit is the same picture', () => {
	const {tree} = look({idle: 'show'});
	const whole = layOut(tree, 0, 800), bits = layOut(tree, 0, 800, false, [], 0);
	assert.equal(bits.rows.length, 1, 'some of it at once');
	let steps = 1;
	while (layOn(bits, tree, false, [], 0)) steps++;
	assert.ok(steps > 5);
	assert.deepEqual(bits.boxes, whole.boxes);
});

test('a path that ends nowhere leads as far as it goes', () => {
	const {tree, labels} = look({});
	const node = followPath(tree.trie, labels, ['app', 'main', 'gone', 'read']);
	assert.deepEqual(tree.trie.path(node).map((label) => labels.texts[label]), ['app', 'main']);
});

test('search counts nothing twice and bears a bad expression', () => {
	const {tree, labels} = look({});
	const matches = matchLabels(labels.texts, compile('main|READ', false).expression);
	assert.equal(matchTree(tree, matches, 0).ns, tree.totalOf(0));
	assert.equal(compile('(', false).error, 'not a regular expression');
	assert.equal(matchLabels(['Read'], compile('read', true).expression)[0], 0);
	const app = followPath(tree.trie, labels, ['app']);
	assert.equal(matchTree(tree, matchLabels(labels.texts, /read/), app).ns, tree.totalOf(app));
});

test('functions: own time and total, recursion once', () => {
	const tree = madeTree([[0, 7, 1], [1, 8, 2], [2, 7, 4]]);
	const rows = topFunctions(tree, 0);
	assert.deepEqual(rows.map(({label, self, total}) => [label, self, total]), [[7, 5, 7], [8, 2, 6]]);
	assert.equal(sortRows(rows, 'name', {7: 'z', 8: 'a'})[0].label, 8);
	const middle = sandwich(tree, new Set([7]));
	assert.equal(middle.total, 7);
	assert.equal(middle.callees.totalOf(0), 7);
	assert.equal(middle.callers.totalOf(0), 7);
});

test('own time belongs to the caller of the scheduler, unless it ran there', () => {
	const [MARK, KERNEL, USER, NAME] = [3, 2, 1, 0], schedulers = new Set([5, 6]);
	const tree = madeTree([[0, 1, 0, NAME], [1, 2, 0, USER], [2, 4, 0, KERNEL], [3, 5, 0, KERNEL], [4, 6, 40, KERNEL], [5, 9, 2, MARK], [1, 8, 1, MARK]]);
	const schedule = [1, 2, 4, 5].reduce((node, label) => tree.trie.find(node, label), 0);
	const top = (ways) => topFunctions(tree, 0, {schedulers, ...ways}).map(({label, self, total}) => [label, self, total]);
	assert.deepEqual(top({running: 9}), [[4, 40, 42], [6, 2, 2], [8, 1, 1], [2, 0, 42], [5, 0, 2]]);
	assert.deepEqual(top({hasRun: true}), [[6, 42, 42], [8, 1, 1], [2, 0, 42], [4, 0, 42], [5, 0, 42]]);
	assert.deepEqual(topFunctions(tree, schedule, {schedulers}).map(({label, self, total}) => [label, self, total]), [[6, 42, 42], [5, 0, 42]], 'where it alone is looked at it is told');
	assert.equal(topFunctions(tree, 0, {isOfWakers: true}).length, 7, 'of wakers every box');
});

test('a thread that is called like a function is none', () => {
	const tree = madeTree([[0, 7, 0, 0], [1, 7, 3]]);
	assert.deepEqual(topFunctions(tree, 0).map(({self, total}) => [self, total]), [[3, 3]]);
});

test('a sandwich has the callers above and the callees below', () => {
	const {one, data, labels} = look({});
	const {callers, callees, total} = one.middle({...initialState(data), middle: 'work'});
	const texts = (tree) => foldedText(tree, labels.texts, 0, false).trim().split('\n').sort();
	assert.equal(total, 500001007);
	assert.deepEqual(texts(callers), ['work;main;app 500001']);
	assert.deepEqual(texts(callees), ['work;read 500000', 'work;read;[runq] 1']);
});

test('the memory is bounded', () => {
	const memory = new Memory();
	for (let i = 0; i < 100; i++) memory.get(String(i), () => i);
	assert.equal(memory.kept.size, 12);
	assert.equal(memory.get('99', () => assert.fail('was kept')), 99);
});
