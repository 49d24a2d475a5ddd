// SPDX-License-Identifier: GPL-2.0-or-later
// Boxes have the colour of why their time went: of half of it or more, in both kinds of trees, beside a count of each stack.
import assert from 'node:assert/strict';
import {test} from 'node:test';
import {classColor, frameColor, whyColor} from '../../../web/page/colors.js';
import {followPath} from '../../../web/page/layout.js';
import {Look} from '../../../web/page/look.js';
import {initialState} from '../../../web/page/state.js';
import {childrenOf} from '../../../web/page/tree.js';
import {WAKER} from '../../../web/page/trie.js';
import {className} from '../../../web/page/weigh.js';
import {boxColor, MIXED, sharesOf, toldClass, UNTOLD} from '../../../web/page/whys.js';
import {many} from './many.mjs';
import {model} from './model.mjs';

const VIEWS = ['offcpu', 'offwake', 'chain'];

/** All stacks as texts with their time and the word of their class. */
function spelled(look, state) {
	const {model: data, paths, weights} = look.stacks(state), {texts} = look.labels, {keys, kinds} = data, stacks = [];
	paths.node.forEach((node, key) => {
		if (node < 0 || !weights.ns[key]) return;
		const path = [];
		for (; node > 0; node = data.nodes.parent[node]) path.unshift(texts[data.nodes.packed[node] >> 3]);
		if (paths.name[key] >= 0) path.unshift(texts[paths.name[key]]);
		path.push(...Array.from(paths.ends[paths.end[key]], (frame) => texts[frame >> 3]));
		const kind = keys.kind[key];
		stacks.push({path, ns: weights.ns[key], word: kinds.state[kind] === 3 ? data.reasons[kinds.called[kind]][0] : 'runnable'});
	});
	return stacks;
}

function truth(stacks) {
	const sums = {};
	for (const {ns, word} of stacks) sums[word] = (sums[word] || 0) + ns;
	const whole = Object.values(sums).reduce((a, b) => a + b, 0), main = Object.keys(sums).sort((a, b) => sums[b] - sums[a])[0];
	return {sums, main: 2 * sums[main] >= whole ? main : 'mixed'};
}

test('the colour of a box is that of half of its time, from the roots and from the leaves', () => {
	const seen = new Set();
	for (const data of [many(), model()]) for (const view of VIEWS) for (const inverted of [false, true]) for (const patch of [{}, {from: 1, to: 3}, {idle: 'hide'}]) {
		const look = new Look(data), state = {...initialState(data), idle: 'show', view, inverted, ...patch};
		const {tree} = look.at(state), {texts} = look.labels;
		const stacks = spelled(look, state).map((stack) => inverted ? {...stack, path: stack.path.slice().reverse()} : stack);
		const visit = (node, depth, inside) => {
			const {sums, main} = truth(inside), told = tree.mainClassOf(node);
			const words = Object.fromEntries(sharesOf(data, tree.classSums(node)).map(({word, share}) => [word, Math.round(share * tree.totalOf(node))]));
			assert.deepEqual(words, sums, `${view} ${inverted}`);
			assert.equal(told === MIXED ? 'mixed' : className(data, told), main, `${view} ${inverted}`);
			seen.add(main);
			for (const child of childrenOf(tree, node)) visit(child, depth + 1, inside.filter(({path}) => path[depth] === texts[tree.trie.label[child]]));
		};
		if (stacks.length) visit(0, 0, stacks);
	}
	assert.ok(seen.has('mixed') && seen.size > 3, [...seen].join());
});

test('other views and wakers keep the colours of their kinds', () => {
	const data = many(), look = new Look(data);
	for (const view of ['oncpu', 'runq', 'hotcold', 'wakeup']) {
		const {tree} = look.at({...initialState(data), view, idle: 'show'});
		assert.equal(toldClass(tree, childrenOf(tree, 0)[0]), UNTOLD, view);
		assert.equal(boxColor(data, tree, UNTOLD, 'f', 2, false), frameColor('f', 2, false));
	}
	const chained = model(), {tree} = new Look(chained).at({...initialState(chained), view: 'chain', idle: 'show'});
	const nodes = [];
	const visit = (node) => { for (const child of childrenOf(tree, node)) nodes.push(child), visit(child); };
	visit(0);
	const wakers = nodes.filter((node) => tree.trie.kind[node] & WAKER);
	assert.ok(wakers.length > 1 && wakers.length < nodes.length);
	for (const node of wakers) assert.equal(toldClass(tree, node), UNTOLD);
	assert.ok(nodes.some((node) => toldClass(tree, node) >= 0));
});

test('stacks that are put together are told why in each view', () => {
	const data = model();
	for (const view of VIEWS) {
		const look = new Look(data), {tree} = look.at({...initialState(data), view, idle: 'show'});
		const node = followPath(tree.trie, look.labels, ['srv', '[other]']);
		assert.ok(node > 0 && toldClass(tree, node) >= 0, view);
	}
});

test('a colour is nearer to its reason than to paper or to another reason, in light and dark', () => {
	const rgb = (color) => color.startsWith('#') ? [1, 3, 5].map((at) => parseInt(color.slice(at, at + 2), 16)) : color.match(/\d+/g).map(Number);
	const words = ['running', 'runnable', 'disk', 'lock', 'poll', 'sleep', 'child'];
	const turn = ([r, g, b]) => Math.atan2(Math.sqrt(3) * (g - b), 2 * r - g - b);
	for (const word of words) for (const isDark of [false, true]) for (const name of ['a', 'main', 'x'.repeat(99)]) {
		const got = turn(rgb(whyColor(name, word, isDark))), near = words.slice().sort((a, b) => Math.abs(turn(rgb(classColor(a))) - got) - Math.abs(turn(rgb(classColor(b))) - got))[0];
		assert.equal(near, word, `${name} ${isDark}`);
	}
	const [light, dark] = [false, true].map((isDark) => rgb(whyColor('main', '', isDark)).reduce((a, b) => a + b) / 3);
	assert.ok(light > 180 && dark < 120, `${light} ${dark}`);
});
