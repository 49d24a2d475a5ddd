// SPDX-License-Identifier: GPL-2.0-or-later
import assert from 'node:assert/strict';
import {test} from 'node:test';
import {ALL_WAITS, heatBucket, heatCell, heatSecond, heatShape, heatValues} from '../../../web/page/heat.js';
import {openFilter, overTime} from '../../../web/page/weigh.js';
import {model} from './model.mjs';

const long = {from_ns: 0, to_ns: 12.05e9, buckets: 121, bucket_ns: 1e8};

test('a column is a second, a row an offset within it', () => {
	const shape = heatShape(long);
	assert.deepEqual(shape, {rows: 10, columns: 13, first: 0});
	assert.deepEqual(heatCell(shape, 37), {column: 3, row: 7});
	assert.equal(heatBucket(long, shape, 3, 7), 37);
	assert.equal(heatBucket(long, shape, 12, 9), 120, 'where there is no time any more, the last');
});

test('a page of a part begins within a second', () => {
	const part = {...long, from_ns: 2.5e9}, shape = heatShape(part);
	assert.deepEqual(heatCell(shape, 0), {column: 0, row: 5});
	assert.equal(heatBucket(part, shape, 1, 0), 5);
	assert.equal(heatBucket(part, shape, 0, 0), 0);
	assert.equal(heatSecond(part, 0), 2e9);
});

test('there is none where it would say nothing that the strip does not', () => {
	for (const other of [{bucket_ns: 1e9}, {bucket_ns: 3e8}, {bucket_ns: 2.5e8}, {buckets: 80}, {bucket_ns: 0}])
		assert.equal(heatShape({...long, ...other}), null, JSON.stringify(other));
});

test('values are threads at once, of the sort of time that is chosen', () => {
	const data = model(), series = overTime(data, openFilter(data));
	assert.deepEqual([...heatValues(data, series, 'futex')], [1, 1, 0, 0]);
	const waits = heatValues(data, series, ALL_WAITS), running = heatValues(data, series, 'running');
	const all = data.cells.total.reduce((sum, ns) => sum + ns, 0) / 1e9;
	assert.ok(Math.abs([...waits, ...running].reduce((a, b) => a + b, 0) - all) < 1e-6);
});
