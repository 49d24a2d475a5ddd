// SPDX-License-Identifier: GPL-2.0-or-later
import assert from 'node:assert/strict';
import {test} from 'node:test';
import {threadSeries} from '../../../web/page/thread_series.js';
import {FIRST_REASON, openFilter, overTime} from '../../../web/page/weigh.js';
import {model} from './model.mjs';

test('the strips of all threads make up the strip of all time, idle included', () => {
	const data = model(), filter = {...openFilter(data), idle: 'hide'};
	const {sums, aside} = overTime(data, filter);
	const series = threadSeries(data, filter, data.threads.map((_, i) => [i]));
	const classes = FIRST_REASON + data.reasons.length;
	for (let bucket = 0; bucket < data.buckets; bucket++) {
		for (let class_ = 0; class_ < classes; class_++)
			assert.equal(series.reduce((sum, one) => sum + one[class_][bucket], 0), sums[class_][bucket]);
		assert.equal(series.reduce((sum, one) => sum + one[classes][bucket], 0), aside[bucket]);
	}
	assert.deepEqual(threadSeries(data, filter, [[0, 1]])[0], [...sums, aside], 'of several threads their sum');
});

test('only what the filter leaves, of the threads asked for', () => {
	const data = model();
	const [[running, , , , disk]] = threadSeries(data, {...openFilter(data), off: new Set(['running'])}, [[0]]);
	assert.equal(running.reduce((a, b) => a + b), 0);
	assert.deepEqual([...disk], [0, 500000007, 0, 0]);
});
