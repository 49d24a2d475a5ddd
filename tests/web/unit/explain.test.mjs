// SPDX-License-Identifier: GPL-2.0-or-later
import assert from 'node:assert/strict';
import {test} from 'node:test';
import {apportion, causeSentence, explainLines} from '../../../web/page/explain.js';
import {waitLines} from '../../../web/page/lines.js';
import {plainText, verdictParts, verdictSentence} from '../../../web/page/verdict.js';
import {wholeParts} from '../../../web/page/ui_verdict.js';
import {openFilter, weigh} from '../../../web/page/weigh.js';
import {model} from './model.mjs';

const verdictText = (...all) => plainText(verdictParts(...all));

const explained = (name, filter = {}) => {
	const data = model(), weights = weigh(data, {...openFilter(data), ...filter}), lines = waitLines(data, weights);
	const line = lines.find((one) => one.name === name && !one.isRunnable);
	return {data, weights, lines, line, explanation: explainLines(data, weights, [line]).get(line.place)};
};

test('percents add up to a hundred', () => {
	assert.deepEqual(apportion([1, 1, 1]), [34, 33, 33]);
	assert.deepEqual(apportion([0, 5]), [0, 100]);
	assert.deepEqual(apportion([]), []);
});

test('a wait is divided among what its waker did and what that one was in', () => {
	const {data, line, explanation} = explained('app');
	const sum = explanation.causes.reduce((all, cause) => all + cause.ran + cause.nocpu + cause.waited, explanation.open);
	assert.ok(Math.abs(sum - line.ns) < 1, `${sum}`);
	assert.equal(causeSentence(data, explanation, 'app'), 'For jbd2 100 %: in fdatasync (disk vda) 70 %, running 20 %, without a CPU 10 %.');
});

test('who waits for one of its own name waits for another', () => {
	const {data, explanation} = explained('app');
	assert.match(causeSentence(data, explanation, 'jbd2'), /^For another jbd2 100 %/);
	assert.match(causeSentence(data, {...explanation, isHeld: true}, 'app'), /^Held by jbd2/);
});

test('what nobody ended had not ended', () => {
	const {data, explanation} = explained('srv', {idle: 'hide'});
	assert.equal(causeSentence(data, explanation, 'srv'), 'It had not ended when the recording did.');
});

test('of waits that reach beyond the range causes have the shares of whole waits, and that is said', () => {
	const {data, weights, lines, line} = explained('app', {from: 1, to: 2});
	for (let key = 0; key < data.keys.rows; key++) weights.ns[key] /= 2;
	assert.equal(causeSentence(data, explainLines(data, weights, [line]).get(line.place), 'app'), 'Of these waits as a whole: for jbd2 100 %: in fdatasync (disk vda) 70 %, running 20 %, without a CPU 10 %.');
	assert.match(verdictText(data, weights, lines, 1e9), /app waited 500 ms in fdatasync\. Of these waits as a whole: for jbd2 100 %/);
	// What has one cause alone has it in any part.
	const {shares} = data;
	for (const column of [shares.ran, shares.nocpu, shares.earlier]) column.fill(0);
	for (let key = 0; key < data.keys.rows; key++) if (data.keys.chain[key]) shares.ran[data.keys.share[key]] = data.keys.total[key];
	assert.equal(causeSentence(data, explainLines(data, weights, [line]).get(line.place), 'app'), 'For jbd2 100 %: running.');
});

test('"In short" is of the range, largest first', () => {
	const {data, weights, lines} = explained('app', {from: 1, to: 2});
	const text = verdictText(data, weights, lines, 1e9);
	assert.match(text, /^srv waited 1\.00 s for a futex\. It had not ended when the recording did\. Then app waited 500 ms in fdatasync, for jbd2 100 %/);
	assert.equal(verdictSentence(data, {from: 1, to: 2}, false, 'x.'), 'In short, from 1 s to 2 s: x.');
	assert.equal(verdictSentence(data, {from: 0, to: 4}, true, 'x.'), 'In short, of what the filters leave: x.');
	assert.equal(verdictSentence(data, {from: 0, to: 4, idle: 'show'}, false, 'x.'), 'In short, with idle time: x.');
	assert.equal(verdictSentence(data, {from: 1, to: 2, idle: 'only'}, false, 'x.'), 'In short, from 1 s to 2 s, of idle time alone: x.');
});

test('what the verdict says of a wait leads to the line that it is', () => {
	const lines = [{name: 'db', reason: 'no CPU', operation: ''}, {name: 'db', what: 'in epoll_wait (Main)', operation: 'epoll_wait', spot: 'Main'}, {name: 'user-*', what: 'for a mutex (ask)', known: 'mutex', spot: 'ask', operation: 'futex'},
		{name: 'db', what: 'in fdatasync (Flush)', operation: 'fdatasync', spot: 'Flush'}];
	const sums = [2e9, 13.9e9, 11e6, 1e9, 2e9].map((ns, i) => ({number: i + 1, ns}));
	const links = (text) => wholeParts(text, lines, sums).map((part) => part.number ? `<${part.number}:${part.text}>` : part).join('');
	assert.equal(links('In short: ready without a CPU: 2 s. Then db waited 13.9 s in epoll_wait (Main) for its client on :80: app 100 %: running. Then user-* waited 11 ms for mutex m (ask), held by x 9 %.'),
		'In short: ready without a CPU: 2 s. Then db waited 13.9 s <2:in epoll_wait (Main) for its client on :80>: app 100 %: running. Then user-* waited 11 ms <3:for mutex m (ask)>, held by x 9 %.');
	assert.equal(links('In short: other waited 1 s in epoll_wait (Main).'), 'In short: other waited 1 s in epoll_wait (Main).');
	assert.equal(links('In short: db waited 1.00 s in fdatasync (Flush).'), 'In short: db waited 1.00 s <4:in fdatasync (Flush)>.');
	// Of two lines with the same words the amount tells; where that does not, there is no link.
	lines.push({...lines[3]});
	assert.equal(links('In short: db waited 2.00 s in fdatasync (Flush).'), 'In short: db waited 2.00 s <5:in fdatasync (Flush)>.');
	assert.equal(links('In short: db waited 2.0 s in fdatasync (Flush).'), 'In short: db waited 2.0 s <5:in fdatasync (Flush)>.', 'however many digits it has');
	sums[4].ns = 1e9;
	assert.equal(links('In short: db waited 1.00 s in fdatasync (Flush).'), 'In short: db waited 1.00 s in fdatasync (Flush).');
});

test('what is said of a part leads to its own line, and idle waits to none', () => {
	const {data, weights, lines} = explained('app', {from: 1, to: 2});
	lines.find(({name}) => name === 'app').number = 7;
	assert.deepEqual(verdictParts(data, weights, lines, 1e9).filter((part) => part.text), [{number: 0, text: 'for a futex'}, {number: 7, text: 'in fdatasync'}]);
});

test('only the waits of one line', () => {
	const data = model();
	data.kinds.line[2] = 1;
	const weights = weigh(data, {...openFilter(data), line: 1});
	assert.equal(weights.total, 500000007);
});

test('a part without any time is said to have none, or to be idle', () => {
	const data = model(), idle = weigh(data, {...openFilter(data), idle: 'hide', from: 3, to: 4});
	assert.equal(verdictText(data, idle, waitLines(data, idle), 1e9), 'nothing but idle, 749 ms.');
	const none = weigh(data, {...openFilter(data), passes: () => false});
	assert.equal(verdictText(data, none, waitLines(data, none), 1e9), 'no time at all.');
});
