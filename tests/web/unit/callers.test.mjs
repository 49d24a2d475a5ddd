// SPDX-License-Identifier: GPL-2.0-or-later
import assert from 'node:assert/strict';
import {test} from 'node:test';
import {foldedText} from '../../../web/page/folded.js';
import {layOut} from '../../../web/page/layout.js';
import {Look} from '../../../web/page/look.js';
import {initialState} from '../../../web/page/state.js';
import {childrenOf} from '../../../web/page/tree.js';
import {many} from './many.mjs';

/** Every stack of a tree with its own time. */
function stacks(tree, texts, isInverted) {
	const found = new Map();
	const walk = (node, path) => {
		if (tree.selfOf(node)) {
			const id = (isInverted ? path.slice().reverse() : path).join(';');
			found.set(id, (found.get(id) || 0) + tree.selfOf(node));
		}
		for (const child of childrenOf(tree, node)) walk(child, [...path, texts[tree.trie.label[child]]]);
	};
	walk(0, []);
	return [...found].sort();
}

test('stacks from their leaves are the stacks from their roots, to the nanosecond', () => {
	for (const view of ['offcpu', 'runq', 'hotcold', 'wakeup', 'offwake', 'chain']) {
		const data = many(), look = new Look(data), state = {...initialState(data), view, idle: 'show'};
		const {tree: plain} = look.tree(state), {tree: callers} = look.callersTree(state);
		assert.deepEqual(stacks(callers, look.labels.texts, true), stacks(plain, look.labels.texts, false), view);
		assert.ok(plain.totalOf(0) > 0 && callers.totalOf(0) === plain.totalOf(0));
		assert.equal(callers.countOf(0), plain.countOf(0));
		assert.equal(callers.runningOf(0) + callers.runnableOf(0), plain.runningOf(0) + plain.runnableOf(0));
	}
});

test('what nobody looks at is not made, and what is made weighs the same under every filter', () => {
	const data = many(), look = new Look(data);
	const states = [{}, {from: 1, to: 3}, {bandMin: 2}, {off: ['disk']}, {only: 'b'}, {without: 'c'}].map((patch) => ({...initialState(data), idle: 'show', inverted: true, ...patch}));
	const {tree: first} = look.at(states[0]);
	layOut(first, 0, 20);
	const {trie: whole} = new Look(data).callersTree(states[0]).tree;
	for (let node = 0; node < whole.size; node++) whole.childList(node);
	assert.ok(first.trie.size > 4 && first.trie.size < whole.size / 2, `${first.trie.size} of ${whole.size} nodes`);
	for (const state of states) {
		const known = look.at(state).tree, fresh = new Look(data).at(state).tree;
		assert.equal(known.trie, first.trie);
		const sums = (tree) => childrenOf(tree, 0).map((child) => [tree.trie.label[child], tree.totalOf(child), childrenOf(tree, child).map((one) => [tree.trie.label[one], tree.totalOf(one), tree.countOf(one)])]);
		assert.deepEqual(sums(known), sums(fresh));
		layOut(known, childrenOf(known, 0)[0], 300);
		assert.equal(known.totalOf(0), look.tree(state).tree.totalOf(0));
	}
});

test('a search finds the same time from either side', () => {
	const data = many(), look = new Look(data);
	for (const search of ['a', '^b$', 'srv', 'preempted', 'nothing']) {
		const state = {...initialState(data), idle: 'show', search};
		const plain = look.at(state).found, callers = look.at({...state, inverted: true});
		assert.equal(callers.found.ns, plain.ns, search);
		layOut(callers.tree, 0, 300);
		assert.equal(look.at({...state, inverted: true}).found.ns, plain.ns, `${search}, after a look`);
		assert.equal(plain.nodes > 0, search !== 'nothing');
	}
	const state = {...initialState(data), idle: 'show', search: 'd', inverted: true, zoom: ['c', 'b']};
	const {tree, zoomNode, found} = look.at(state);
	assert.equal(tree.trie.path(zoomNode).length, 2);
	let sum = 0;
	const walk = (node, has) => {
		const isMatch = has || (node !== 0 && look.labels.texts[tree.trie.label[node]].includes('d'));
		if (isMatch) sum += tree.selfOf(node);
		for (const child of childrenOf(tree, node)) walk(child, isMatch);
	};
	walk(zoomNode, false);
	assert.equal(found.ns, sum);
	assert.equal(look.at(state).found.ns, sum, 'when all is open');
	assert.ok(sum > 0 && sum < tree.totalOf(zoomNode));
	assert.ok(foldedText(tree, look.labels.texts, zoomNode, true).split('\n').every((line) => !line || / \d+$/.test(line) && /;b;c/.test(line)));
});
