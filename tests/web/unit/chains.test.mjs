// SPDX-License-Identifier: GPL-2.0-or-later
import assert from 'node:assert/strict';
import {test} from 'node:test';
import {chainsOf, lineId, wakerName} from '../../../web/page/chains.js';
import {foldedText} from '../../../web/page/folded.js';
import {Look, viewsOf} from '../../../web/page/look.js';
import {initialState} from '../../../web/page/state.js';
import {metalOf} from '../../../web/page/ui_chain.js';
import {openFilter, weigh} from '../../../web/page/weigh.js';
import {model, modelOfTime} from './model.mjs';

const folded = (view, patch = {}) => {
	const data = model(), look = new Look(data);
	const {tree} = look.at({...initialState(data), view, ...patch});
	return foldedText(tree, look.labels.texts, 0, Boolean(patch.inverted)).trim().split('\n').sort();
};

test('wakers, with who had waited for them at the end', () => {
	assert.deepEqual(folded('wakeup'), ['[not woken];srv 2000000', 'jbd2;commit;app 500000']);
});

test('one waker behind a wait, or all of them', () => {
	assert.deepEqual(folded('offwake'), ['app;main;work;read;--;commit;jbd2 500000', 'srv;main;write;--;[not woken] 2000000']);
	assert.deepEqual(folded('chain'), ['app;main;work;read;--;commit;jbd2;--;[disk vda] 500000', 'srv;main;write;--;[not woken] 2000000']);
	for (const view of ['wakeup', 'offwake', 'chain']) assert.deepEqual(folded(view, {inverted: true}), folded(view));
});

test('views of chains need chains', () => {
	assert.equal(viewsOf(modelOfTime()).length, 7);
	assert.deepEqual(viewsOf({...modelOfTime(), has_chains: false}), ['offcpu', 'oncpu', 'runq', 'hotcold']);
});

test('each hop has its share, and shares add up to the wait', () => {
	const data = model();
	const {chains, total, without} = chainsOf(data, weigh(data, openFilter(data)), lineId({name: 'app', reason: 'disk', operation: 'fdatasync'}));
	assert.equal(total, 500000007);
	assert.equal(without, 0);
	assert.equal(chains.length, 2);
	const [long, short] = chains;
	assert.deepEqual(long.hops.map(({ran, nocpu, earlier}) => [ran, nocpu, earlier]), [[100000000, 50000000, 1], [349999999, 0, 0]]);
	assert.equal(long.rest, 0);
	assert.deepEqual(long.hops.map((hop) => [wakerName(data, hop), hop.reason, hop.operation]), [['jbd2', '', ''], ['disk vda', 'disk', 'fdatasync']]);
	assert.equal(short.ns, 7);
});

test('of a part of the time shares still add up', () => {
	const data = model(), weights = weigh(data, openFilter(data));
	weights.ns[3] = 333333333;
	const {chains: [chain]} = chainsOf(data, weights, 'app/disk/fdatasync');
	const sum = chain.hops.reduce((all, hop) => all + hop.ran + hop.nocpu + hop.earlier, chain.rest);
	assert.equal(sum, 333333333);
	assert.equal(chain.ns, 333333333);
});

test('time that nobody ended is the rest', () => {
	const data = model();
	const {chains: [chain]} = chainsOf(data, weigh(data, openFilter(data)), 'srv/futex/');
	assert.equal(chain.rest, 2e9);
	assert.equal(data.chain_ends[chain.end][0], 'not woken');
});

test('metal is waited for, and not shown as running', () => {
	const data = {...model(), hop_kinds: [['task', false], ['disk', true], ['timer', true], ['softirq', true], ['ipi', true]]};
	const kinds = (hops) => hops.map(([kind, name]) => metalOf(data, {kind, name})?.[1]);
	assert.deepEqual(kinds([[0, 'jbd2'], [1, 'vda'], [2, 'hrtimer_wakeup'], [3, 'NET_RX'], [3, 'BLOCK'], [4, '']]),
		[undefined, 'waited for a disk', 'waited for a timer', 'waited for the network', 'waited for an interrupt', 'waited for an interrupt']);
	for (let kind = 1; kind < 5; kind++) assert.notEqual(metalOf(data, {kind, name: ''})[0], 'running');
});

test('a waker of a kind that only a newer dwell has is called by its word', () => {
	const data = {...model(), hop_kinds: [['task', false], ['portal', false, true]]};
	assert.equal(wakerName(data, {kind: 1, name: 'vda'}), 'portal vda');
	assert.equal(wakerName(data, {kind: 1, name: ''}), 'portal');
	assert.equal(wakerName(data, {kind: 0, name: ''}), 'an unknown waker');
});
