// SPDX-License-Identifier: GPL-2.0-or-later
// What the tree from the roots says without being spelled out, beside the same from stacks that are.
import assert from 'node:assert/strict';
import {test} from 'node:test';
import {parseData} from '../../../web/page/data.js';
import {followPath} from '../../../web/page/layout.js';
import {Look} from '../../../web/page/look.js';
import {matchLabels, matchTree} from '../../../web/page/search.js';
import {initialState} from '../../../web/page/state.js';
import {topFunctions} from '../../../web/page/top.js';
import {childrenOf} from '../../../web/page/tree.js';
import {many} from './many.mjs';
import {encode, HEAD, model, tables} from './model.mjs';

const VIEWS = ['offcpu', 'oncpu', 'runq', 'hotcold', 'wakeup', 'offwake', 'chain'];

/** All stacks of a view as texts with their time and count: [[text, ...], ns, count]. */
function spelled(look, state) {
	const {model: data, paths, weights, keeps} = look.stacks(state), kept = keeps(), {texts} = look.labels;
	const stacks = [];
	paths.node.forEach((node, key) => {
		if (node < 0 || !weights.ns[key] || (kept && !kept[key])) return;
		const path = [];
		for (; node > 0; node = data.nodes.parent[node]) path.unshift(data.nodes.packed[node] >> 3);
		if (paths.name[key] >= 0) path.unshift(paths.name[key]);
		path.push(...Array.from(paths.ends[paths.end[key]], (frame) => frame >> 3));
		const isRunning = data.kinds.state[data.keys.kind[key]] === 0;
		stacks.push([path.map((label) => texts[label]), weights.ns[key], isRunning ? 0 : weights.count[key]]);
	});
	return stacks;
}

const sum = (stacks, at = 1) => stacks.reduce((all, stack) => all + stack[at], 0);
const states = (data) => VIEWS.flatMap((view) => [{}, {from: 1, to: 3}, {only: 'b'}, {without: 'c'}, {by: 'thread', idle: 'hide'}]
	.map((patch) => ({...initialState(data), idle: 'show', view, ...patch})));

function each(check) {
	for (const data of [many(), model()]) for (const state of states(data)) {
		const look = new Look(data);
		check({look, state, tree: look.tree(state).tree, stacks: spelled(look, state), texts: look.labels.texts, name: JSON.stringify([state.view, state.from, state.only, state.without, state.by])});
	}
}

test('every box weighs what the stacks through it weigh', () => each(({tree, stacks, texts, name}) => {
	const visit = (node, depth, inside) => {
		assert.equal(tree.totalOf(node), sum(inside), name);
		assert.equal(tree.countOf(node), sum(inside, 2), name);
		if (node) assert.equal(tree.selfOf(node), sum(inside.filter(([path]) => path.length === depth)), name);
		const children = childrenOf(tree, node);
		assert.equal(new Set(children.map((child) => tree.trie.label[child])).size, children.length, name);
		assert.equal(sum(children.map((child) => [0, tree.totalOf(child)])), sum(inside.filter(([path]) => path.length > depth)), name);
		for (const child of children) visit(child, depth + 1, inside.filter(([path]) => path[depth] === texts[tree.trie.label[child]]));
	};
	visit(0, 0, stacks);
}));

test('functions are those of all stacks, each once in a stack', () => each(({tree, stacks, texts, name}) => {
	const rows = topFunctions(tree, 0, {isOfWakers: true});
	assert.deepEqual(new Set(rows.map(({label}) => texts[label])), new Set(stacks.flatMap(([path]) => path)), name);
	for (const {label, self, total, count} of rows) {
		const inside = stacks.filter(([path]) => path.includes(texts[label]));
		assert.deepEqual([total, count, self], [sum(inside), sum(inside, 2), sum(stacks.filter(([path]) => path[path.length - 1] === texts[label]))], name);
	}
}));

test('a search finds all boxes and their time, below a zoom too', () => each(({look, tree, stacks, texts, name}) => {
	for (const zoom of [[], stacks[stacks.length >> 1]?.[0].slice(0, 2) || []]) {
		const matches = matchLabels(texts, /^b|wri/), node = followPath(tree.trie, look.labels, zoom), from = Math.max(zoom.length - 1, 0);
		const inside = stacks.filter(([path]) => zoom.every((text, i) => path[i] === text));
		const {ns, nodes, first} = matchTree(tree, matches, node);
		const isMatch = (text) => /^b|wri/.test(text);
		assert.equal(ns, sum(inside.filter(([path]) => path.slice(from).some(isMatch))), name);
		const boxes = new Set(inside.flatMap(([path]) => path.flatMap((text, i) => i >= from && isMatch(text) ? [path.slice(0, i + 1).join(';')] : [])));
		assert.equal(nodes, boxes.size, name);
		assert.equal(first >= 0, boxes.size > 0);
		if (first >= 0) assert.ok(boxes.has(tree.trie.path(first).map((label) => texts[label]).join(';')), name);
	}
}));

test('around a function are its callers and callees, the outermost call once', () => each(({look, state, stacks, texts, name}) => {
	for (const middle of ['b', 'main', 'write', 'app', '[runq]', '--', '[no waker]']) {
		const {callers, callees, total, self} = look.middle({...state, middle});
		const calls = stacks.filter(([path]) => path.includes(middle));
		assert.deepEqual([total, callees.totalOf(0), self], [sum(calls), sum(calls), sum(stacks.filter(([path]) => path[path.length - 1] === middle))], `${name} ${middle}`);
		const above = (tree, make) => {
			const found = new Map(), wanted = new Map();
			const visit = (node, path) => {
				if (node && tree.selfOf(node)) found.set(path.join(';'), tree.selfOf(node));
				for (const child of childrenOf(tree, node)) visit(child, [...path, texts[tree.trie.label[child]]]);
			};
			visit(0, []);
			for (const [path, ns] of calls) wanted.set(make(path).join(';'), (wanted.get(make(path).join(';')) || 0) + ns);
			assert.deepEqual([...found].sort(), [...wanted].sort(), `${name} ${middle}`);
		};
		above(callers, (path) => path.slice(0, path.indexOf(middle) + 1).reverse());
		above(callees, (path) => path.slice(path.indexOf(middle)));
	}
}));

test('stacks in no order are an error, not a loop', () => {
	for (const parents of [[0, 0, 1, 0, 1], [0, 0, 5, 0], [0, -1]]) {
		const zeros = ['plain', parents.map(() => 0)];
		assert.throws(() => parseData(encode(HEAD, {...tables(), nodes: {parent: ['delta', parents], frame: zeros, kind: zeros}})), /in no order/);
	}
});
